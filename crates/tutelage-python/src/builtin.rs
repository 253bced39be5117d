//! Built-in tasks as Python evaluates them, with states that are not normalized.

use std::path::Path;

use pyo3::prelude::*;
use tutelage_oracles::mlp::OutputHead;
use tutelage_spec::spec::RunSpec;
use tutelage_spec::{BoxEnvs, BoxExpert, LabError, PartsError, Task, same_type};
use tutelage_tasks::bullet::LocomotionVecEnv;

use crate::errors::OrRaise;

/// The name, state width, action size and action bounds (unless discrete) of a task, and whether it is a robot.
type TaskInfo = (&'static str, usize, usize, Option<(Vec<f32>, Vec<f32>)>, bool);

/// The built-in tasks.
#[pyfunction]
pub(crate) fn tasks() -> Vec<TaskInfo> {
    let info = |task: Task| {
        let spaces = task.shape().0;
        let bounds = task.bounds().map(|bounds| (bounds.low().to_vec(), bounds.high().to_vec()));
        (task.name(), spaces.states, spaces.actions, bounds, task.robot().is_some())
    };
    Task::all().map(info).collect()
}

/// The built-in task of an environment object and the number of its environments, if it has one.
pub(crate) fn builtin_task(envs: &Bound<'_, PyAny>) -> PyResult<Option<(Task, usize)>> {
    let Some(name) = envs.getattr_opt("builtin")? else { return Ok(None) };
    let task = name.extract::<String>()?.parse().or_raise()?;
    Ok(Some((task, envs.getattr("count")?.extract()?)))
}

/// Environments of a task, with states that are not normalized.
pub(crate) fn builtin_envs<A: OutputHead>(
    task: Task,
    count: usize,
) -> Result<BoxEnvs<A>, LabError> {
    let Some(robot) = task.robot() else { return Ok(small_world(task, count)?.0) };
    let envs: BoxEnvs<f32> =
        Box::new(LocomotionVecEnv::new(robot, count).map_err(PartsError::from)?);
    // Robots have continuous actions, so this fails only for another `A`.
    same_type(envs).ok_or(PartsError::NoRobot(task).into())
}

/// The environments and the scripted expert of a task that is not a robot.
pub(crate) fn small_world<A: OutputHead>(
    task: Task,
    count: usize,
) -> Result<(BoxEnvs<A>, BoxExpert<A>), LabError> {
    let mut spec = RunSpec::of(task)?;
    spec.evaluation.episodes = count;
    let (envs, expert, _) = tutelage_spec::teachers::<A>(&spec, Path::new("."))?;
    Ok((envs, expert))
}
