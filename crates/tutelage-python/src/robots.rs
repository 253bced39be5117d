//! The Bullet tasks, for Gymnasium's environments.

use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tutelage::{Batch, Env, Step, VectorEnv};
use tutelage_draw::render::Renderer;
use tutelage_envs::{Locomotion, Normalizer, Snapshot};
use tutelage_lab::{Task as LabTask, load_expert, robot_frame};

use crate::arrays::{matrix, rows};
use crate::errors::exception;

/// One robot that can be drawn.
#[pyclass]
pub(crate) struct Robot {
    /// Two threads of Python's may hold the object.
    env: Mutex<Locomotion>,
    task: tutelage_envs::Robot,
    normaliser: Option<Normalizer>,
    state: Vec<f32>,
}

/// A state, a reward, whether the episode terminated, whether it was truncated.
type Stepped<'py> = (Bound<'py, PyArray1<f32>>, f64, bool, bool);

#[pymethods]
impl Robot {
    #[new]
    fn new(py: Python<'_>, task: &str, normalised: bool) -> PyResult<Self> {
        let task = parse(py, task)?;
        let env = Locomotion::new(task).map_err(|error| env_error(py, error))?;
        let normaliser = normalised.then(|| normaliser(py, task)).transpose()?;
        Ok(Self { env: Mutex::new(env), task, normaliser, state: vec![0.0; task.state_width()] })
    }

    /// The widths of states and actions.
    #[getter]
    fn widths(&self) -> (usize, usize) {
        (self.task.state_width(), self.task.action_width())
    }

    /// Begins an episode at rest with the joints at this pose.
    fn reset_to<'py>(
        &mut self,
        py: Python<'py>,
        pose: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let env = self.env.get_mut().unwrap_or_else(PoisonError::into_inner);
        let begun = env.reset_to(pose.as_slice()?, &mut self.state);
        begun.map_err(|error| exception(py, &error))?;
        Ok(self.seen(py))
    }

    fn step<'py>(
        &mut self,
        py: Python<'py>,
        action: PyReadonlyArray1<'py, f32>,
    ) -> PyResult<Stepped<'py>> {
        let env = self.env.get_mut().unwrap_or_else(PoisonError::into_inner);
        let step = env.step(action.as_slice()?, &mut self.state);
        let Step { reward, terminated, truncated } = step.map_err(|error| exception(py, &error))?;
        Ok((self.seen(py), reward, terminated, truncated))
    }

    /// A picture, `[height, width, 3]`.
    fn render<'py>(
        &self,
        py: Python<'py>,
        width: usize,
        height: usize,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let env = self.env.lock().unwrap_or_else(PoisonError::into_inner);
        picture(py, width, height, &env.snapshot())
    }
}

impl Robot {
    /// The state as the observer sees it, in an array of its own.
    fn seen<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let mut state = self.state.clone();
        if let Some(normaliser) = &self.normaliser {
            normaliser.apply(&mut state);
        }
        PyArray1::from_vec(py, state)
    }
}

/// Many robots of one task, stepped several at once.
#[pyclass]
pub(crate) struct Herd {
    /// Two threads of Python's may hold the object.
    herd: Mutex<tutelage_envs::LocomotionVecEnv>,
    widths: (usize, usize),
}

/// States, rewards, terminated, truncated, a row for every lane stepped.
type HerdStepped<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
);

#[pymethods]
impl Herd {
    #[new]
    fn new(py: Python<'_>, task: &str, count: usize, normalised: bool) -> PyResult<Self> {
        let task = parse(py, task)?;
        let herd = tutelage_envs::LocomotionVecEnv::new(task, count)
            .map_err(|error| exception(py, &error))?;
        let herd = match normalised {
            false => herd,
            true => {
                let herd = herd.normalized(normaliser(py, task)?);
                herd.map_err(|error| exception(py, &error))?
            }
        };
        let widths = (herd.spaces().states, herd.spaces().actions);
        Ok(Self { herd: Mutex::new(herd), widths })
    }

    /// The widths of states and actions.
    #[getter]
    fn widths(&self) -> (usize, usize) {
        self.widths
    }

    /// Begins episodes in these lanes, each at rest with the joints at its row's pose; returns their states.
    fn reset_to<'py>(
        &mut self,
        py: Python<'py>,
        lanes: Vec<usize>,
        poses: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let herd = self.herd.get_mut().unwrap_or_else(PoisonError::into_inner);
        check_lanes(herd, &lanes, poses.as_array().nrows())?;
        for (&lane, pose) in lanes.iter().zip(poses.as_array().rows()) {
            herd.reset_to(lane, &pose.to_vec()).map_err(|error| exception(py, &error))?;
        }
        states(py, herd, &lanes)
    }

    /// Steps these lanes, each with its row's action.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        lanes: Vec<usize>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<HerdStepped<'py>> {
        let actions: Batch<f32> = rows(actions)?;
        let herd = self.herd.get_mut().unwrap_or_else(PoisonError::into_inner);
        check_lanes(herd, &lanes, actions.len())?;
        let stepped = py.detach(|| herd.step(&lanes, &actions));
        stepped.map_err(|error| exception(py, &error))?;
        let steps: Vec<Step> = lanes.iter().map(|&lane| herd.last_step(lane)).collect();
        Ok((
            states(py, herd, &lanes)?,
            PyArray1::from_iter(py, steps.iter().map(|step| step.reward)),
            PyArray1::from_iter(py, steps.iter().map(|step| step.terminated)),
            PyArray1::from_iter(py, steps.iter().map(|step| step.truncated)),
        ))
    }

    /// A picture of one lane, `[height, width, 3]`.
    fn render<'py>(
        &self,
        py: Python<'py>,
        lane: usize,
        width: usize,
        height: usize,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let herd = self.herd.lock().unwrap_or_else(PoisonError::into_inner);
        check_lanes(&herd, &[lane], 1)?;
        picture(py, width, height, &herd.snapshot(lane))
    }
}

fn picture<'py>(
    py: Python<'py>,
    width: usize,
    height: usize,
    robot: &Snapshot,
) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let frame = Renderer::new(width, height).and_then(|renderer| robot_frame(&renderer, robot));
    let frame = frame.map_err(|error| exception(py, &error))?;
    PyArray1::from_slice(py, frame.rgb()).reshape([height, width, 3])
}

/// Whether every lane is there, with a row of its own.
fn check_lanes(
    herd: &tutelage_envs::LocomotionVecEnv,
    lanes: &[usize],
    rows: usize,
) -> PyResult<()> {
    if lanes.len() == rows && lanes.iter().all(|&lane| lane < herd.count()) {
        return Ok(());
    }
    let words = format!("{rows} rows for lanes {lanes:?} of {}", herd.count());
    Err(PyValueError::new_err(words))
}

fn states<'py>(
    py: Python<'py>,
    herd: &tutelage_envs::LocomotionVecEnv,
    lanes: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let width = herd.spaces().states;
    let mut states = Vec::with_capacity(lanes.len() * width);
    lanes.iter().for_each(|&lane| states.extend_from_slice(herd.state(lane)));
    matrix(py, &states, width)
}

fn parse(py: Python<'_>, task: &str) -> PyResult<tutelage_envs::Robot> {
    task.parse().map_err(|error: tutelage_envs::UnknownRobot| exception(py, &error))
}

fn env_error<E>(py: Python<'_>, error: E) -> PyErr
where
    E: std::error::Error + Send + Sync + 'static,
{
    exception(py, &tutelage::EnvError::Other(error.into()))
}

/// The statistics of the task's shipped expert.
fn normaliser(py: Python<'_>, task: tutelage_envs::Robot) -> PyResult<Normalizer> {
    let expert = load_expert(task.name(), Some(LabTask::of_robot(task)));
    Ok(expert.map_err(|error| exception(py, &error))?.normalizer().clone())
}
