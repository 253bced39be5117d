//! Tasks that ship, as Python plays in them: states as the task has them, which nobody has normalised.

use std::path::Path;

use pyo3::prelude::*;
use tutelage_envs::LocomotionVecEnv;
use tutelage_lab::spec::Draft;
use tutelage_lab::{BoxEnvs, BoxExpert, LabError, Task, UnknownTask};

use crate::errors::{self, raise};
use tutelage_oracles::mlp::OutputHead;

/// The task that somebody's environments are of, where it is one that ships, and how many there are to be.
pub(crate) fn shipped(worlds: &Bound<'_, PyAny>) -> PyResult<Option<(Task, usize)>> {
    let Some(name) = worlds.getattr_opt("shipped")? else { return Ok(None) };
    let (py, name): (_, String) = (worlds.py(), name.extract()?);
    let unknown = |error: UnknownTask| raise(py, errors::Kind::Spec, error.to_string(), None);
    let task: Task = name.parse().map_err(unknown)?;
    Ok(Some((task, worlds.getattr("count")?.extract()?)))
}

/// Environments of a task whose actions are vectors.
pub(crate) fn vector_envs(task: Task, count: usize) -> Result<BoxEnvs<f32>, LabError> {
    match task.robot() {
        None => Ok(world(task, count)?.0),
        Some(robot) => Ok(Box::new(
            LocomotionVecEnv::new(robot, count).map_err(tutelage_lab::CastError::from)?,
        )),
    }
}

/// Environments of a task whose actions are indices.
pub(crate) fn index_envs(task: Task, count: usize) -> Result<BoxEnvs<u32>, LabError> {
    Ok(world(task, count)?.0)
}

/// A world: environments, and the rule that it is taught by.
pub(crate) fn world<A: OutputHead>(
    task: Task,
    count: usize,
) -> Result<(BoxEnvs<A>, BoxExpert<A>), LabError> {
    let draft = Draft { task: Some(task.name().into()), ..Draft::default() };
    let mut spec = draft.check()?;
    spec.episodes = count;
    let (envs, expert, _) = tutelage_lab::teachers::<A>(&spec, Path::new("."))?;
    Ok((envs, expert))
}
