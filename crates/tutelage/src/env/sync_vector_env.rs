//! Environments that step together.

use rayon::prelude::*;

use crate::{Batch, Bounds, Element, Env, EnvError, Rng, Spaces, Step, VectorEnv};

/// Several environments of one task, stepped together over all threads.
///
/// Each lane is at its own place in its own episode. What happens in a lane depends on that lane's generator and actions
/// alone, so neither the number of lanes nor the number of threads changes a result.
///
/// ```
/// # use tutelage::{algorithm::*, check::*, env::*, evaluation::*, expert::*, lesson::*, oracle::*, policy::*, space::*, *};
/// # struct Line { x: f32, t: usize }
/// # impl Env for Line {
/// #     type State = f32;
/// #     type Action = f32;
/// #     fn spaces(&self) -> Spaces { Spaces { states: 1, actions: 1 } }
/// #     fn horizon(&self) -> usize { 50 }
/// #     fn reset(&mut self, _: Rng, state: &mut [f32]) -> Result<(), EnvError> {
/// #         (self.x, self.t) = (1.0, 0);
/// #         state[0] = self.x;
/// #         Ok(())
/// #     }
/// #     fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
/// #         (self.x, self.t) = (self.x + 0.1 * action[0], self.t + 1);
/// #         state[0] = self.x;
/// #         Ok(Step { reward: -f64::from(self.x.abs()), terminated: false, truncated: self.t == 50 })
/// #     }
/// # }
/// // Two points on a line, one of them pushed.
/// let mut lanes = SyncVectorEnv::new(vec![Line { x: 0.0, t: 0 }, Line { x: 0.0, t: 0 }])?;
/// (0..2).try_for_each(|lane| lanes.reset(lane, Stream::new(1).rng()))?;
/// lanes.step(&[1], &Batch::from_vec(1, vec![-1.0])?)?;
/// assert_eq!((lanes.state(0)[0], lanes.state(1)[0]), (1.0, 0.9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
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
    /// The row of the current batch of actions that is meant for this lane.
    row: Option<usize>,
    error: Option<EnvError>,
}

/// Why a set of lanes could not be made or stepped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaneError {
    /// There is no environment to step.
    #[error("no environment: at least 1 is needed")]
    Empty,
    /// Two environments are not of the same task.
    #[error("environment {lane} has spaces {found:?}, environment 0 has {expected:?}")]
    Unlike {
        /// The environment that differs.
        lane: usize,
        /// Its spaces.
        found: Spaces,
        /// The spaces of environment 0.
        expected: Spaces,
    },
    /// The box of actions has another number of coordinates than the action space.
    #[error("the environment's action box has {found} coordinates, its action space {expected}")]
    Bounds {
        /// The coordinates of the box.
        found: usize,
        /// Those of the action space.
        expected: usize,
    },
    /// An environment failed.
    #[error("environment {lane}: {source}")]
    Env {
        /// Which one.
        lane: usize,
        /// How.
        source: EnvError,
    },
    /// An environment wrote a state that is not in its space.
    #[error(
        "environment {lane} wrote state[{index}] = {value}, which is not in a state space of size {size}"
    )]
    State {
        /// Which environment.
        lane: usize,
        /// The place in the state.
        index: usize,
        /// What stood there.
        value: String,
        /// The size of the state space.
        size: usize,
    },
    /// An environment gave a reward that is not finite.
    #[error("environment {lane} gave reward {value}, which is not finite")]
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
    /// Lanes over these environments, all of one task.
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
            self.lanes[lane].step(actions.row(0)); // not worth another thread
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

    /// Whether the last step went well.
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

    /// Does as its action says: 0 goes on, 1 fails, 2 gives a reward that is no number.
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
    fn the_lowest_lane_that_fails_is_reported_and_none_leaves_an_error_behind() {
        let mut lanes = lanes();
        let error = lanes.step(&[2, 0, 1], &actions([1, 0, 1])).unwrap_err();
        assert!(matches!(error, LaneError::Env { lane: 1, .. }), "{error}");
        lanes.step(&[0, 1, 2], &actions([0, 0, 0])).unwrap();
    }

    #[test]
    fn a_reward_that_is_no_number_is_named_also_at_an_episodes_end() {
        for stepped in [vec![1], vec![0, 1]] {
            let batch = Batch::from_vec(1, stepped.iter().map(|&lane| 2 * lane as u32).collect());
            let error = lanes().step(&stepped, &batch.unwrap()).unwrap_err();
            assert_eq!(error.to_string(), "environment 1 gave reward NaN, which is not finite");
        }
    }
}
