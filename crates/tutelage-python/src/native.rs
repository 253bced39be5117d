//! The tasks that ship: learned whole in Rust, without the interpreter's lock.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tutelage::{VectorEnv, dispatch};
use tutelage_lab::spec::{Draft, RunSpec, SpecError};
use tutelage_lab::{Learner, Task, learn_in, learner_of, load_expert, spec_of};
use tutelage_runs::Ending;

use crate::errors::{Mishap, exception};
use crate::policy::{Acting, NativePolicy};
use crate::reporter::Listener;
use crate::trainer::{Learned, Lens, Made};
use tutelage_oracles::mlp::OutputHead;

/// The tasks that ship: name, what it is about, state width, action size, the ends of the box of actions where they are no
/// indices, horizon.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple is what Python unpacks")]
pub(crate) fn tasks()
-> Vec<(&'static str, &'static str, usize, usize, Option<(Vec<f32>, Vec<f32>)>, usize)> {
    let described = |task: Task| {
        let (spaces, horizon) = task.shape();
        let ends = task.bounds().map(|bounds| (bounds.low().to_vec(), bounds.high().to_vec()));
        (task.name(), task.about(), spaces.states, spaces.actions, ends, horizon)
    };
    Task::all().map(described).collect()
}

fn spec(py: Python<'_>, draft: &str) -> PyResult<RunSpec> {
    let draft: Result<Draft, _> = serde_json::from_str(draft);
    let draft = draft.map_err(|error| SpecError::Toml(error.to_string()));
    let spec = draft.and_then(|draft| draft.with_absolute_paths().check());
    spec.map_err(|error| exception(py, &error))
}

/// The complete spec of a draft as TOML, its number of rounds, and a name for its folder.
#[pyfunction]
pub(crate) fn native_spec(py: Python<'_>, draft: &str) -> PyResult<(String, usize, String)> {
    let spec = spec(py, draft)?;
    Ok((spec.to_toml(), spec.rounds, spec.folder()))
}

/// What the folder's run was begun with, as JSON; with this many rounds, where it is to go on to another number of them.
#[pyfunction]
#[pyo3(signature = (dir, rounds))]
pub(crate) fn stored_draft(py: Python<'_>, dir: PathBuf, rounds: Option<i64>) -> PyResult<String> {
    let begun = spec_of(&dir).map_err(|error| exception(py, &error))?;
    let draft = Draft { rounds, ..Draft::default() }.or(Draft::from(&begun));
    serde_json::to_string(&draft).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Learns what a draft says; returns whether the run is finished.
#[pyfunction]
pub(crate) fn learn_native(
    py: Python<'_>,
    draft: &str,
    dir: PathBuf,
    reporter: Py<PyAny>,
) -> PyResult<bool> {
    let spec = spec(py, draft)?;
    let mishap = Mishap::default();
    let mut listener = Listener::new(reporter, mishap.clone());
    let report = py.detach(|| learn_in(&dir, &spec, &mut listener).map(|report| report.ending));
    match report {
        Err(error) => Err(mishap.exception(py, &error)),
        Ok(ending) => mishap.take().map_or(Ok(ending == Ending::Finished), Err),
    }
}

/// The policy of a run of a task that ships, the task's name, and how many numbers a state has as the run's expert sees it.
#[pyfunction]
#[pyo3(signature = (dir, round))]
pub(crate) fn native_policy(
    py: Python<'_>,
    dir: PathBuf,
    round: Option<usize>,
) -> PyResult<(NativePolicy, String, usize)> {
    let spec = spec_of(&dir).map_err(|error| exception(py, &error))?;
    dispatch!(spec.task.actions(), A => read::<A>(py, &dir, &spec, round))
}

fn read<A: OutputHead>(
    py: Python<'_>,
    dir: &std::path::Path,
    spec: &RunSpec,
    round: Option<usize>,
) -> PyResult<(NativePolicy, String, usize)>
where
    Acting: From<Learned<A>>,
{
    let learner = learner_of::<A>(dir, spec, round).map_err(|error| exception(py, &error))?;
    let Learner { envs, policy, .. } = learner;
    let normaliser = match spec.task.robot() {
        None => None,
        Some(_) => {
            let expert = load_expert(&spec.expert, Some(spec.task));
            Some(expert.map_err(|error| exception(py, &error))?.normalizer().clone())
        }
    };
    let (spaces, bounds) = (envs.spaces(), envs.bounds().clone());
    let lens = Lens { columns: None, normaliser };
    let acting = Learned { lens, by: Made::Networks(policy) }.into();
    Ok((NativePolicy::new(acting, spaces.states, bounds), spec.task.to_string(), spaces.states))
}
