//! What a run does, wherever it takes place.

use std::path::PathBuf;

use tutelage::choice::{Deploy, ExpertActs};
use tutelage::{Algorithm, AlgorithmName, Inputs, Sampling, Schedule, Stream};
use tutelage_runs::{Keep, RunConfig};

use super::{Class, CoverSpec, OracleSpec};

/// All of a checked spec but its task and its expert: what there is to choose where both are somebody's own.
///
/// ```
/// use tutelage_lab::spec::{BudgetSpec, Draft};
/// use tutelage::SpaceKind;
/// use tutelage_lab::Defaults;
///
/// let usual = Defaults {
///     realizable: &[64, 64],
///     nonrealizable: &[4],
///     rounds: [20, 20],
///     states_per_round: 50,
///     stride: 5,
///     budget: BudgetSpec::Iterations(1000),
///     learning_rate: 1e-3,
///     batch: 100,
///     episodes: 20,
///     cover: [-2.0, 2.0],
/// };
/// let choices = Draft::parse("algorithm = 'dagger'\nseed = 3")?.choices(&usual, SpaceKind::Continuous)?;
/// assert_eq!((choices.rounds, choices.seed), (20, 3));
/// # Ok::<(), tutelage_lab::spec::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// The algorithm.
    pub algorithm: AlgorithmName,
    /// The policy class.
    pub class: Class,
    /// N.
    pub rounds: usize,
    /// K.
    pub states_per_round: usize,
    /// How states are taken from trajectories.
    pub sampling: Sampling,
    /// How the expert acts where it drives.
    pub expert_acts: ExpertActs,
    /// d₀, where the algorithm perturbs.
    pub d0: Option<CoverSpec>,
    /// The run whose annotations are trained on, where nobody drives.
    pub data: Option<PathBuf>,
    /// How the oracle trains; least squares has nothing to choose.
    pub oracle: Option<OracleSpec>,
    /// What is returned and evaluated.
    pub deploy: Deploy,
    /// T, the episodes of an evaluation.
    pub episodes: usize,
    /// The source of all randomness.
    pub seed: u64,
    /// Which policies stay on disk.
    pub keep: Keep,
}

impl Choices {
    /// What to do, with what the algorithm needs.
    pub fn job<'a, S, A>(&self, inputs: Inputs<'a, S, A>) -> RunConfig<'a, S, A> {
        let Self { rounds, states_per_round, seed, episodes, keep, .. } = *self;
        let schedule = Schedule { rounds, states_per_round, stream: Stream::new(seed) };
        RunConfig { algorithm: self.algorithm(), schedule, inputs, episodes, keep }
    }

    /// The four choices.
    pub fn algorithm(&self) -> Algorithm {
        let algorithm = self.algorithm.algorithm(self.sampling, self.expert_acts);
        Algorithm { deploy: self.deploy, ..algorithm }
    }
}
