//! Training of an expert for a task.

use std::path::Path;

use crate::bullet::{Locomotion, NormalizerError, Robot};
use tutelage::actor::RolloutError;
use tutelage::choice::ExpertActs;
use tutelage::{EnvError, Stream};
use tutelage_net::LayoutError;

use crate::experts::checkpoint::{self, Stored};
use crate::experts::trpo::{
    Iteration, OPTIONS, SettingsError, TrpoLearner, TrpoOption, TrpoSettings,
};
use crate::experts::{Card, FileError, GaussianExpert, TimeFeature};

/// The number of episodes that a finished expert is evaluated on. With fewer, an expert that falls
/// once in a hundred episodes would look flawless.
pub const JUDGED_BY: usize = 250;
/// The seed of these episodes.
const JUDGED_SEED: u64 = 1;

/// A training run of an expert.
///
/// Regular trials evaluate the mean action in new episodes. The result is the expert with the best
/// mean minus standard deviation: it should run far and never fall.
pub struct Training {
    pub(crate) task: Robot,
    pub(crate) learner: TrpoLearner,
    pub(crate) curve: Vec<Iteration>,
    pub(crate) best: Option<Trial>,
    envs: Vec<Locomotion>,
}

/// A trial of an expert.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Mean return minus standard deviation.
    pub score: f64,
    /// The expert.
    pub expert: GaussianExpert,
}

/// Training failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// A setting is invalid.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The width of a hidden layer is invalid.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An environment failed.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The statistics of the states are not finite.
    #[error(transparent)]
    Normalizer(#[from] NormalizerError),
    /// The parameters are no longer finite.
    #[error("iteration {iteration}: the policy's parameters are no longer finite")]
    NotFinite {
        /// The iteration.
        iteration: u64,
    },
    /// A trial failed.
    #[error("a trial of the mean action failed")]
    Trial(#[from] RolloutError),
    /// A checkpoint cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Training {
    /// Starts a run.
    pub fn new(task: Robot, settings: TrpoSettings, seed: u64) -> Result<Self, TrainingError> {
        let widths = (task.state_width(), task.action_width());
        let learner = TrpoLearner::new(settings, widths, seed)?;
        Self::with((task, learner, Vec::new(), None))
    }

    /// Resumes from a checkpoint; the result is bit-identical to an uninterrupted run.
    pub fn resume(path: &Path) -> Result<Self, TrainingError> {
        Self::with(checkpoint::read(path)?)
    }

    /// Resumes from the bytes of a checkpoint.
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Self, TrainingError> {
        let stored = checkpoint::decode_run(bytes);
        Self::with(stored.map_err(|error| error.at(Path::new("checkpoint")))?)
    }

    /// Writes a checkpoint atomically.
    pub fn save(&self, path: &Path) -> Result<(), TrainingError> {
        Ok(checkpoint::write(self, path)?)
    }

    fn with((task, learner, curve, best): Stored) -> Result<Self, TrainingError> {
        let envs = (0..learner.settings().lanes()).map(|_| Locomotion::new(task));
        let envs = envs.collect::<Result<_, _>>().map_err(|e| EnvError::Other(e.into()))?;
        Ok(Self { task, learner, curve, best, envs })
    }

    /// The task.
    pub fn robot(&self) -> Robot {
        self.task
    }

    /// The learner.
    pub fn learner(&self) -> &TrpoLearner {
        &self.learner
    }

    /// The iterations so far.
    pub fn curve(&self) -> &[Iteration] {
        &self.curve
    }

    /// The best trial so far.
    pub fn best(&self) -> Option<&Trial> {
        self.best.as_ref()
    }

    /// Whether training is complete.
    pub fn is_done(&self) -> bool {
        self.learner.is_done()
    }

    /// Runs an iteration, and a trial if one is due.
    pub fn advance(&mut self) -> Result<Iteration, TrainingError> {
        let iteration = self.learner.iterate(&mut self.envs)?;
        self.curve.push(iteration);
        if iteration.iteration.is_multiple_of(self.learner.settings().trial_every) || self.is_done()
        {
            let trial = self.try_out(iteration.iteration)?;
            if self.best.as_ref().is_none_or(|best| trial.score > best.score) {
                self.best = Some(trial);
            }
        }
        Ok(iteration)
    }

    /// The current expert.
    pub fn expert(&self) -> Result<GaussianExpert, TrainingError> {
        let normalizer = self.learner.normalizer()?;
        let seed = Some(self.learner.seed());
        let card = Card { seed, steps: Some(self.learner.steps()), ..Card::default() };
        let policy = self.learner.policy().clone();
        Ok(GaussianExpert::new(self.task, policy, normalizer, TimeFeature::Omitted, card))
    }

    /// The expert with the best trial, evaluated, with a card that has the command to train it
    /// again.
    pub fn outcome(&self) -> Result<GaussianExpert, TrainingError> {
        let expert = match &self.best {
            Some(trial) => trial.expert.clone(),
            None => self.expert()?,
        };
        let scores = expert.judge(JUDGED_BY, JUDGED_SEED)?;
        let card = Card { command: Some(self.command()), scores, ..expert.card().clone() };
        Ok(expert.with_card(card))
    }

    /// The command that trains the same expert again. It names every option, so that it does not
    /// depend on defaults.
    pub fn command(&self) -> String {
        let settings = self.learner.settings();
        let option = |option: &TrpoOption| format!(" --{} {}", option.name, (option.get)(settings));
        let options: String = OPTIONS.iter().map(option).collect();
        format!("tutelage expert train {} --seed {}{options}", self.task, self.learner.seed())
    }

    fn try_out(&self, iteration: u64) -> Result<Trial, TrainingError> {
        let expert = self.expert()?;
        let stream = Stream::new(self.learner.seed()).fork("trial", iteration);
        let episodes = self.learner.settings().trial_episodes;
        let evaluation = expert.evaluate(ExpertActs::Mean, episodes, &stream)?;
        Ok(Trial { score: evaluation.mean_reward() - evaluation.sd_reward(), expert })
    }
}
