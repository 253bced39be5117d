//! Gymnasium environments as a [`VectorEnv`].

use std::marker::PhantomData;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rand::Rng as _;
use tutelage::env::LaneError;
use tutelage::{Batch, Bounds, EnvError, Rng, SpaceKind, Spaces, Step, VectorEnv};

use tutelage_oracles::mlp::OutputHead;

use crate::arrays::to_array;
use crate::errors::{OrRaise, PyErrorSlot};

/// The kind of actions of an object that describes spaces.
pub(crate) fn action_kind(object: &Bound<'_, PyAny>) -> PyResult<SpaceKind> {
    let discrete = object.getattr("discrete")?.extract()?;
    Ok(if discrete { SpaceKind::Discrete } else { SpaceKind::Continuous })
}

/// The spaces of a task, from a Python object that describes them.
pub(crate) struct EnvSpaces {
    pub(crate) spaces: Spaces,
    pub(crate) bounds: Bounds,
}

impl EnvSpaces {
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bounds =
            Bounds::new(object.getattr("low")?.extract()?, object.getattr("high")?.extract()?);
        let states = object.getattr("state_width")?.extract()?;
        Ok(Self {
            spaces: Spaces { states, actions: object.getattr("action_size")?.extract()? },
            bounds: bounds.or_raise()?,
        })
    }
}

/// A `tutelage._envs.EnvBatch`: environments that reset one by one and step in one call.
pub(crate) struct PyVectorEnv<A> {
    object: Py<PyAny>,
    spaces: EnvSpaces,
    horizon: usize,
    states: Batch<f32>,
    steps: Vec<Step>,
    errors: PyErrorSlot,
    action: PhantomData<fn() -> A>,
}

/// The states, the rewards and, for each lane, 1 if it terminated plus 2 if it was truncated.
type Outcome<'py> =
    (PyReadonlyArray2<'py, f32>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, u8>);

impl<A: OutputHead> PyVectorEnv<A> {
    pub(crate) fn new(object: &Bound<'_, PyAny>, errors: PyErrorSlot) -> PyResult<Self> {
        let spaces = EnvSpaces::of(object)?;
        let count = object.getattr("count")?.extract()?;
        Ok(Self {
            object: object.clone().unbind(),
            horizon: object.getattr("horizon")?.extract()?,
            states: Batch::zeros(count, spaces.spaces.states),
            steps: vec![Step::default(); count],
            spaces,
            errors,
            action: PhantomData,
        })
    }

    fn call_reset(&mut self, py: Python<'_>, lane: usize, seed: u32) -> PyResult<()> {
        let state = self.object.bind(py).call_method1("reset", (lane, seed))?;
        let state: PyReadonlyArray1<'_, f32> = state.extract()?;
        self.states.row_mut(lane).copy_from_slice(state.as_slice()?);
        Ok(())
    }

    fn call_step(&mut self, py: Python<'_>, lanes: &[usize], actions: &Batch<A>) -> PyResult<()> {
        let actions = to_array(py, actions)?;
        let outcome = self.object.bind(py).call_method1("step", (lanes.to_vec(), actions))?;
        let (states, rewards, ends): Outcome<'_> = outcome.extract()?;
        let (states, rewards, ends) = (states.as_slice()?, rewards.as_slice()?, ends.as_slice()?);
        let width = self.states.width();
        for (row, &lane) in lanes.iter().enumerate() {
            self.states.row_mut(lane).copy_from_slice(&states[row * width..][..width]);
            let (terminated, truncated) = (ends[row] & 1 != 0, ends[row] & 2 != 0);
            self.steps[lane] = Step { reward: rewards[row], terminated, truncated };
        }
        Ok(())
    }

    /// An exception as an error of the lane that it names, by default of `lane`.
    fn failed(&self, py: Python<'_>, lane: usize, error: PyErr) -> LaneError {
        let lane = error.value(py).getattr("lane").and_then(|lane| lane.extract()).unwrap_or(lane);
        LaneError::Env { lane, source: EnvError::Other(self.errors.keep(py, error).into()) }
    }
}

impl<A: OutputHead> VectorEnv for PyVectorEnv<A> {
    type State = f32;
    type Action = A;

    fn count(&self) -> usize {
        self.steps.len()
    }

    fn spaces(&self) -> Spaces {
        self.spaces.spaces
    }

    fn bounds(&self) -> &Bounds {
        &self.spaces.bounds
    }

    fn horizon(&self) -> usize {
        self.horizon
    }

    fn reset(&mut self, lane: usize, mut rng: Rng) -> Result<(), LaneError> {
        self.steps[lane] = Step::default();
        let seed = rng.next_u32();
        Python::attach(|py| {
            self.call_reset(py, lane, seed).map_err(|error| self.failed(py, lane, error))
        })?;
        LaneError::check_state(lane, self.states.row(lane), self.states.width())
    }

    fn state(&self, lane: usize) -> &[f32] {
        self.states.row(lane)
    }

    fn step(&mut self, lanes: &[usize], actions: &Batch<A>) -> Result<(), LaneError> {
        let lowest = lanes.iter().copied().min().unwrap_or(0);
        Python::attach(|py| {
            self.call_step(py, lanes, actions).map_err(|error| self.failed(py, lowest, error))
        })?;
        LaneError::lowest(lanes, |lane| {
            let state = self.states.row(lane);
            LaneError::check_step(lane, self.steps[lane], state, state.len())
        })
    }

    fn last_step(&self, lane: usize) -> Step {
        self.steps[lane]
    }
}
