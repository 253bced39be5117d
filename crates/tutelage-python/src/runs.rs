//! Stored runs: their curves and annotations as NumPy arrays, their policies, and exports.

use std::path::{Path, PathBuf};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tutelage::evaluation::Evaluation;
use tutelage::lesson::Origin;
use tutelage::oracle::DurableOracle;
use tutelage::{Element, Inputs, VectorEnv, dispatch};
use tutelage_lab::export::{Annotations, ExportError, Rows, write_tensorboard};
use tutelage_lab::spec::RunSpec;
use tutelage_lab::{Learner, learner_of, load_expert, spec_of};
use tutelage_runs::RoundLine;
use tutelage_runs::store::{
    AnyHistory, History, kept_policies, read_any, read_history, read_policy, read_times,
};

use tutelage_oracles::mlp::OutputHead;

use crate::arrays::{matrix, to_array};
use crate::errors::{ErrorKind, PyErrorSlot, exception, raise};
use crate::oracle::{ObservationView, RunOracle, RunPolicy};
use crate::policy::NativePolicy;
use crate::python_envs::{EnvSpaces, action_kind};
use crate::settings::Settings;

/// The spec, the curve and the annotations of a run.
#[pyfunction]
pub(crate) fn read_run(py: Python<'_>, dir: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let history = read_any(&dir).map_err(|error| exception(py, &error))?;
    let lines = lines(&history, &dir);
    let run = PyDict::new(py);
    run.set_item("spec", history.spec())?;
    let rounds = spec_number(&history, "rounds");
    run.set_item("finished", rounds.is_some_and(|rounds| rounds == lines.len()))?;
    run.set_item("curve", curve(py, &lines)?)?;
    run.set_item("expert_reward", history.expert().map(Evaluation::mean_reward))?;
    run.set_item("policies", kept_policies(&dir))?;
    run.set_item("data", data(py, &history)?)?;
    Ok(run)
}

/// A number of the spec that the log contains, which need not be that of a built-in task.
fn spec_number(history: &AnyHistory, field: &str) -> Option<usize> {
    let line = history.spec().lines().find_map(|line| line.strip_prefix(field));
    line?.trim().strip_prefix('=')?.trim().parse().ok()
}

fn lines(history: &AnyHistory, dir: &Path) -> Vec<RoundLine> {
    history.lines(spec_number(history, "states_per_round").unwrap_or(0), &read_times(dir))
}

/// A column for each number of a round. Unknown values are NaN.
fn curve<'py>(py: Python<'py>, lines: &[RoundLine]) -> PyResult<Bound<'py, PyDict>> {
    type Column = (&'static str, fn(&RoundLine) -> Option<f64>);
    const COLUMNS: [Column; 5] = [
        ("expert_steps", |line| line.expert_steps.map(|steps| steps as f64)),
        ("reward", |line| Some(line.reward)),
        ("reward_random", |line| line.reward_random),
        ("imitation_loss", |line| line.imitation_loss),
        ("seconds", |line| line.seconds),
    ];
    let curve = PyDict::new(py);
    let rounds = lines.iter().map(|line| line.round as i64);
    curve.set_item("round", PyArray1::from_iter(py, rounds))?;
    let annotations = lines.iter().map(|line| line.annotations as i64);
    curve.set_item("annotations", PyArray1::from_iter(py, annotations))?;
    for (name, value) in COLUMNS {
        let values = lines.iter().map(|line| value(line).unwrap_or(f64::NAN));
        curve.set_item(name, PyArray1::from_iter(py, values))?;
    }
    Ok(curve)
}

/// The annotations and their origins.
fn data<'py>(py: Python<'py>, history: &AnyHistory) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    let annotations = match Annotations::of(history) {
        Ok(annotations) => annotations,
        Err(ExportError::Empty) => return Ok(data),
        Err(error) => return Err(exception(py, &error)),
    };
    for (name, rows) in [("states", &annotations.states), ("actions", &annotations.actions)] {
        let array = match rows {
            Rows::Vectors(rows) => matrix(py, rows),
            Rows::Indices(rows) => to_array(py, rows),
        };
        data.set_item(name, array?)?;
    }
    let origins = match history {
        AnyHistory::Vectors(history) => origins(history),
        AnyHistory::Indices(history) => origins(history),
        AnyHistory::Finite(history) => origins(history),
    };
    let rounds = annotations.rounds.iter().map(|&round| i64::from(round));
    data.set_item("rounds", PyArray1::from_iter(py, rounds))?;
    let episodes = origins.iter().map(|origin| origin.episode as i64);
    data.set_item("episodes", PyArray1::from_iter(py, episodes))?;
    data.set_item("times", PyArray1::from_iter(py, origins.iter().map(|o| i64::from(o.time))))?;
    Ok(data)
}

/// The origin of each annotated state, as far as the log contains it.
fn origins<S: Element, A: Element>(history: &History<S, A>) -> Vec<Origin> {
    let noted = history.rounds.iter().filter(|round| !round.origins.is_empty());
    noted.flat_map(|round| round.labeled_rows().into_iter().map(|row| round.origins[row])).collect()
}

/// The policy of a run after a round, by default the one that the run returns; `None` before the first round has ended.
#[pyfunction]
#[pyo3(signature = (dir, settings, spaces, columns, round, oracle))]
pub(crate) fn run_policy(
    py: Python<'_>,
    dir: PathBuf,
    settings: &Settings,
    spaces: &Bound<'_, PyAny>,
    columns: Option<Vec<usize>>,
    round: Option<usize>,
    oracle: Option<Py<PyAny>>,
) -> PyResult<Option<NativePolicy>> {
    dispatch!(action_kind(spaces)?, A => {
        read_run_policy::<A>(py, &dir, settings, spaces, columns, round, oracle)
    })
}

fn read_run_policy<A: OutputHead>(
    py: Python<'_>,
    dir: &Path,
    settings: &Settings,
    object: &Bound<'_, PyAny>,
    columns: Option<Vec<usize>>,
    round: Option<usize>,
    oracle: Option<Py<PyAny>>,
) -> PyResult<Option<NativePolicy>> {
    let spaces = EnvSpaces::of(object)?;
    let config = settings.custom_spec(py, A::KIND)?.config::<f32, A>(Inputs::none());
    let history = read_history::<f32, A>(dir).map_err(|error| exception(py, &error))?;
    if round.is_none() && history.results.is_empty() {
        return Ok(None);
    }
    let round = round.unwrap_or_else(|| config.returned_round().min(history.results.len()));
    let kept = kept_policies(dir);
    if !kept.contains(&round) {
        let message = format!("round {round} has no stored policy, expected one of {kept:?}");
        return Err(raise(py, ErrorKind::Store, message, None));
    }
    let bytes = read_policy(dir, &history, round).map_err(|error| exception(py, &error))?;
    let view = ObservationView { columns, normalizer: None };
    let Some(oracle) = oracle else {
        return NativePolicy::from_bytes::<A>(py, &bytes, &spaces, view).map(Some);
    };
    let errors = PyErrorSlot::default();
    let mut oracle = RunOracle::<A>::python(oracle, String::new(), object, errors.clone())?;
    oracle.view = view;
    let policy = errors.finish(py, oracle.decode(&bytes, spaces.spaces))?;
    Ok(Some(NativePolicy::new(policy, spaces.spaces.states, spaces.bounds)))
}

/// The policy of a run of a built-in task, the name of the task, and the width of the states that its expert sees.
#[pyfunction]
#[pyo3(signature = (dir, round))]
pub(crate) fn builtin_policy(
    py: Python<'_>,
    dir: PathBuf,
    round: Option<usize>,
) -> PyResult<(NativePolicy, String, usize)> {
    let spec = spec_of(&dir).map_err(|error| exception(py, &error))?;
    dispatch!(spec.task.actions(), A => read_builtin_policy::<A>(py, &dir, &spec, round))
}

fn read_builtin_policy<A: OutputHead>(
    py: Python<'_>,
    dir: &Path,
    spec: &RunSpec,
    round: Option<usize>,
) -> PyResult<(NativePolicy, String, usize)> {
    let learner = learner_of::<A>(dir, spec, round).map_err(|error| exception(py, &error))?;
    let Learner { envs, policy, .. } = learner;
    let normalizer = match spec.task.robot() {
        None => None,
        Some(_) => {
            let expert = load_expert(&spec.expert, Some(spec.task));
            Some(expert.map_err(|error| exception(py, &error))?.normalizer().clone())
        }
    };
    let (spaces, bounds) = (envs.spaces(), envs.bounds().clone());
    let policy = RunPolicy::from_networks(ObservationView { columns: None, normalizer }, policy);
    let policy = NativePolicy::new(policy, spaces.states, bounds);
    Ok((policy, spec.task.to_string(), spaces.states))
}

/// Writes the annotations of a run as `.npz`.
#[pyfunction]
pub(crate) fn export_annotations(py: Python<'_>, dir: PathBuf, file: PathBuf) -> PyResult<()> {
    let history = read_any(&dir).map_err(|error| exception(py, &error))?;
    let written = Annotations::of(&history).and_then(|annotations| annotations.write(&file));
    written.map_err(|error| exception(py, &error))
}

/// Writes the curves of a run into a folder for TensorBoard; returns the file.
#[pyfunction]
pub(crate) fn export_tensorboard(
    py: Python<'_>,
    dir: PathBuf,
    folder: PathBuf,
) -> PyResult<PathBuf> {
    let history = read_any(&dir).map_err(|error| exception(py, &error))?;
    let file = write_tensorboard(&history, &lines(&history, &dir), &read_times(&dir), &folder);
    file.map_err(|error| exception(py, &error))
}

/// Writes a file atomically, replacing an existing one.
#[pyfunction]
pub(crate) fn replace_file(path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    Ok(tutelage_files::replace(&path, bytes)?)
}
