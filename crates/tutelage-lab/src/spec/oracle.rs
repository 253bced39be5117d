//! How an MLP oracle trains.

use std::fmt;
use std::str::FromStr;

use tutelage_oracles::Standardize;

use super::SpecError;
use crate::registry::{Defaults, Task};

/// How long, in what steps, and on how many examples at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OracleSpec {
    /// How long.
    pub budget: BudgetSpec,
    /// Adam's step.
    pub learning_rate: f64,
    /// Examples per step.
    pub batch: usize,
    /// Whether states are standardised from D.
    pub states: Standardize,
}

/// How long a member trains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetSpec {
    /// `epochs=2000`: so many times through its training set.
    Epochs(usize),
    /// `iterations=2000`: so many steps.
    Iterations(usize),
}

const MAX_BUDGET: usize = 1_000_000;

impl OracleSpec {
    /// How networks are usually trained in a task; for the robots it is the experiments' rule.
    pub fn of(task: Task) -> Self {
        Self::from(task.defaults())
    }
}

impl From<&Defaults> for OracleSpec {
    fn from(&Defaults { budget, learning_rate, batch, .. }: &Defaults) -> Self {
        Self { budget, learning_rate, batch, states: Standardize::No }
    }
}

impl fmt::Display for BudgetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Epochs(count) => write!(f, "epochs={count}"),
            Self::Iterations(count) => write!(f, "iterations={count}"),
        }
    }
}

impl FromStr for BudgetSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let wrong = || {
            let allowed = format!("epochs=N or iterations=N with N from 1 to {MAX_BUDGET}");
            SpecError::range("oracle.budget", format!("\"{text}\""), allowed)
        };
        let (kind, count) = text.split_once('=').ok_or_else(wrong)?;
        let count = count.trim().parse().ok().filter(|n| (1..=MAX_BUDGET).contains(n));
        match (kind.trim(), count) {
            ("epochs", Some(count)) => Ok(Self::Epochs(count)),
            ("iterations", Some(count)) => Ok(Self::Iterations(count)),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_parse_to_what_they_print() {
        for text in ["epochs=2000", "iterations=500"] {
            assert_eq!(text.parse::<BudgetSpec>().unwrap().to_string(), text);
        }
        for text in ["2000", "epochs=0", "epochs=-1", "steps=5", "epochs=9999999"] {
            let error = text.parse::<BudgetSpec>().unwrap_err().to_string();
            assert!(error.contains("oracle.budget") && error.contains(text), "{error}");
        }
    }
}
