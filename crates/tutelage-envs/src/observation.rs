//! How somebody sees a task.

use tutelage::env::LaneError;
use tutelage::{EnvError, SyncVectorEnv, VectorEnv};

use crate::{Locomotion, LocomotionVecEnv, Normalized, Normalizer, Robot, TimeAware, TimeFeature};

/// How somebody sees a task's states: with the time that is left or without it, normalized by
/// statistics of their own.
///
/// ```
/// use tutelage::{Env, Stream};
/// use tutelage_envs::{TimeFeature, Normalizer, Robot, ObservationConfig};
///
/// let normalizer = Normalizer::new(vec![0.0; 16], vec![4.0; 16])?;
/// let config = ObservationConfig { time_feature: TimeFeature::Included, normalizer };
/// let mut env = Robot::Hopper.env(&config)?;
/// let mut state = [0.0; 16];
/// env.reset(Stream::new(1).rng(), &mut state)?;
/// assert!((state[15] - 0.5).abs() < 1e-6, "all time is left: 1, and half of that on this scale");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationConfig {
    /// Whether states end with the share of time that is left.
    pub time_feature: TimeFeature,
    /// The statistics, of all coordinates that are seen.
    pub normalizer: Normalizer,
}

/// A task as somebody sees it.
pub type ObservedEnv = Normalized<TimeAware<Locomotion>>;

impl Robot {
    /// The task, seen like this.
    pub fn env(self, config: &ObservationConfig) -> Result<ObservedEnv, EnvError> {
        let env = Locomotion::new(self).map_err(|error| EnvError::Other(error.into()))?;
        let env =
            Normalized::new(TimeAware::new(env, config.time_feature), config.normalizer.clone());
        env.map_err(|error| EnvError::Other(error.into()))
    }

    /// So many of them, stepped together: to the same bits, and faster.
    pub fn envs(
        self,
        config: &ObservationConfig,
        count: usize,
    ) -> Result<Box<dyn VectorEnv<State = f32, Action = f32>>, LaneError> {
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
    use tutelage::{Env, Stream};

    fn config(time_feature: TimeFeature) -> ObservationConfig {
        let width = time_feature.width(Robot::Hopper.state_width());
        ObservationConfig {
            time_feature,
            normalizer: Normalizer::new(vec![0.1; width], vec![0.5; width]).unwrap(),
        }
    }

    #[test]
    fn a_view_shows_normalised_states() {
        let config = config(TimeFeature::Omitted);
        let (mut seen, mut raw) = ([0.0; 15], [0.0; 15]);
        Robot::Hopper.env(&config).unwrap().reset(Stream::new(3).rng(), &mut seen).unwrap();
        Locomotion::new(Robot::Hopper).unwrap().reset(Stream::new(3).rng(), &mut raw).unwrap();
        config.normalizer.apply(&mut raw);
        assert_eq!(seen, raw);
    }

    #[test]
    fn one_and_several_show_the_same() {
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
    fn statistics_of_another_width_are_refused() {
        let wrong = ObservationConfig {
            time_feature: TimeFeature::Included,
            ..config(TimeFeature::Omitted)
        };
        assert!(Robot::Hopper.env(&wrong).is_err() && Robot::Hopper.envs(&wrong, 1).is_err());
        let wrong = ObservationConfig {
            time_feature: TimeFeature::Omitted,
            ..config(TimeFeature::Included)
        };
        assert!(Robot::Hopper.env(&wrong).is_err() && Robot::Hopper.envs(&wrong, 1).is_err());
    }
}
