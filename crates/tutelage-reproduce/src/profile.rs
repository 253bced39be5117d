//! Profiles: the paper's settings, or smaller ones.

use std::fmt;
use std::str::FromStr;

use tutelage_runs::Keep;
use tutelage_spec::spec::{EvaluationInput, OracleInput, SpecInput, TrainingBudget};

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
const QUICK_ROUNDS: usize = 8;
/// Episodes per evaluation.
const QUICK_EPISODES: usize = 3;
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
    pub fn input(self, budget: Option<TrainingBudget>, trains_networks: bool) -> SpecInput {
        let mut input = SpecInput { keep: Some(Keep::Last), ..SpecInput::default() };
        if self == Self::Quick {
            input.rounds = Some(QUICK_ROUNDS);
            input.evaluation = EvaluationInput { episodes: Some(QUICK_EPISODES) };
        }
        if trains_networks {
            input.oracle = match self {
                Self::Paper => OracleInput { budget, ..OracleInput::default() },
                Self::Quick => OracleInput {
                    budget: Some(quick_budget(budget.unwrap_or(TrainingBudget::Epochs(2000)))),
                    learning_rate: Some(QUICK_LEARNING_RATE),
                    ..OracleInput::default()
                },
            };
        }
        input
    }
}

fn quick_budget(budget: TrainingBudget) -> TrainingBudget {
    let steps = match budget {
        TrainingBudget::Epochs(count) => count / QUICK_EPOCHS,
        TrainingBudget::Iterations(count) => count / QUICK_ITERATIONS,
    };
    TrainingBudget::Iterations(steps.max(1))
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
    use tutelage_spec::spec::RunSpec;

    fn spec(profile: Profile, class: &str) -> tutelage_spec::spec::RunSpec {
        let networks = class != "linear";
        let base = SpecInput::parse(&format!("task = 'ant'\nclass = '{class}'")).unwrap();
        profile.input(None, networks).or(base).complete().unwrap()
    }

    #[test]
    fn the_paper_profile_is_the_default_spec() {
        let paper = spec(Profile::Paper, "realizable");
        assert_eq!((paper.rounds, paper.evaluation.episodes), (20, 25));
        assert_eq!(paper.oracle, RunSpec::of(paper.task).unwrap().oracle);
    }

    #[test]
    fn the_quick_profile_reduces_everything() {
        let quick = spec(Profile::Quick, "realizable");
        assert_eq!((quick.rounds, quick.evaluation.episodes), (8, 3));
        assert_eq!(quick.oracle.unwrap().budget, TrainingBudget::Iterations(500));
        assert_eq!(quick_budget(TrainingBudget::Iterations(2000)), TrainingBudget::Iterations(200));
        assert_eq!(spec(Profile::Quick, "linear").oracle, None);
        assert_eq!(Profile::Quick.seeds(&[3, 4, 5]), [3, 4]);
        for number in [QUICK_SEEDS, QUICK_ROUNDS, QUICK_EPOCHS, QUICK_ITERATIONS] {
            assert!(Profile::QUICK_DESCRIPTION.contains(&format!(" {number} ")), "{number}");
        }
        assert_eq!("paper".parse(), Ok(Profile::Paper));
        assert!("papers".parse::<Profile>().is_err());
    }
}
