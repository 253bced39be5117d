//! TRPO's loop: play, judge, move.

use tutelage::{Env, EnvError, Stream};
use tutelage_envs::{Normalizer, NormalizerError};
use tutelage_net::{Layout, LayoutError};

use super::gae::advantages;
use super::rollout::{Rollouts, Share, collect};
use super::update::{Samples, update};
use super::value::{ValueFunction, explained_variance};
use super::{Moments, SettingsError, TrpoSettings, TrustRegion};
use crate::GaussianPolicy;

/// A policy under training.
///
/// Everything that [`Learner::iterate`] changes is here and none of it in the environments, so a
/// learner stored between two iterations and restored goes on to the same bits.
#[derive(Clone, Debug)]
pub struct Learner {
    pub(super) settings: TrpoSettings,
    pub(super) seed: u64,
    pub(super) iteration: u64,
    pub(super) steps: u64,
    pub(super) policy: GaussianPolicy,
    pub(super) value: ValueFunction,
    pub(super) moments: Moments,
}

/// What an iteration brought.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Iteration {
    /// Which one, from 1.
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
    /// How much of the returns' variance the value function foresaw.
    pub explained_variance: f64,
}

/// Why training stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A setting is impossible.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A hidden layer has an impossible width.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An environment failed.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// States whose statistics are not finite.
    #[error(transparent)]
    Normalizer(#[from] NormalizerError),
    /// The parameters are no longer finite.
    #[error("iteration {iteration}: the policy's parameters are no longer finite")]
    NotFinite {
        /// The iteration.
        iteration: u64,
    },
}

impl Learner {
    /// An untrained policy for states and actions of these widths.
    pub fn new(
        settings: TrpoSettings,
        widths: (usize, usize),
        seed: u64,
    ) -> Result<Self, TrainError> {
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

    /// A learner whose networks are zero, to be given the state of another: random weights would
    /// take far longer to draw than to replace.
    pub(crate) fn blank(
        settings: TrpoSettings,
        (states, actions): (usize, usize),
        seed: u64,
    ) -> Result<Self, TrainError> {
        settings.check()?;
        let widths = |outputs: usize| {
            std::iter::once(states)
                .chain(settings.hidden.iter().copied())
                .chain([outputs])
                .collect::<Vec<_>>()
        };
        settings.check_size(Layout::new(&widths(actions.max(1)))?.len())?;
        let policy = GaussianPolicy::zero(&widths(actions), settings.initial_log_std)?;
        let value = ValueFunction::zero(&widths(1), settings.value)?;
        let moments = Moments::new(states);
        Ok(Self { settings, seed, iteration: 0, steps: 0, policy, value, moments })
    }

    /// What it was told.
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

    /// Whether all steps were made.
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

    /// One iteration: whole episodes, then a trust-region step of the policy and a fit of the value
    /// function, side by side.
    ///
    /// States are normalized by the statistics of all earlier batches, those of this batch count
    /// from the next one on.
    pub fn iterate<E: Env<State = f32, Action = f32>>(
        &mut self,
        envs: &mut [E],
    ) -> Result<Iteration, TrainError> {
        let region = self.region();
        let stream = Stream::new(self.seed).fork("iteration", self.iteration);
        let steps = self.settings.batch.div_ceil(envs.len().max(1));
        let TrpoSettings { episode, stumble, .. } = self.settings;
        let share = Share { steps, episode, stumble };
        let normalizer = self.moments.normalizer(self.settings.min_state_std)?;
        let rollouts = collect(envs, &self.policy, &normalizer, share, &stream)?;

        let values = self.value.predict(&rollouts.states);
        let (gains, targets) = self.judge(&rollouts, &values);
        let samples = Samples {
            states: rollouts.states,
            actions: rollouts.actions,
            advantages: standardised(&gains),
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
            return Err(TrainError::NotFinite { iteration: self.iteration });
        }
        let count = rollouts.episodes.len() as f64;
        Ok(Iteration {
            iteration: self.iteration,
            steps: self.steps,
            reward: rollouts.episodes.iter().map(|episode| episode.reward).sum::<f64>() / count,
            length: rollouts.episodes.iter().map(|episode| episode.length as f64).sum::<f64>()
                / count,
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

    /// Advantages and the value function's targets V + A, both in the value network's unit (1 − γ).
    fn judge(&self, rollouts: &Rollouts, values: &[f32]) -> (Vec<f32>, Vec<f32>) {
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

/// Shifted and scaled to mean 0 and variance 1.
fn standardised(values: &[f32]) -> Vec<f32> {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|&x| f64::from(x)).sum::<f64>() / count;
    let var = values.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / count;
    let scale = 1.0 / (var.sqrt() + 1e-8);
    values.iter().map(|&x| ((f64::from(x) - mean) * scale) as f32).collect()
}

/// Everything that iterations change, as plain numbers.
pub(crate) struct LearnerState {
    pub(crate) iteration: u64,
    pub(crate) steps: u64,
    pub(crate) adam_steps: u64,
    /// Parameters and optimiser, in single precision.
    pub(crate) vectors: [(&'static str, Vec<f32>); 4],
    /// Moments of the states, in double precision.
    pub(crate) statistics: [(&'static str, Vec<f64>); 3],
}

impl Learner {
    pub(crate) fn state(&self) -> LearnerState {
        let (adam_steps, mean, square) = self.value.adam.state();
        let Moments { count, mean: moments, squares } = &self.moments;
        LearnerState {
            iteration: self.iteration,
            steps: self.steps,
            adam_steps,
            vectors: [
                ("policy", self.policy.flat()),
                ("value", self.value.params.to_vec()),
                ("value.adam.mean", mean.to_vec()),
                ("value.adam.square", square.to_vec()),
            ],
            statistics: [
                ("states.count", vec![*count]),
                ("states.mean", moments.clone()),
                ("states.squares", squares.clone()),
            ],
        }
    }

    /// Puts back a state of a learner with the same settings.
    ///
    /// # Panics
    /// If a length differs.
    pub(crate) fn restore(&mut self, state: LearnerState) {
        let [(_, policy), (_, value), (_, mean), (_, square)] = state.vectors;
        let [(_, count), (_, moments), (_, squares)] = state.statistics;
        (self.iteration, self.steps) = (state.iteration, state.steps);
        self.policy.set_flat(&policy);
        self.value.params.copy_from_slice(&value);
        self.value.adam.restore(state.adam_steps, &mean, &square);
        self.moments = Moments { count: count[0], mean: moments, squares };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use tutelage::{Rng, Spaces, Step};

    /// A point on a line that earns more the nearer it stays to the origin, and stops when it
    /// strays.
    struct Line {
        x: f32,
        time: usize,
    }

    impl Env for Line {
        type State = f32;
        type Action = f32;

        fn spaces(&self) -> Spaces {
            Spaces { states: 2, actions: 1 }
        }

        fn horizon(&self) -> usize {
            50
        }

        fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
            (self.x, self.time) = (rng.random_range(-1.0..1.0), 0);
            state.copy_from_slice(&[self.x, 7.0]);
            Ok(())
        }

        fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
            self.x += 0.2 * action[0].clamp(-1.0, 1.0);
            self.time += 1;
            state.copy_from_slice(&[self.x, 7.0]);
            let terminated = self.x.abs() > 2.0;
            let truncated = !terminated && self.time == self.horizon();
            Ok(Step { reward: 1.0 - f64::from(self.x.abs()), terminated, truncated })
        }
    }

    fn settings() -> TrpoSettings {
        TrpoSettings { steps: 40_000, batch: 1000, hidden: vec![16], ..TrpoSettings::default() }
    }

    fn lines() -> Vec<Line> {
        (0..4).map(|_| Line { x: 0.0, time: 0 }).collect()
    }

    #[test]
    fn learns_to_stay_within_the_trust_region() {
        let mut learner = Learner::new(settings(), (2, 1), 3).unwrap();
        let mut envs = lines();
        let first = learner.iterate(&mut envs).unwrap();
        let mut last = first;
        while !learner.is_done() {
            let bound = learner.region().max_kl;
            last = learner.iterate(&mut envs).unwrap();
            assert!(last.kl <= bound, "{last:?}");
        }
        assert!(first.reward < 25.0 && last.reward > 38.0, "{first:?} {last:?}");
        assert!(last.length == 50.0, "{last:?}");
        let normalizer = learner.normalizer().unwrap();
        assert!((normalizer.mean()[1] - 7.0).abs() < 1e-9 && normalizer.var()[1] < 1e-9);
    }

    #[test]
    fn a_seed_decides_every_bit() {
        let run = |seed| {
            let mut learner = Learner::new(settings(), (2, 1), seed).unwrap();
            let mut envs = lines();
            for _ in 0..3 {
                learner.iterate(&mut envs).unwrap();
            }
            learner.policy().flat()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }
}
