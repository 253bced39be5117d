//! How somebody sees a task.

use tutelage::{EnvError, LaneError, SyncVectorEnv, VectorEnv};

use crate::{Clock, Clocked, Herd, Locomotion, Normalised, Normaliser, Task};

/// How somebody sees a task's states: with the time that is left or without it, normalised by statistics of their own.
///
/// ```
/// use tutelage::{Env, Stream};
/// use tutelage_envs::{Clock, Normaliser, Task, View};
///
/// let normaliser = Normaliser::new(vec![0.0; 16], vec![4.0; 16])?;
/// let view = View { clock: Clock::Shown, normaliser };
/// let mut env = Task::Hopper.env(&view)?;
/// let mut state = [0.0; 16];
/// env.reset(Stream::new(1).rng(), &mut state)?;
/// assert!((state[15] - 0.5).abs() < 1e-6, "all time is left: 1, and half of that on this scale");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Whether states end with the share of time that is left.
    pub clock: Clock,
    /// The statistics, of all coordinates that are seen.
    pub normaliser: Normaliser,
}

/// A task as somebody sees it.
pub type ViewedEnv = Normalised<Clocked<Locomotion>>;

impl Task {
    /// The task, seen like this.
    pub fn env(self, view: &View) -> Result<ViewedEnv, EnvError> {
        let env = Locomotion::new(self).map_err(|error| EnvError::Other(error.into()))?;
        let env = Normalised::new(Clocked::new(env, view.clock), view.normaliser.clone());
        env.map_err(|error| EnvError::Other(error.into()))
    }

    /// So many of them, stepped together: to the same bits, and faster.
    pub fn envs(
        self,
        view: &View,
        count: usize,
    ) -> Result<Box<dyn VectorEnv<State = f32, Action = f32>>, LaneError> {
        let failed = |source| LaneError::Env { lane: 0, source };
        if view.clock == Clock::Hidden {
            let herd = Herd::new(self, count)?.normalised(view.normaliser.clone());
            return Ok(Box::new(herd.map_err(|error| failed(EnvError::Other(error.into())))?));
        }
        let envs: Result<Vec<_>, _> = (0..count).map(|_| self.env(view)).collect();
        Ok(Box::new(SyncVectorEnv::new(envs.map_err(failed)?)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage::{Env, Stream};

    fn view(clock: Clock) -> View {
        let width = clock.width(Task::Hopper.state_width());
        View { clock, normaliser: Normaliser::new(vec![0.1; width], vec![0.5; width]).unwrap() }
    }

    #[test]
    fn a_view_shows_normalised_states() {
        let view = view(Clock::Hidden);
        let (mut seen, mut raw) = ([0.0; 15], [0.0; 15]);
        Task::Hopper.env(&view).unwrap().reset(Stream::new(3).rng(), &mut seen).unwrap();
        Locomotion::new(Task::Hopper).unwrap().reset(Stream::new(3).rng(), &mut raw).unwrap();
        view.normaliser.apply(&mut raw);
        assert_eq!(seen, raw);
    }

    #[test]
    fn one_and_several_show_the_same() {
        for clock in [Clock::Hidden, Clock::Shown] {
            let view = view(clock);
            let mut alone = vec![0.0; clock.width(15)];
            Task::Hopper.env(&view).unwrap().reset(Stream::new(3).rng(), &mut alone).unwrap();
            let mut envs = Task::Hopper.envs(&view, 2).unwrap();
            envs.reset(1, Stream::new(3).rng()).unwrap();
            assert_eq!(envs.state(1), alone);
        }
    }

    #[test]
    fn statistics_of_another_width_are_refused() {
        let wrong = View { clock: Clock::Shown, ..view(Clock::Hidden) };
        assert!(Task::Hopper.env(&wrong).is_err() && Task::Hopper.envs(&wrong, 1).is_err());
        let wrong = View { clock: Clock::Hidden, ..view(Clock::Shown) };
        assert!(Task::Hopper.env(&wrong).is_err() && Task::Hopper.envs(&wrong, 1).is_err());
    }
}
