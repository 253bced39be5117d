//! What a run has cost its expert so far.

use std::fmt;
use std::str::FromStr;

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

/// An invalid cost to draw curves over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a cost; allowed are annotations, expert-steps, or a number from 0 on: what a step costs"
)]
pub struct BadCost(pub String);

impl FromStr for Cost {
    type Err = BadCost;

    /// `annotations`, `expert-steps`, or what a step of the expert's costs in annotations.
    fn from_str(text: &str) -> Result<Self, BadCost> {
        match (text, text.parse::<f64>()) {
            ("annotations", _) => Ok(Self::Annotations),
            ("expert-steps", _) => Ok(Self::ExpertSteps),
            (_, Ok(weight)) if weight.is_finite() && weight >= 0.0 => Ok(Self::Weighted(weight)),
            _ => Err(BadCost(text.into())),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_named_or_a_weight() {
        assert_eq!("annotations".parse(), Ok(Cost::Annotations));
        assert_eq!("expert-steps".parse(), Ok(Cost::ExpertSteps));
        assert_eq!("0.01".parse(), Ok(Cost::Weighted(0.01)));
        for text in ["", "steps", "-1", "inf", "NaN"] {
            assert_eq!(text.parse::<Cost>(), Err(BadCost(text.into())));
        }
    }
}
