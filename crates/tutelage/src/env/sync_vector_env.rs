//! Environments that are stepped in parallel.

use rayon::prelude::*;

use crate::{Batch, Bounds, Element, Env, EnvError, Rng, Spaces, Step, VectorEnv};

/// Several environments of one task, stepped in parallel.
///
/// Neither the number of lanes nor the number of threads changes a result.
///
/// ```
/// use tutelage::testing::PointMass;
/// use tutelage::{Stream, SyncVectorEnv, VectorEnv};
///
/// let mut envs = SyncVectorEnv::new(vec![PointMass::default(), PointMass::default()])?;
/// envs.reset(0, Stream::new(1).rng())?;
/// envs.reset(1, Stream::new(1).rng())?;
/// assert_eq!(envs.state(0), envs.state(1));
/// # Ok::<(), tutelage::env::LaneError>(())
/// ```
pub struct SyncVectorEnv<E: Env> {
    lanes: Vec<Lane<E>>,
    spaces: Spaces,
    bounds: Bounds,
    horizon: usize,
}

struct Lane<E: Env> {
    env: E,
    state: Vec<E::State>,
    step: Step,
    /// The row of the current batch of actions for this lane.
    row: Option<usize>,
    error: Option<EnvError>,
}

/// Why lanes could not be created or stepped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaneError {
    /// There are no environments.
    #[error("no environment, expected at least 1")]
    Empty,
    /// Two environments have different spaces.
    #[error("environment {lane} has spaces {found:?}, environment 0 has {expected:?}")]
    Unlike {
        /// The environment that differs from environment 0.
        lane: usize,
        /// Its spaces.
        found: Spaces,
        /// The spaces of environment 0.
        expected: Spaces,
    },
    /// The action box does not have the width of the action space.
    #[error("the action box has {found} coordinates, but the action space has {expected}")]
    Bounds {
        /// The number of coordinates of the box.
        found: usize,
        /// The number of coordinates of the action space.
        expected: usize,
    },
    /// An environment failed.
    #[error("environment {lane}")]
    Env {
        /// Which environment.
        lane: usize,
        /// The cause.
        source: EnvError,
    },
    /// A state is outside the state space.
    #[error("environment {lane}: state[{index}] = {value} is outside a state space of size {size}")]
    State {
        /// Which environment.
        lane: usize,
        /// The position in the state.
        index: usize,
        /// The value found.
        value: String,
        /// The size of the state space.
        size: usize,
    },
    /// A reward is not finite.
    #[error("environment {lane}: reward {value} is not finite")]
    Reward {
        /// Which environment.
        lane: usize,
        /// The reward.
        value: f64,
    },
}

/// Checks that vector environments share.
impl LaneError {
    /// Checks each lane and returns the error of the lowest lane that failed.
    ///
    /// All lanes are checked, so that no error is left for the next step.
    pub fn lowest(
        lanes: &[usize],
        mut check: impl FnMut(usize) -> Result<(), Self>,
    ) -> Result<(), Self> {
        let failed = lanes.iter().filter_map(|&lane| Some((lane, check(lane).err()?)));
        failed.min_by_key(|&(lane, _)| lane).map_or(Ok(()), |(_, failure)| Err(failure))
    }

    /// Checks that a lane's reward is finite and its state in a space of this size.
    ///
    /// The last state of an episode is not checked: a simulation that diverged may end in one that is not finite, and no
    /// action or update depends on it.
    pub fn check_step<S: Element>(
        lane: usize,
        step: Step,
        state: &[S],
        size: usize,
    ) -> Result<(), Self> {
        if !step.reward.is_finite() {
            return Err(Self::Reward { lane, value: step.reward });
        }
        if step.is_last() { Ok(()) } else { Self::check_state(lane, state, size) }
    }

    /// Checks that a lane's state is in a space of this size.
    pub fn check_state<S: Element>(lane: usize, state: &[S], size: usize) -> Result<(), Self> {
        match state.iter().position(|value| !value.fits(size)) {
            None => Ok(()),
            Some(index) => Err(Self::State { lane, index, value: state[index].to_string(), size }),
        }
    }
}

impl<E: Env> SyncVectorEnv<E> {
    /// Creates one lane per environment.
    pub fn new(envs: Vec<E>) -> Result<Self, LaneError> {
        let first = envs.first().ok_or(LaneError::Empty)?;
        let (spaces, bounds, horizon) = (first.spaces(), first.bounds(), first.horizon());
        if bounds.width() != E::Action::width(spaces.actions) {
            let (found, expected) = (bounds.width(), E::Action::width(spaces.actions));
            return Err(LaneError::Bounds { found, expected });
        }
        if let Some(lane) = envs.iter().position(|env| env.spaces() != spaces) {
            return Err(LaneError::Unlike { lane, found: envs[lane].spaces(), expected: spaces });
        }
        let state = vec![E::State::default(); E::State::width(spaces.states)];
        let lane =
            |env| Lane { env, state: state.clone(), step: Step::default(), row: None, error: None };
        Ok(Self { lanes: envs.into_iter().map(lane).collect(), spaces, bounds, horizon })
    }

    /// The environment of a lane.
    pub fn env(&self, lane: usize) -> &E {
        &self.lanes[lane].env
    }
}

impl<E: Env> VectorEnv for SyncVectorEnv<E> {
    type State = E::State;
    type Action = E::Action;

    fn count(&self) -> usize {
        self.lanes.len()
    }

    fn spaces(&self) -> Spaces {
        self.spaces
    }

    fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    fn horizon(&self) -> usize {
        self.horizon
    }

    fn reset(&mut self, lane: usize, rng: Rng) -> Result<(), LaneError> {
        let at = &mut self.lanes[lane];
        at.step = Step::default();
        at.env.reset(rng, &mut at.state).map_err(|source| LaneError::Env { lane, source })?;
        LaneError::check_state(lane, &at.state, self.spaces.states)
    }

    fn state(&self, lane: usize) -> &[E::State] {
        &self.lanes[lane].state
    }

    fn step(&mut self, lanes: &[usize], actions: &Batch<E::Action>) -> Result<(), LaneError> {
        if let [lane] = *lanes {
            self.lanes[lane].step(actions.row(0)); // one step is not worth another thread
        } else {
            for (row, &lane) in lanes.iter().enumerate() {
                self.lanes[lane].row = Some(row);
            }
            self.lanes.par_iter_mut().for_each(|lane| {
                if let Some(row) = lane.row.take() {
                    lane.step(actions.row(row));
                }
            });
        }
        let size = self.spaces.states;
        LaneError::lowest(lanes, |lane| self.lanes[lane].check(lane, size))
    }

    fn last_step(&self, lane: usize) -> Step {
        self.lanes[lane].step
    }
}

impl<E: Env> Lane<E> {
    fn step(&mut self, action: &[E::Action]) {
        match self.env.step(action, &mut self.state) {
            Ok(step) => self.step = step,
            Err(error) => self.error = Some(error),
        }
    }

    /// Checks the last step.
    fn check(&mut self, lane: usize, size: usize) -> Result<(), LaneError> {
        if let Some(source) = self.error.take() {
            return Err(LaneError::Env { lane, source });
        }
        LaneError::check_step(lane, self.step, &self.state, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    /// Action 0 steps, 1 fails, 2 returns a reward of NaN.
    struct Obedient;

    impl Env for Obedient {
        type State = f32;
        type Action = u32;

        fn spaces(&self) -> Spaces {
            Spaces { states: 1, actions: 3 }
        }

        fn horizon(&self) -> usize {
            9
        }

        fn reset(&mut self, _: Rng, state: &mut [f32]) -> Result<(), EnvError> {
            state.fill(0.0);
            Ok(())
        }

        fn step(&mut self, action: &[u32], _: &mut [f32]) -> Result<Step, EnvError> {
            match action {
                [0] => Ok(Step::default()),
                [1] => Err(EnvError::NoEpisode),
                _ => Ok(Step { reward: f64::NAN, terminated: true, truncated: false }),
            }
        }
    }

    fn lanes() -> SyncVectorEnv<Obedient> {
        let mut lanes = SyncVectorEnv::new(vec![Obedient, Obedient, Obedient]).unwrap();
        (0..3).for_each(|lane| lanes.reset(lane, Stream::new(1).rng()).unwrap());
        lanes
    }

    fn actions<const N: usize>(actions: [u32; N]) -> Batch<u32> {
        Batch::from_vec(1, actions.into()).unwrap()
    }

    #[test]
    fn the_lowest_failing_lane_is_reported_once() {
        let mut lanes = lanes();
        let error = lanes.step(&[2, 0, 1], &actions([1, 0, 1])).unwrap_err();
        assert!(matches!(error, LaneError::Env { lane: 1, .. }), "{error}");
        lanes.step(&[0, 1, 2], &actions([0, 0, 0])).unwrap();
    }

    #[test]
    fn rewards_that_are_not_finite_are_errors_even_at_the_end() {
        for stepped in [vec![1], vec![0, 1]] {
            let batch = Batch::from_vec(1, stepped.iter().map(|&lane| 2 * lane as u32).collect());
            let error = lanes().step(&stepped, &batch.unwrap()).unwrap_err();
            assert!(matches!(error, LaneError::Reward { lane: 1, .. }), "{error}");
        }
    }
}
