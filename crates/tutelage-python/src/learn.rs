//! Durable runs in Python's environments and in built-in tasks.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use tutelage::{Participants, dispatch};
use tutelage_runs::{Ending, run};
use tutelage_spec::learn_in;

use tutelage_oracles::mlp::OutputHead;

use crate::errors::{OrRaise, PyErrorSlot};
use crate::inputs::RunInputs;
use crate::observer::PyObserver;
use crate::oracle::RunOracle;
use crate::person::PersonTeacher;
use crate::python_envs::{PyVectorEnv, action_kind};
use crate::python_expert::PyExpert;
use crate::settings::{CustomSpec, Settings};

/// The parts of a run, a `tutelage._learn.RunParts`.
#[derive(FromPyObject)]
pub(crate) struct RunParts<'py> {
    envs: Bound<'py, PyAny>,
    expert: Bound<'py, PyAny>,
    oracle: Option<Py<PyAny>>,
    oracle_description: String,
    d0: Option<Bound<'py, PyAny>>,
    columns: Option<Vec<usize>>,
    observer: Py<PyAny>,
}

/// Starts or resumes a run; returns whether it is finished.
#[pyfunction]
pub(crate) fn learn(
    py: Python<'_>,
    parts: RunParts<'_>,
    settings: &Settings,
    dir: PathBuf,
) -> PyResult<bool> {
    let kind = action_kind(&parts.envs)?;
    let spec = settings.custom_spec(kind)?;
    dispatch!(kind, A => learn_as::<A>(py, parts, &spec, &dir))
}

fn learn_as<A: OutputHead>(
    py: Python<'_>,
    parts: RunParts<'_>,
    spec: &CustomSpec,
    dir: &Path,
) -> PyResult<bool> {
    let errors = PyErrorSlot::default();
    let mut envs = PyVectorEnv::<A>::new(&parts.envs, errors.clone())?;
    let mut expert = PyExpert::<A>::new(&parts.expert, errors.clone())?;
    let mut oracle = match parts.oracle {
        Some(object) => {
            RunOracle::python(object, parts.oracle_description, &parts.envs, errors.clone())?
        }
        None => {
            let networks = tutelage_spec::oracle::<A>(&spec.class, spec.oracle);
            RunOracle::networks(networks.or_raise()?)
        }
    };
    oracle.view.columns = parts.columns;
    let inputs = RunInputs::<A>::new(spec, parts.d0.as_ref())?;
    let config = spec.config(inputs.get());
    let task: String = parts.envs.getattr("description")?.extract()?;
    let mut run_dir = config.open(dir, &task, &expert, &oracle).or_raise()?;
    if let Some(fingerprint) = expert.fingerprint() {
        run_dir.record_input(fingerprint).or_raise()?;
    }
    let mut observer = PyObserver::new(parts.observer, errors.clone());
    let ending = match PersonTeacher::of(&parts.expert)? {
        Some(person) => {
            person.teach(py, &mut envs, &mut oracle, &config, &mut run_dir, &mut observer)?
        }
        None => py.detach(|| {
            let participants =
                Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
            run(participants, &config, &mut run_dir, &mut observer)
        }),
    };
    errors.finish(py, ending).map(|ending| ending == Ending::Finished)
}

/// Starts or resumes a run of a built-in task; returns whether it is finished.
#[pyfunction]
pub(crate) fn learn_builtin(
    py: Python<'_>,
    settings: &Settings,
    dir: PathBuf,
    observer: Py<PyAny>,
) -> PyResult<bool> {
    let spec = settings.spec()?;
    let errors = PyErrorSlot::default();
    let mut observer = PyObserver::new(observer, errors.clone());
    let ending = py.detach(|| learn_in(&dir, &spec, &mut observer).map(|report| report.ending));
    errors.finish(py, ending).map(|ending| ending == Ending::Finished)
}
