//! Environments that step together.

use rayon::prelude::*;

use crate::{Batch, Element, Env, EnvError, Rng, Spaces, Step};

/// Several environments of one task, stepped together over all threads.
///
/// Each lane is at its own place in its own episode. What happens in a lane depends on that lane's generator and actions
/// alone, so neither the number of lanes nor the number of threads changes a result.
pub struct Lanes<E: Env> {
    lanes: Vec<Lane<E>>,
    spaces: Spaces,
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
}

impl<E: Env> Lanes<E> {
    /// Lanes over these environments, all of one task.
    pub fn new(envs: Vec<E>) -> Result<Self, LaneError> {
        let first = envs.first().ok_or(LaneError::Empty)?;
        let (spaces, horizon) = (first.spaces(), first.horizon());
        if let Some(lane) = envs.iter().position(|env| env.spaces() != spaces) {
            return Err(LaneError::Unlike { lane, found: envs[lane].spaces(), expected: spaces });
        }
        let state = vec![E::State::default(); E::State::width(spaces.states)];
        let lane =
            |env| Lane { env, state: state.clone(), step: Step::default(), row: None, error: None };
        Ok(Self { lanes: envs.into_iter().map(lane).collect(), spaces, horizon })
    }

    /// How many lanes there are (at least one).
    pub fn count(&self) -> usize {
        self.lanes.len()
    }

    /// The sizes of the task's spaces.
    pub fn spaces(&self) -> Spaces {
        self.spaces
    }

    /// The task's time limit H.
    pub fn horizon(&self) -> usize {
        self.horizon
    }

    /// The environment of a lane.
    pub fn env(&self, lane: usize) -> &E {
        &self.lanes[lane].env
    }

    /// The state that a lane is in.
    pub fn state(&self, lane: usize) -> &[E::State] {
        &self.lanes[lane].state
    }

    /// Begins an episode in one lane.
    pub fn reset(&mut self, lane: usize, rng: Rng) -> Result<(), LaneError> {
        let at = &mut self.lanes[lane];
        at.step = Step::default();
        at.env.reset(rng, &mut at.state).map_err(|source| LaneError::Env { lane, source })?;
        check_state(lane, &at.state, self.spaces.states)
    }

    /// Collects the states of some lanes, a row each.
    pub fn gather(&self, lanes: &[usize], states: &mut Batch<E::State>) {
        states.resize(lanes.len());
        for (row, &lane) in lanes.iter().enumerate() {
            states.row_mut(row).copy_from_slice(&self.lanes[lane].state);
        }
    }

    /// Steps some lanes: row `i` of `actions` is for `lanes[i]`. The lowest lane that fails is reported.
    pub fn step(&mut self, lanes: &[usize], actions: &Batch<E::Action>) -> Result<(), LaneError> {
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
        for &lane in lanes {
            if let Some(source) = self.lanes[lane].error.take() {
                return Err(LaneError::Env { lane, source });
            }
            // Nobody acts on or learns from a last state: a simulation that blew up may end in one that is not finite.
            if !self.lanes[lane].step.is_last() {
                check_state(lane, &self.lanes[lane].state, self.spaces.states)?;
            }
        }
        Ok(())
    }

    /// What the last step of a lane brought.
    pub fn last_step(&self, lane: usize) -> Step {
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
}

fn check_state<S: Element>(lane: usize, state: &[S], size: usize) -> Result<(), LaneError> {
    match state.iter().position(|value| !value.fits(size)) {
        None => Ok(()),
        Some(index) => Err(LaneError::State { lane, index, value: state[index].to_string(), size }),
    }
}
