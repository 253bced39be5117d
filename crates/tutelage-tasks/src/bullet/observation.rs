//! Observations of a task: states with or without the time, normalized.

use tutelage::env::LaneError;
use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step, SyncVectorEnv, VectorEnv};
use tutelage_draw::render::{Drawing, Render};

use crate::bullet::{Locomotion, LocomotionVecEnv, Normalizer, NormalizerError, Robot};

/// Whether states end with the share of time that is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeFeature {
    /// They do not.
    #[default]
    Omitted,
    /// They do: 1 − t/H after t of H steps.
    Included,
}

impl TimeFeature {
    /// Returns the width of an observation of states of this width.
    pub fn width(self, states: usize) -> usize {
        states + usize::from(self == TimeFeature::Included)
    }
}

/// How an expert observes states.
///
/// ```
/// use tutelage::{Env, Stream};
/// use tutelage_tasks::bullet::{Normalizer, ObservationConfig, Robot, TimeFeature};
///
/// let normalizer = Normalizer::new(vec![0.0; 16], vec![4.0; 16])?;
/// let config = ObservationConfig { time_feature: TimeFeature::Included, normalizer };
/// let mut env = Robot::Hopper.env(&config)?;
/// let mut state = [0.0; 16];
/// env.reset(Stream::new(1).rng(), &mut state)?;
/// assert!((state[15] - 0.5).abs() < 1e-6, "all time is left: 1, divided by a deviation of 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationConfig {
    /// Whether states end with the share of time that is left.
    pub time_feature: TimeFeature,
    /// The statistics, including those of the time.
    pub normalizer: Normalizer,
}

/// An environment whose states are observations.
#[derive(Clone, Debug)]
pub struct ObservedEnv<E = Locomotion> {
    env: E,
    config: ObservationConfig,
    time: usize,
}

impl<E: Env<State = f32>> ObservedEnv<E> {
    /// Wraps an environment; the statistics must have the width of an observation.
    pub fn new(env: E, config: ObservationConfig) -> Result<Self, NormalizerError> {
        let width = config.time_feature.width(env.spaces().states);
        config.normalizer.check(width)?;
        Ok(Self { env, config, time: 0 })
    }

    /// Returns the environment inside.
    pub fn env(&self) -> &E {
        &self.env
    }

    /// Runs `play` on the environment's part of an observation, then completes the observation.
    fn observe<T>(
        &mut self,
        state: &mut [f32],
        play: impl FnOnce(&mut E, &mut [f32]) -> Result<T, EnvError>,
    ) -> Result<T, EnvError> {
        let result = match state.split_last_mut() {
            Some((left, state)) if self.config.time_feature == TimeFeature::Included => {
                *left = 1.0 - self.time as f32 / self.env.horizon() as f32;
                play(&mut self.env, state)?
            }
            _ => play(&mut self.env, state)?,
        };
        self.config.normalizer.apply(state);
        Ok(result)
    }
}

impl<E: Env<State = f32>> Env for ObservedEnv<E> {
    type State = f32;
    type Action = E::Action;

    fn spaces(&self) -> Spaces {
        let Spaces { states, actions } = self.env.spaces();
        Spaces { states: self.config.time_feature.width(states), actions }
    }

    fn horizon(&self) -> usize {
        self.env.horizon()
    }

    fn bounds(&self) -> Bounds {
        self.env.bounds()
    }

    fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        self.time = 0;
        self.observe(state, |env, state| env.reset(rng, state))
    }

    fn step(&mut self, action: &[E::Action], state: &mut [f32]) -> Result<Step, EnvError> {
        self.time += 1;
        self.observe(state, |env, state| env.step(action, state))
    }
}

impl<E: Render> Render for ObservedEnv<E> {
    fn render(&self) -> Drawing {
        self.env.render()
    }
}

impl Robot {
    /// Creates the task with these observations.
    pub fn env(self, config: &ObservationConfig) -> Result<ObservedEnv, EnvError> {
        let env = Locomotion::new(self).map_err(|error| EnvError::Other(error.into()))?;
        ObservedEnv::new(env, config.clone()).map_err(|error| EnvError::Other(error.into()))
    }

    /// Creates several environments that step together: to the same bits, and faster.
    pub fn envs(
        self,
        config: &ObservationConfig,
        count: usize,
    ) -> Result<Box<dyn VectorEnv<State = f32, Action = f32> + Send>, LaneError> {
        let failed = |source| LaneError::Env { lane: 0, source };
        if config.time_feature == TimeFeature::Omitted {
            let envs = LocomotionVecEnv::new(self, count)?.normalized(config.normalizer.clone());
            return Ok(Box::new(envs.map_err(|error| failed(EnvError::Other(error.into())))?));
        }
        let envs: Result<Vec<_>, _> = (0..count).map(|_| self.env(config)).collect();
        Ok(Box::new(SyncVectorEnv::new(envs.map_err(failed)?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bullet::HORIZON;
    use tutelage::Stream;

    fn config(time_feature: TimeFeature) -> ObservationConfig {
        let width = time_feature.width(Robot::Hopper.state_width());
        let normalizer = Normalizer::new(vec![0.1; width], vec![0.5; width]).unwrap();
        ObservationConfig { time_feature, normalizer }
    }

    #[test]
    fn observations_are_normalized_states_and_the_time_left() {
        for time_feature in [TimeFeature::Omitted, TimeFeature::Included] {
            let config = config(time_feature);
            let mut plain = Locomotion::new(Robot::Hopper).unwrap();
            let mut observed = Robot::Hopper.env(&config).unwrap();
            let width = time_feature.width(15);
            assert_eq!(observed.spaces().states, width);
            let (mut state, mut observation) = ([0.0; 15], vec![0.0; width]);
            for _ in 0..2 {
                plain.reset(Stream::new(3).rng(), &mut state).unwrap();
                observed.reset(Stream::new(3).rng(), &mut observation).unwrap();
                for t in 0..4 {
                    let mut expected = state.to_vec();
                    expected.push(1.0 - t as f32 / HORIZON as f32);
                    expected.truncate(width);
                    config.normalizer.apply(&mut expected);
                    assert_eq!(observation, expected);
                    let action = [0.1, -0.2, 0.3];
                    assert_eq!(
                        plain.step(&action, &mut state).unwrap(),
                        observed.step(&action, &mut observation).unwrap()
                    );
                }
            }
        }
    }

    #[test]
    fn vector_environments_have_the_same_observations() {
        for time_feature in [TimeFeature::Omitted, TimeFeature::Included] {
            let config = config(time_feature);
            let mut alone = vec![0.0; time_feature.width(15)];
            Robot::Hopper.env(&config).unwrap().reset(Stream::new(3).rng(), &mut alone).unwrap();
            let mut envs = Robot::Hopper.envs(&config, 2).unwrap();
            envs.reset(1, Stream::new(3).rng()).unwrap();
            assert_eq!(envs.state(1), alone);
        }
    }

    #[test]
    fn statistics_of_another_width_are_rejected() {
        use TimeFeature::{Included, Omitted};
        for (time_feature, other) in [(Included, Omitted), (Omitted, Included)] {
            let wrong = ObservationConfig { time_feature, ..config(other) };
            assert!(Robot::Hopper.env(&wrong).is_err() && Robot::Hopper.envs(&wrong, 1).is_err());
        }
    }
}
