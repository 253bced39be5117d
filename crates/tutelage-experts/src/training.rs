//! Training an expert for a task, from nothing or from a checkpoint to a file.

use std::path::Path;

use tutelage::Stream;
use tutelage::actor::RolloutError;
use tutelage::choice::ExpertActs;
use tutelage_envs::{Locomotion, Robot};

use crate::trpo::{Iteration, Learner, TrainError, TrpoSettings};
use crate::{Card, FileError, GaussianExpert, TimeFeature, checkpoint};

/// How many episodes a finished expert is judged by: one that falls once in a hundred looks
/// flawless in fewer.
pub const JUDGED_BY: usize = 250;
/// The seed of their randomness.
const JUDGED_SEED: u64 = 1;

/// A training run of an expert.
///
/// Every so many iterations the mean action is tried out in fresh episodes; the expert that comes
/// out is the one whose trial was best, by mean minus standard deviation: it should not only run
/// far but never fall.
pub struct Training {
    pub(crate) task: Robot,
    pub(crate) learner: Learner,
    pub(crate) curve: Vec<Iteration>,
    pub(crate) best: Option<Trial>,
    envs: Vec<Locomotion>,
}

/// An expert that was tried out.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Mean return minus standard deviation.
    pub score: f64,
    /// The expert.
    pub expert: GaussianExpert,
}

/// Why training stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// The learner failed.
    #[error(transparent)]
    Learner(#[from] TrainError),
    /// A trial failed.
    #[error("trial of the mean action: {0}")]
    Trial(#[from] RolloutError),
    /// A checkpoint could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Training {
    /// Begins a run.
    pub fn new(task: Robot, settings: TrpoSettings, seed: u64) -> Result<Self, TrainingError> {
        let widths = (task.state_width(), task.action_width());
        let learner = Learner::new(settings, widths, seed)?;
        Self::with(task, learner, Vec::new(), None)
    }

    /// Goes on from a checkpoint, to the same bits as if the run had never been interrupted.
    pub fn resume(path: &Path) -> Result<Self, TrainingError> {
        let (task, learner, curve, best) = checkpoint::read(path)?;
        Self::with(task, learner, curve, best)
    }

    /// Goes on from the bytes of a checkpoint.
    pub fn from_checkpoint(bytes: &[u8]) -> Result<Self, TrainingError> {
        let (task, learner, curve, best) =
            checkpoint::decode_run(bytes).map_err(|problem| problem.at(Path::new("checkpoint")))?;
        Self::with(task, learner, curve, best)
    }

    /// Stores a checkpoint; it replaces an earlier one whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), TrainingError> {
        Ok(checkpoint::write(self, path)?)
    }

    fn with(
        task: Robot,
        learner: Learner,
        curve: Vec<Iteration>,
        best: Option<Trial>,
    ) -> Result<Self, TrainingError> {
        let envs = (0..learner.settings().lanes()).map(|_| Locomotion::new(task));
        let failed = |e: Box<dyn std::error::Error + Send + Sync>| TrainError::Env(e.into());
        let envs = envs.collect::<Result<_, _>>().map_err(|e| failed(e.into()))?;
        Ok(Self { task, learner, curve, best, envs })
    }

    /// The task.
    pub fn robot(&self) -> Robot {
        self.task
    }

    /// The learner.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// All iterations so far.
    pub fn curve(&self) -> &[Iteration] {
        &self.curve
    }

    /// The best trial so far.
    pub fn best(&self) -> Option<&Trial> {
        self.best.as_ref()
    }

    /// Whether all steps were made.
    pub fn is_done(&self) -> bool {
        self.learner.is_done()
    }

    /// One iteration, and a trial where one is due.
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

    /// The expert as it is now.
    pub fn expert(&self) -> Result<GaussianExpert, TrainingError> {
        let normalizer = self.learner.normalizer().map_err(TrainError::from)?;
        let seed = Some(self.learner.seed());
        let card = Card { seed, steps: Some(self.learner.steps()), ..Card::default() };
        let policy = self.learner.policy().clone();
        Ok(GaussianExpert::new(self.task, policy, normalizer, TimeFeature::Omitted, card))
    }

    /// The expert that comes out, judged: the one whose trial was best, with a card that says how
    /// to train it again.
    pub fn outcome(&self) -> Result<GaussianExpert, TrainingError> {
        let expert = match &self.best {
            Some(trial) => trial.expert.clone(),
            None => self.expert()?,
        };
        let scores = expert.judge(JUDGED_BY, JUDGED_SEED)?;
        let card = Card { command: Some(self.command()), scores, ..expert.card().clone() };
        Ok(expert.with_card(card))
    }

    /// The command that trains the same expert again, also when defaults have changed: it names
    /// every option.
    pub fn command(&self) -> String {
        let options = self.learner.settings().options();
        let options = options.map(|(name, value)| format!(" --{name} {value}")).concat();
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
