//! Profiles: the paper's settings, or smaller ones.

use std::fmt;
use std::str::FromStr;

use tutelage_lab::spec::{BudgetSpec, Draft, EvaluationDraft, OracleDraft};

/// The paper's settings, or smaller ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Two seeds, eight rounds, short training, few episodes.
    Quick,
    /// The paper's settings.
    #[default]
    Paper,
}

/// Seeds per curve.
const QUICK_SEEDS: usize = 2;
/// Rounds per run.
const QUICK_ROUNDS: i64 = 8;
/// Episodes per evaluation.
const QUICK_EPISODES: i64 = 3;
/// One quick iteration replaces this number of epochs or iterations of the paper, at a larger learning rate.
///
/// An epoch is 2.4 iterations on average over 20 rounds.
const QUICK_EPOCHS: usize = 4;
const QUICK_ITERATIONS: usize = 10;
const QUICK_LEARNING_RATE: f64 = 1e-3;

impl Profile {
    /// A description of the quick profile.
    pub const QUICK_DESCRIPTION: &'static str = "Quick profile: 2 seeds, 8 rounds and 3 episodes per evaluation. One iteration at learning rate 1e-3 \
        replaces 4 epochs or 10 iterations of the paper. Fields that a row of the figure sets are kept.";

    /// Returns those of the paper's seeds that this profile uses.
    pub fn seeds(self, paper: &[u64]) -> Vec<u64> {
        match self {
            Self::Quick => paper.iter().copied().take(QUICK_SEEDS).collect(),
            Self::Paper => paper.to_vec(),
        }
    }

    /// Returns the rounds, evaluation and oracle budget of this profile; other fields stay unset.
    pub fn draft(self, budget: Option<BudgetSpec>, trains_networks: bool) -> Draft {
        let oracle = |budget: Option<BudgetSpec>, learning_rate| OracleDraft {
            budget: budget.map(|budget| budget.to_string()),
            learning_rate,
            ..OracleDraft::default()
        };
        let plain = Draft { keep: Some("last".into()), ..Draft::default() };
        match self {
            Self::Paper => {
                let oracle = trains_networks.then(|| oracle(budget, None));
                Draft { oracle, ..plain }
            }
            Self::Quick => {
                let budget = quick_budget(budget.unwrap_or(BudgetSpec::Epochs(2000)));
                let oracle =
                    trains_networks.then(|| oracle(Some(budget), Some(QUICK_LEARNING_RATE)));
                let evaluation = Some(EvaluationDraft { episodes: Some(QUICK_EPISODES) });
                Draft { oracle, evaluation, rounds: Some(QUICK_ROUNDS), ..plain }
            }
        }
    }
}

fn quick_budget(budget: BudgetSpec) -> BudgetSpec {
    let steps = match budget {
        BudgetSpec::Epochs(count) => count / QUICK_EPOCHS,
        BudgetSpec::Iterations(count) => count / QUICK_ITERATIONS,
    };
    BudgetSpec::Iterations(steps.max(1))
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Quick => "quick",
            Self::Paper => "paper",
        })
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "quick" => Ok(Self::Quick),
            "paper" => Ok(Self::Paper),
            _ => Err(format!("unknown profile `{text}`; expected quick or paper")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage_lab::spec::OracleSpec;

    fn spec(profile: Profile, class: &str) -> tutelage_lab::spec::RunSpec {
        let networks = class != "linear";
        let base =
            Draft { task: Some("ant".into()), class: Some(class.into()), ..Draft::default() };
        profile.draft(None, networks).or(base).check().unwrap()
    }

    #[test]
    fn the_paper_profile_is_the_default_spec() {
        let paper = spec(Profile::Paper, "realizable");
        assert_eq!((paper.rounds, paper.episodes), (20, 25));
        assert_eq!(paper.oracle, Some(OracleSpec::of(paper.task)));
    }

    #[test]
    fn the_quick_profile_reduces_everything() {
        let quick = spec(Profile::Quick, "realizable");
        assert_eq!((quick.rounds, quick.episodes), (8, 3));
        assert_eq!(quick.oracle.unwrap().budget, BudgetSpec::Iterations(500));
        assert_eq!(quick_budget(BudgetSpec::Iterations(2000)), BudgetSpec::Iterations(200));
        assert_eq!(spec(Profile::Quick, "linear").oracle, None);
        assert_eq!(Profile::Quick.seeds(&[3, 4, 5]), [3, 4]);
        for number in [QUICK_SEEDS, QUICK_ROUNDS as usize, QUICK_EPOCHS, QUICK_ITERATIONS] {
            assert!(Profile::QUICK_DESCRIPTION.contains(&format!(" {number} ")), "{number}");
        }
        assert_eq!("paper".parse(), Ok(Profile::Paper));
        assert!("papers".parse::<Profile>().is_err());
    }
}
