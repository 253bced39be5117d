//! What a run has cost its expert so far.

use std::fmt;

use tutelage_runs::RoundLine;

/// What learning curves are drawn over.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cost {
    /// |D|.
    #[default]
    Annotations,
    /// The steps that the expert drove.
    ExpertSteps,
    /// |D| and so much for every step that the expert drove.
    Weighted(f64),
}

impl Cost {
    /// The cost after a round; nothing where steps count and nobody has counted them.
    pub fn after(self, line: &RoundLine) -> Option<f64> {
        let (annotations, steps) = (line.annotations as f64, line.expert_steps.map(|n| n as f64));
        match self {
            Self::Annotations => Some(annotations),
            Self::ExpertSteps => steps,
            Self::Weighted(weight) => Some(annotations + weight * steps?),
        }
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Annotations => f.write_str("annotations"),
            Self::ExpertSteps => f.write_str("steps driven by the expert"),
            Self::Weighted(weight) => write!(f, "annotations + {weight} × expert steps"),
        }
    }
}
