//! The Bullet tasks for Gymnasium environments.

use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tutelage::{Batch, Step, VectorEnv};
use tutelage_draw::render::Renderer;
use tutelage_spec::{Task, load_expert};
use tutelage_tasks::bullet::{LocomotionVecEnv, Robot};

use crate::arrays::{from_array, to_array};
use crate::errors::OrRaise;

/// Robots of one task, stepped together.
#[pyclass]
pub(crate) struct RobotVecEnv {
    /// Several Python threads may hold the object.
    envs: Mutex<LocomotionVecEnv>,
    /// The widths of states and actions.
    #[pyo3(get)]
    widths: (usize, usize),
}

/// States, rewards, terminated and truncated, a row for each stepped robot.
type Stepped<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
);

#[pymethods]
impl RobotVecEnv {
    /// `normalized` states are normalized with the statistics of the task's expert.
    #[new]
    fn new(task: &str, count: usize, normalized: bool) -> PyResult<Self> {
        let robot: Robot = task.parse().or_raise()?;
        let mut envs = LocomotionVecEnv::new(robot, count).or_raise()?;
        if normalized {
            let expert = load_expert(robot.name(), Some(Task::of_robot(robot))).or_raise()?;
            envs = envs.normalized(expert.normalizer().clone()).or_raise()?;
        }
        let widths = (envs.spaces().states, envs.spaces().actions);
        Ok(Self { envs: Mutex::new(envs), widths })
    }

    /// Starts episodes of these robots, at rest with the joints in the given poses; returns their states.
    fn reset_to<'py>(
        &mut self,
        py: Python<'py>,
        lanes: Vec<usize>,
        poses: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let envs = self.envs.get_mut().unwrap_or_else(PoisonError::into_inner);
        check_lanes(envs, &lanes, poses.as_array().nrows())?;
        for (&lane, pose) in lanes.iter().zip(poses.as_array().rows()) {
            envs.reset_to(lane, &pose.to_vec()).or_raise()?;
        }
        states(py, envs, &lanes)
    }

    /// Steps these robots, each with its row's action.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        lanes: Vec<usize>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Stepped<'py>> {
        let actions: Batch<f32> = from_array(actions)?;
        let envs = self.envs.get_mut().unwrap_or_else(PoisonError::into_inner);
        check_lanes(envs, &lanes, actions.len())?;
        py.detach(|| envs.step(&lanes, &actions)).or_raise()?;
        let steps: Vec<Step> = lanes.iter().map(|&lane| envs.last_step(lane)).collect();
        Ok((
            states(py, envs, &lanes)?,
            PyArray1::from_iter(py, steps.iter().map(|step| step.reward)),
            PyArray1::from_iter(py, steps.iter().map(|step| step.terminated)),
            PyArray1::from_iter(py, steps.iter().map(|step| step.truncated)),
        ))
    }

    /// An image of one robot, `[height, width, 3]`.
    fn render<'py>(
        &self,
        py: Python<'py>,
        lane: usize,
        width: usize,
        height: usize,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let envs = self.envs.lock().unwrap_or_else(PoisonError::into_inner);
        check_lanes(&envs, &[lane], 1)?;
        let frame = Renderer::new(width, height)
            .and_then(|renderer| renderer.draw(&envs.render(lane)))
            .or_raise()?;
        PyArray1::from_slice(py, frame.rgb()).reshape([height, width, 3])
    }
}

/// Checks that every lane exists and has a row.
fn check_lanes(envs: &LocomotionVecEnv, lanes: &[usize], rows: usize) -> PyResult<()> {
    if lanes.len() == rows && lanes.iter().all(|&lane| lane < envs.count()) {
        return Ok(());
    }
    let message = format!("{rows} rows for the lanes {lanes:?} of {}", envs.count());
    Err(PyValueError::new_err(message))
}

fn states<'py>(
    py: Python<'py>,
    envs: &LocomotionVecEnv,
    lanes: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let mut states = Batch::new(envs.spaces().states);
    lanes.iter().for_each(|&lane| states.push(envs.state(lane)));
    to_array(py, &states)
}
