//! The loop of TRPO: play, estimate advantages, update.

use crate::bullet::{Normalizer, NormalizerError};
use tutelage::evaluation::Evaluation;
use tutelage::{Env, Stream};
use tutelage_net::Layout;

use super::gae::advantages;
use super::moments::Moments;
use super::rollout::{Rollouts, Share, collect};
use super::update::{Samples, update};
use super::value::{ValueFunction, explained_variance, mean_and_variance};
use super::{TrpoSettings, TrustRegion};
use crate::experts::GaussianPolicy;
use crate::experts::TrainingError;
use crate::experts::files::{Array, Arrays, ContentError};

/// A policy under training.
///
/// It holds everything that [`TrpoLearner::iterate`] changes, so a learner that is stored between two
/// iterations resumes and produces bit-identical results.
#[derive(Clone, Debug)]
pub struct TrpoLearner {
    pub(super) settings: TrpoSettings,
    pub(super) seed: u64,
    pub(super) iteration: u64,
    pub(super) steps: u64,
    pub(super) policy: GaussianPolicy,
    pub(super) value: ValueFunction,
    pub(super) moments: Moments,
}

/// The results of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Iteration {
    /// Its number, from 1.
    pub iteration: u64,
    /// Environment steps so far.
    pub steps: u64,
    /// Mean return of the batch's episodes, noise included.
    pub reward: f64,
    /// Their mean length.
    pub length: f64,
    /// Mean KL divergence of the update.
    pub kl: f64,
    /// Entropy of the policy after it.
    pub entropy: f64,
    /// The share of the returns' variance that the value function explains.
    pub explained_variance: f64,
}

impl TrpoLearner {
    /// Creates an untrained policy for states and actions of these widths.
    pub fn new(
        settings: TrpoSettings,
        widths: (usize, usize),
        seed: u64,
    ) -> Result<Self, TrainingError> {
        let mut learner = Self::blank(settings, widths, seed)?;
        let init = Stream::new(seed).fork("init", 0);
        let TrpoSettings { initial_log_std, value, .. } = learner.settings;
        learner.policy = GaussianPolicy::random(
            learner.policy.network().layout().widths(),
            initial_log_std,
            &mut init.fork("policy", 0).rng(),
        )?;
        learner.value = ValueFunction::random(
            learner.value.network.layout().widths(),
            value,
            &mut init.fork("value", 0).rng(),
        )?;
        Ok(learner)
    }

    /// Creates a learner whose networks are zero, for [`TrpoLearner::restore`]. Drawing random weights
    /// would take far longer than replacing them.
    pub(crate) fn blank(
        settings: TrpoSettings,
        (states, actions): (usize, usize),
        seed: u64,
    ) -> Result<Self, TrainingError> {
        settings.check()?;
        let widths = |outputs| settings.widths(states, outputs);
        settings.check_size(Layout::new(&widths(actions.max(1)))?.len())?;
        let policy = GaussianPolicy::zero(&widths(actions), settings.initial_log_std)?;
        let value = ValueFunction::zero(&widths(1), settings.value)?;
        let moments = Moments::new(states);
        Ok(Self { settings, seed, iteration: 0, steps: 0, policy, value, moments })
    }

    /// The settings.
    pub fn settings(&self) -> &TrpoSettings {
        &self.settings
    }

    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Environment steps so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Whether training is complete.
    pub fn is_done(&self) -> bool {
        self.steps >= self.settings.steps
    }

    /// The policy, which acts on normalized states.
    pub fn policy(&self) -> &GaussianPolicy {
        &self.policy
    }

    /// The statistics that states are normalized by.
    pub fn normalizer(&self) -> Result<Normalizer, NormalizerError> {
        self.moments.normalizer(self.settings.min_state_std)
    }

    /// Runs an iteration: whole episodes, then a trust-region step of the policy and, in parallel, a
    /// fit of the value function.
    ///
    /// States are normalized by the statistics of all earlier batches.
    pub fn iterate<E: Env<State = f32, Action = f32>>(
        &mut self,
        envs: &mut [E],
    ) -> Result<Iteration, TrainingError> {
        let region = self.region();
        let stream = Stream::new(self.seed).fork("iteration", self.iteration);
        let steps = self.settings.batch.div_ceil(envs.len().max(1));
        let TrpoSettings { episode, stumble, .. } = self.settings;
        let share = Share { steps, episode, stumble };
        let normalizer = self.moments.normalizer(self.settings.min_state_std)?;
        let rollouts = collect(envs, &self.policy, &normalizer, share, &stream)?;

        let values = self.value.predict(&rollouts.states);
        let (gains, targets) = self.estimate(&rollouts, &values);
        let samples = Samples {
            states: rollouts.states,
            actions: rollouts.actions,
            advantages: standardized(&gains),
        };
        let (policy, value) = (&mut self.policy, &mut self.value);
        let mut shuffle = stream.fork("shuffle", 0).rng();
        let (made, ()) = rayon::join(
            || update(policy, &samples, &region),
            || value.fit(&samples.states, &targets, &mut shuffle),
        );

        self.moments.merge(&rollouts.moments);
        self.iteration += 1;
        self.steps += samples.advantages.len() as u64;
        if !self.policy.flat().iter().chain(&*self.value.params).all(|p| p.is_finite()) {
            return Err(TrainingError::NotFinite { iteration: self.iteration });
        }
        let evaluation = Evaluation { episodes: rollouts.episodes };
        Ok(Iteration {
            iteration: self.iteration,
            steps: self.steps,
            reward: evaluation.mean_reward(),
            length: evaluation.mean_length(),
            kl: made.kl,
            entropy: self.policy.entropy(),
            explained_variance: explained_variance(&values, &targets),
        })
    }

    /// The trust region of this iteration.
    fn region(&self) -> TrustRegion {
        let TrpoSettings { region, final_kl_share, steps, .. } = &self.settings;
        let done = (self.steps as f64 / *steps as f64).min(1.0);
        TrustRegion { max_kl: region.max_kl * (1.0 - done * (1.0 - final_kl_share)), ..*region }
    }

    /// Advantages and targets V + A of the value function, both in the value network's unit (1 − γ).
    fn estimate(&self, rollouts: &Rollouts, values: &[f32]) -> (Vec<f32>, Vec<f32>) {
        let TrpoSettings { gamma, lambda, .. } = self.settings;
        let rewards: Vec<f32> = rollouts.rewards.iter().map(|r| (1.0 - gamma) * r).collect();
        let after_cut = self.value.predict(&rollouts.cut_states);
        let mut gains = vec![0.0; values.len()];
        let mut first = 0;
        for piece in &rollouts.pieces {
            let rows = first..first + piece.length;
            let last = piece.cut.map_or(0.0, |row| after_cut[row]);
            let gains = &mut gains[rows.clone()];
            advantages(&rewards[rows.clone()], &values[rows], last, (gamma, lambda), gains);
            first += piece.length;
        }
        let targets = values.iter().zip(&gains).map(|(v, a)| v + a).collect();
        (gains, targets)
    }
}

/// Shifts and scales to mean 0 and variance 1.
fn standardized(values: &[f32]) -> Vec<f32> {
    let (mean, var) = mean_and_variance(values.iter().map(|&x| f64::from(x)));
    let scale = 1.0 / (var.sqrt() + 1e-8);
    values.iter().map(|&x| ((f64::from(x) - mean) * scale) as f32).collect()
}

impl TrpoLearner {
    /// All numbers that iterations change, besides counts.
    pub(crate) fn arrays(&self) -> Arrays {
        let single = |values: &[f32]| Array::single(&[values.len()], values);
        let double = |values: &[f64]| Array::double(&[values.len()], values);
        let (_, mean, square) = self.value.adam.state();
        let arrays = [
            ("policy", single(&self.policy.flat())),
            ("value", single(&self.value.params)),
            ("value.adam.mean", single(mean)),
            ("value.adam.square", single(square)),
            ("states.count", double(&[self.moments.count])),
            ("states.mean", double(&self.moments.mean)),
            ("states.squares", double(&self.moments.squares)),
        ];
        Arrays(arrays.into_iter().map(|(name, array)| (name.to_owned(), array)).collect())
    }

    /// The iterations, the environment steps, and the steps of Adam.
    pub(crate) fn counts(&self) -> [u64; 3] {
        [self.iteration, self.steps, self.value.adam.state().0]
    }

    /// Restores a state of a learner with the same settings from arrays of the same shapes as
    /// [`TrpoLearner::arrays`].
    pub(crate) fn restore(
        &mut self,
        [iteration, steps, adam_steps]: [u64; 3],
        arrays: &Arrays,
    ) -> Result<(), ContentError> {
        let single = |name: &str| Ok::<_, ContentError>(arrays.get(name)?.to_f32());
        let double = |name: &str| Ok::<_, ContentError>(arrays.get(name)?.values.clone());
        (self.iteration, self.steps) = (iteration, steps);
        self.policy.set_flat(&single("policy")?);
        self.value.params.copy_from_slice(&single("value")?);
        let (mean, square) = (single("value.adam.mean")?, single("value.adam.square")?);
        self.value.adam.restore(adam_steps, &mean, &square);
        let (mean, squares) = (double("states.mean")?, double("states.squares")?);
        self.moments = Moments { count: double("states.count")?[0], mean, squares };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::testing::PointMass;

    fn learner(seed: u64) -> (TrpoLearner, [PointMass; 4]) {
        let (hidden, more) = (vec![16], TrpoSettings::default());
        let settings = TrpoSettings { steps: 40_000, batch: 1000, hidden, ..more };
        (TrpoLearner::new(settings, (2, 1), seed).unwrap(), Default::default())
    }

    #[test]
    fn learner_improves_within_the_trust_region() {
        let (mut learner, mut envs) = learner(3);
        let first = learner.iterate(&mut envs).unwrap();
        let mut last = first;
        while !learner.is_done() {
            let bound = learner.region().max_kl;
            last = learner.iterate(&mut envs).unwrap();
            assert!(last.kl <= bound, "{last:?}");
        }
        assert!(first.reward < 30.0 && last.reward > 38.0, "{first:?} {last:?}");
        assert!(last.length == 60.0, "{last:?}");
    }

    #[test]
    fn results_depend_only_on_the_seed() {
        let run = |seed| {
            let (mut learner, mut envs) = learner(seed);
            for _ in 0..3 {
                learner.iterate(&mut envs).unwrap();
            }
            learner.policy().flat()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
