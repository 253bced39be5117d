//! Learning in Python's environments: a durable run, from wherever its folder says it is.

use std::path::PathBuf;

use pyo3::prelude::*;
use tutelage::algorithm::DEFAULT_ALGORITHM;
use tutelage::{Participants, SpaceKind, dispatch};
use tutelage_lab::Defaults;
use tutelage_lab::spec::{BudgetSpec, Choices, Draft, SpecError};
use tutelage_runs::{Ending, run};

use crate::errors::{Mishap, exception};
use crate::material::Supplies;
use crate::person::{School, Seat};
use crate::python_oracle::PythonOracle;
use crate::reporter::Listener;
use crate::teacher::Teacher;
use crate::trainer::{By, Lens, Trainer};
use crate::worlds::{Worlds, action_space};
use tutelage_oracles::mlp::OutputHead;

/// How environments that we know nothing about are usually learned.
pub(crate) const USUAL: Defaults = Defaults {
    realizable: &[64, 64],
    nonrealizable: &[8],
    rounds: [20, 20],
    states_per_round: 50,
    stride: 5,
    budget: BudgetSpec::Iterations(1000),
    learning_rate: 3e-3,
    batch: 100,
    episodes: 20,
    cover: [-2.0, 2.0],
};

/// The choices of a draft, which comes as JSON, in an environment whose actions are of this kind.
pub(crate) fn choices(py: Python<'_>, draft: &str, actions: SpaceKind) -> PyResult<Choices> {
    let choices = parsed(draft).and_then(|draft| draft.choices(&USUAL, actions));
    choices.map_err(|error| exception(py, &error))
}

fn parsed(draft: &str) -> Result<Draft, SpecError> {
    serde_json::from_str(draft).map_err(|error| SpecError::Toml(error.to_string()))
}

/// Refuses a draft, for a run that begins, with something that its algorithm would ignore.
#[pyfunction]
pub(crate) fn refuse_ignored(py: Python<'_>, draft: &str) -> PyResult<()> {
    let refused = parsed(draft).and_then(|draft| draft.refuse_ignored());
    refused.map_err(|error| exception(py, &error))
}

/// Whether a draft makes sense; returns the rounds, the episodes of an evaluation and the seed.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, draft: &str, discrete: bool) -> PyResult<(usize, usize, u64)> {
    let choices = choices(py, draft, kind(discrete))?;
    Ok((choices.rounds, choices.episodes, choices.seed))
}

/// The default algorithm; no expert drives in it, so every expert suits it.
#[pyfunction]
pub(crate) fn usual_algorithm(_expert_drives: bool) -> &'static str {
    DEFAULT_ALGORITHM
}

pub(crate) fn kind(discrete: bool) -> SpaceKind {
    if discrete { SpaceKind::Discrete } else { SpaceKind::Continuous }
}

/// Everyone who takes part in a run, as Python objects.
#[derive(FromPyObject)]
pub(crate) struct Cast<'py> {
    worlds: Bound<'py, PyAny>,
    teacher: Bound<'py, PyAny>,
    oracle: Option<Bound<'py, PyAny>>,
    oracle_description: String,
    d0: Option<Bound<'py, PyAny>>,
    columns: Option<Vec<usize>>,
    reporter: Py<PyAny>,
}

/// Learns what the draft says in this folder; returns whether the run is finished.
#[pyfunction]
pub(crate) fn learn(py: Python<'_>, cast: Cast<'_>, draft: &str, dir: PathBuf) -> PyResult<bool> {
    let discrete: bool = cast.worlds.getattr("discrete")?.extract()?;
    let choices = choices(py, draft, kind(discrete))?;
    dispatch!(kind(discrete), A => learn_as::<A>(py, &cast, &choices, &dir))
}

fn learn_as<A: OutputHead>(
    py: Python<'_>,
    cast: &Cast<'_>,
    choices: &Choices,
    dir: &std::path::Path,
) -> PyResult<bool> {
    let mishap = Mishap::default();
    let mut worlds = Worlds::<A>::new(&cast.worlds, mishap.clone())?;
    let mut teacher = Teacher::<A>::new(&cast.teacher, mishap.clone())?;
    let mut trainer = trainer::<A>(py, cast, choices, &mishap)?;
    let supplies = Supplies::<A>::new(py, choices, cast.d0.as_ref())?;
    let job = choices.job(supplies.material());
    let task: String = cast.worlds.getattr("description")?.extract()?;
    let mut run_dir =
        job.open(dir, &task, &teacher, &trainer).map_err(|error| exception(py, &error))?;
    if let Some(answers) = teacher.fingerprint() {
        run_dir.record_input(answers).map_err(|error| exception(py, &error))?;
    }
    let mut listener = Listener::new(cast.reporter.clone_ref(py), mishap.clone());
    let ending = match Seat::at(&cast.teacher)? {
        Some(seat) => {
            let (worlds, trainer, job) = (&mut worlds, &mut trainer, &job);
            let school = School { worlds, trainer, job, mishap: &mishap };
            seat.teach(py, school, &mut run_dir, &mut listener)?
        }
        None => py.detach(|| {
            let participants =
                Participants { envs: &mut worlds, expert: &mut teacher, oracle: &trainer };
            run(participants, &job, &mut run_dir, &mut listener)
        }),
    };
    match ending {
        Err(error) => Err(mishap.exception(py, &error)),
        // What stopped it comes after everything is safe.
        Ok(ending) => mishap.take().map_or(Ok(ending == Ending::Finished), Err),
    }
}

/// The oracle that is to train: one of ours, or the Python object where there is one.
fn trainer<A: OutputHead>(
    py: Python<'_>,
    cast: &Cast<'_>,
    choices: &Choices,
    mishap: &Mishap,
) -> PyResult<Trainer<A>> {
    let by = match &cast.oracle {
        Some(object) => By::Python(PythonOracle {
            object: object.clone().unbind(),
            description: cast.oracle_description.clone(),
            bounds: action_space(&cast.worlds)?.1,
            mishap: mishap.clone(),
        }),
        None => {
            let oracle = tutelage_lab::oracle::<A>(&choices.class, choices.oracle);
            By::Networks(oracle.map_err(|error| exception(py, &error))?)
        }
    };
    Ok(Trainer { lens: Lens { columns: cast.columns.clone(), normaliser: None }, by })
}
