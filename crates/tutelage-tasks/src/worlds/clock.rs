//! The step counter of an episode, and the check of discrete actions.

use tutelage::{EnvError, Step};

/// Counts the steps of an episode and truncates it at the horizon.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EpisodeClock {
    /// The steps so far; `None` between episodes.
    steps: Option<usize>,
}

impl EpisodeClock {
    /// Starts an episode.
    pub(crate) fn start(&mut self) {
        self.steps = Some(0);
    }

    /// Returns the steps so far, or an error between episodes.
    pub(crate) fn steps(&self) -> Result<usize, EnvError> {
        self.steps.ok_or(EnvError::NoEpisode)
    }

    /// Counts a step and returns its result; a step at the horizon is truncated.
    pub(crate) fn tick(&mut self, reward: f64, terminated: bool, horizon: usize) -> Step {
        let steps = self.steps.map_or(1, |steps| steps + 1);
        let truncated = !terminated && steps >= horizon;
        self.steps = (!terminated && !truncated).then_some(steps);
        Step { reward, terminated, truncated }
    }
}

/// Returns the index of a discrete action, which must be below `count`.
pub(crate) fn check_index(
    action: &[u32],
    count: u32,
    allowed: &'static str,
) -> Result<u32, EnvError> {
    EnvError::check_width("action", action.len(), 1)?;
    EnvError::check_values("action", action, allowed, |index| index < count)?;
    Ok(action[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_terminate_or_truncate_then_stop() {
        let mut clock = EpisodeClock::default();
        assert!(matches!(clock.steps(), Err(EnvError::NoEpisode)));
        clock.start();
        assert!(!clock.tick(0.5, false, 2).is_last());
        assert_eq!(clock.steps().unwrap(), 1);
        let last = clock.tick(0.5, false, 2);
        assert_eq!(last, Step { reward: 0.5, terminated: false, truncated: true });
        assert!(clock.steps().is_err());
        clock.start();
        clock.tick(0.0, false, 2);
        let last = clock.tick(0.0, true, 2);
        assert_eq!(last, Step { reward: 0.0, terminated: true, truncated: false });
        assert!(clock.steps().is_err());
    }
}
