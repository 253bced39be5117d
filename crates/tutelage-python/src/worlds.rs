//! Gymnasium environments as the core sees them.

use std::marker::PhantomData;

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand::Rng as _;
use tutelage::env::LaneError;
use tutelage::space::Element;
use tutelage::{Batch, Bounds, EnvError, Rng, Spaces, Step, VectorEnv};

use crate::arrays::to_array;
use crate::errors::Mishap;
use tutelage_oracles::mlp::OutputHead;

/// A `tutelage._worlds.Worlds`: several environments that are reset one by one and stepped in one call.
pub(crate) struct Worlds<A> {
    object: Py<PyAny>,
    spaces: Spaces,
    bounds: Bounds,
    horizon: usize,
    states: Batch<f32>,
    steps: Vec<Step>,
    mishap: Mishap,
    action: PhantomData<fn() -> A>,
}

/// What a step of some lanes brought: states, rewards, and for each 1 where it terminated plus 2 where it was truncated.
type Outcome<'py> =
    (PyReadonlyArray2<'py, f32>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, u8>);

/// What actions of an environment are: how many, and their box.
pub(crate) fn action_space(object: &Bound<'_, PyAny>) -> PyResult<(usize, Bounds)> {
    let size: usize = object.getattr("action_size")?.extract()?;
    let low: Vec<f32> = object.getattr("low")?.extract()?;
    let high: Vec<f32> = object.getattr("high")?.extract()?;
    let bounds = Bounds::new(low, high);
    Ok((size, bounds.map_err(|error| PyValueError::new_err(error.to_string()))?))
}

impl<A: OutputHead> Worlds<A> {
    pub(crate) fn new(object: &Bound<'_, PyAny>, mishap: Mishap) -> PyResult<Self> {
        let (actions, bounds) = action_space(object)?;
        let (count, states) =
            (object.getattr("count")?.extract()?, object.getattr("state_width")?.extract()?);
        Ok(Self {
            object: object.clone().unbind(),
            spaces: Spaces { states, actions },
            bounds,
            horizon: object.getattr("horizon")?.extract()?,
            states: Batch::zeros(count, states),
            steps: vec![Step::default(); count],
            mishap,
            action: PhantomData,
        })
    }

    fn begin(&mut self, py: Python<'_>, lane: usize, seed: u32) -> PyResult<()> {
        let state = self.object.bind(py).call_method1("reset", (lane, seed))?;
        let state: PyReadonlyArray1<'_, f32> = state.extract()?;
        self.states.row_mut(lane).copy_from_slice(state.as_slice()?);
        Ok(())
    }

    fn advance(&mut self, py: Python<'_>, lanes: &[usize], actions: &Batch<A>) -> PyResult<()> {
        let actions = to_array(py, actions.as_slice(), actions.width())?;
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

    /// An exception as the core's error; the object says which lane it was, if it was one alone.
    fn failed(&self, py: Python<'_>, lane: usize, error: PyErr) -> LaneError {
        let lane = error.value(py).getattr("lane").and_then(|lane| lane.extract()).unwrap_or(lane);
        let words = self.mishap.keep(py, error);
        LaneError::Env { lane, source: EnvError::Other(words.into()) }
    }

    /// Whether a step went well: a last state may be anything, since nobody acts on it or learns from it.
    fn check(&self, lane: usize) -> Result<(), LaneError> {
        let Step { reward, .. } = self.steps[lane];
        if !reward.is_finite() {
            return Err(LaneError::Reward { lane, value: reward });
        }
        if self.steps[lane].is_last() { Ok(()) } else { self.check_state(lane) }
    }

    fn check_state(&self, lane: usize) -> Result<(), LaneError> {
        let (state, size) = (self.states.row(lane), self.spaces.states);
        match state.iter().position(|value| !value.fits(size)) {
            None => Ok(()),
            Some(index) => {
                Err(LaneError::State { lane, index, value: state[index].to_string(), size })
            }
        }
    }
}

impl<A: OutputHead> VectorEnv for Worlds<A> {
    type State = f32;
    type Action = A;

    fn count(&self) -> usize {
        self.steps.len()
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

    fn reset(&mut self, lane: usize, mut rng: Rng) -> Result<(), LaneError> {
        self.steps[lane] = Step::default();
        let seed = rng.next_u32();
        Python::attach(|py| {
            self.begin(py, lane, seed).map_err(|error| self.failed(py, lane, error))
        })?;
        self.check_state(lane)
    }

    fn state(&self, lane: usize) -> &[f32] {
        self.states.row(lane)
    }

    fn step(&mut self, lanes: &[usize], actions: &Batch<A>) -> Result<(), LaneError> {
        let lowest = lanes.iter().copied().min().unwrap_or(0);
        Python::attach(|py| {
            self.advance(py, lanes, actions).map_err(|error| self.failed(py, lowest, error))
        })?;
        let failed = lanes.iter().filter_map(|&lane| Some((lane, self.check(lane).err()?)));
        failed.min_by_key(|&(lane, _)| lane).map_or(Ok(()), |(_, failure)| Err(failure))
    }

    fn last_step(&self, lane: usize) -> Step {
        self.steps[lane]
    }
}
