//! The cost of a run for its expert.

use std::fmt;
use std::str::FromStr;

use tutelage_runs::RoundLine;

/// The x axis of learning curves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cost {
    /// The number of annotations, |D|.
    #[default]
    Annotations,
    /// The number of steps that the expert drove.
    ExpertSteps,
    /// |D| plus this weight for each step that the expert drove.
    Weighted(f64),
}

impl Cost {
    /// Returns the cost after a round, or `None` if it includes expert steps and they were not counted.
    pub fn after(self, line: &RoundLine) -> Option<f64> {
        let (annotations, steps) = (line.annotations as f64, line.expert_steps.map(|n| n as f64));
        match self {
            Self::Annotations => Some(annotations),
            Self::ExpertSteps => steps,
            Self::Weighted(weight) => Some(annotations + weight * steps?),
        }
    }
}

/// An invalid cost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown cost `{0}`; expected annotations, expert-steps, or the cost of an expert step (at least 0)"
)]
pub struct BadCost(pub String);

impl FromStr for Cost {
    type Err = BadCost;

    /// Parses `annotations`, `expert-steps`, or the cost of an expert step in annotations.
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
    fn costs_are_names_or_weights() {
        assert_eq!("annotations".parse(), Ok(Cost::Annotations));
        assert_eq!("expert-steps".parse(), Ok(Cost::ExpertSteps));
        assert_eq!("0.01".parse(), Ok(Cost::Weighted(0.01)));
        for text in ["", "steps", "-1", "inf", "NaN"] {
            assert_eq!(text.parse::<Cost>(), Err(BadCost(text.into())));
        }
    }
}
