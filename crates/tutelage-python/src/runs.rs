//! Stored runs: their curves and annotations as NumPy arrays, their policies, and exports.

use std::path::{Path, PathBuf};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tutelage::evaluation::Evaluation;
use tutelage::lesson::Origin;
use tutelage::oracle::DurableOracle;
use tutelage::{Element, Inputs, VectorEnv, dispatch};
use tutelage_compare::SpecFields;
use tutelage_runs::RoundLine;
use tutelage_runs::store::{
    AnyHistory, History, kept_policies, read_any, read_history, read_policy, read_times,
};
use tutelage_spec::export::{Annotations, ExportError, Rows, write_tensorboard};
use tutelage_spec::{Learner, learner_of, load_expert, spec_of};

use crate::arrays::to_array;
use crate::errors::{OrRaise, PyErrorSlot, StoreError, ToPyErr};
use crate::oracle::{ObservationView, RunOracle, RunPolicy};
use crate::policy::NativePolicy;
use crate::python_envs::{EnvSpaces, action_kind};
use crate::settings::Settings;

/// The spec, the curve and the annotations of a run.
#[pyfunction]
pub(crate) fn read_run(py: Python<'_>, dir: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let history = read_any(&dir).or_raise()?;
    let lines = lines(&history, &dir);
    let run = PyDict::new(py);
    run.set_item("spec", history.spec())?;
    let rounds = SpecFields::parse(history.spec()).number("rounds");
    run.set_item("finished", rounds.is_some_and(|rounds| rounds == lines.len()))?;
    run.set_item("curve", curve(py, &lines)?)?;
    run.set_item("expert_reward", history.expert().map(Evaluation::mean_reward))?;
    run.set_item("policies", kept_policies(&dir))?;
    run.set_item("data", data(py, &history)?)?;
    Ok(run)
}

fn lines(history: &AnyHistory, dir: &Path) -> Vec<RoundLine> {
    let states_per_round = SpecFields::parse(history.spec()).number("states_per_round");
    history.lines(states_per_round.unwrap_or(0), &read_times(dir))
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
        Err(error) => return Err(error.to_py_err()),
    };
    for (name, rows) in [("states", &annotations.states), ("actions", &annotations.actions)] {
        match rows {
            Rows::Vectors(rows) => data.set_item(name, to_array(py, rows)?)?,
            Rows::Indices(rows) => data.set_item(name, to_array(py, rows)?)?,
        }
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
    let (kind, env) = (action_kind(spaces)?, EnvSpaces::of(spaces)?);
    let spec = settings.custom_spec(kind)?;
    let (view, kept) = (ObservationView { columns, normalizer: None }, kept_policies(&dir));
    dispatch!(kind, A => {
        let history = read_history::<f32, A>(&dir).or_raise()?;
        let returned = spec.config::<f32, A>(Inputs::none()).returned_round();
        let round = match (round, history.results.len()) {
            (Some(round), _) => round,
            (None, 0) => return Ok(None),
            (None, last) => returned.min(last),
        };
        if !kept.contains(&round) {
            let message = format!("round {round} has no stored policy, expected one of {kept:?}");
            return Err(StoreError::new_err(message));
        }
        let bytes = read_policy(&dir, &history, round).or_raise()?;
        let Some(oracle) = oracle else {
            return NativePolicy::from_bytes::<A>(&bytes, &env, view).map(Some);
        };
        let errors = PyErrorSlot::default();
        let mut oracle = RunOracle::<A>::python(oracle, String::new(), spaces, errors.clone())?;
        oracle.view = view;
        let policy = errors.finish(py, oracle.decode(&bytes, env.spaces))?;
        Ok(Some(NativePolicy::new(policy, env.spaces.states, env.bounds)))
    })
}

/// The policy of a run of a built-in task, the name of the task, and the width of the states that its expert sees.
#[pyfunction]
#[pyo3(signature = (dir, round))]
pub(crate) fn builtin_policy(
    dir: PathBuf,
    round: Option<usize>,
) -> PyResult<(NativePolicy, String, usize)> {
    let spec = spec_of(&dir).or_raise()?;
    let expert = spec.task.robot().map(|_| load_expert(&spec.expert, Some(spec.task)));
    let normalizer = expert.transpose().or_raise()?.map(|expert| expert.normalizer().clone());
    let view = ObservationView { columns: None, normalizer };
    dispatch!(spec.task.actions(), A => {
        let Learner { envs, policy, .. } = learner_of::<A>(&dir, &spec, round).or_raise()?;
        let (states, bounds) = (envs.spaces().states, envs.bounds().clone());
        let policy = NativePolicy::new(RunPolicy::from_networks(view, policy), states, bounds);
        Ok((policy, spec.task.to_string(), states))
    })
}

/// Writes the annotations of a run as `.npz`.
#[pyfunction]
pub(crate) fn export_annotations(dir: PathBuf, file: PathBuf) -> PyResult<()> {
    let history = read_any(&dir).or_raise()?;
    let written = Annotations::of(&history).and_then(|annotations| annotations.write(&file));
    written.or_raise()
}

/// Writes the curves of a run into a folder for TensorBoard; returns the file.
#[pyfunction]
pub(crate) fn export_tensorboard(dir: PathBuf, folder: PathBuf) -> PyResult<PathBuf> {
    let history = read_any(&dir).or_raise()?;
    let file = write_tensorboard(&history, &lines(&history, &dir), &read_times(&dir), &folder);
    file.or_raise()
}

/// Writes a file atomically, replacing an existing one.
#[pyfunction]
pub(crate) fn replace_file(path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    Ok(tutelage_files::replace(&path, bytes)?)
}
