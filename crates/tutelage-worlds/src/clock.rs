//! How long an episode has been under way.

use tutelage::{EnvError, Step};

/// Counts the steps of an episode and cuts it at the horizon.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EpisodeClock {
    /// The steps so far, while an episode is under way.
    steps: Option<usize>,
}

impl EpisodeClock {
    /// An episode begins.
    pub(crate) fn start(&mut self) {
        self.steps = Some(0);
    }

    /// The steps so far.
    pub(crate) fn steps(&self) -> Result<usize, EnvError> {
        self.steps.ok_or(EnvError::NoEpisode)
    }

    /// A step has passed, which ended the episode or did not.
    pub(crate) fn tick(&mut self, reward: f64, terminated: bool, horizon: usize) -> Step {
        let steps = self.steps.map_or(1, |steps| steps + 1);
        let truncated = !terminated && steps >= horizon;
        self.steps = (!terminated && !truncated).then_some(steps);
        Step { reward, terminated, truncated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_either_of_the_two_and_nothing_follows_it() {
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
