//! What a run's folder holds, as NumPy arrays.

use std::path::{Path, PathBuf};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tutelage::evaluation::Evaluation;
use tutelage::lesson::Origin;
use tutelage::oracle::DurableOracle;
use tutelage::{Element, Inputs, Spaces, dispatch};
use tutelage_lab::export::{Annotations, ExportError, Rows};
use tutelage_runs::RoundLine;
use tutelage_runs::store::{
    AnyHistory, History, kept_policies, read_any, read_history, read_policy, read_times,
};

use crate::arrays::{matrix, to_array};
use crate::errors::{Kind, Mishap, exception, raise};
use crate::learn::{choices, kind};
use crate::policy::{Acting, NativePolicy, acting};
use crate::python_oracle::PythonOracle;
use crate::trainer::{By, Learned, Lens, Trainer};
use crate::worlds::action_space;
use tutelage_oracles::mlp::OutputHead;

/// Everything that happened in a run: its spec, its curve, its annotations.
#[pyfunction]
pub(crate) fn read_run(py: Python<'_>, dir: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let history = read_any(&dir).map_err(|error| exception(py, &error))?;
    let number = |field: &str| -> Option<usize> {
        let line = history.spec().lines().find_map(|line| line.strip_prefix(field));
        line?.trim().strip_prefix('=')?.trim().parse().ok()
    };
    let lines = history.lines(number("states_per_round").unwrap_or(0), &read_times(&dir));
    let run = PyDict::new(py);
    run.set_item("spec", history.spec())?;
    run.set_item("finished", number("rounds").is_some_and(|rounds| rounds == lines.len()))?;
    run.set_item("curve", curve(py, &lines)?)?;
    run.set_item("expert_reward", history.expert().map(Evaluation::mean_reward))?;
    run.set_item("open_questions", history.open_queries())?;
    run.set_item("policies", kept_policies(&dir))?;
    run.set_item("data", data(py, &history)?)?;
    Ok(run)
}

/// A column for each number of a round; what is not known is NaN.
fn curve<'py>(py: Python<'py>, lines: &[RoundLine]) -> PyResult<Bound<'py, PyDict>> {
    let whole = |value: fn(&RoundLine) -> usize| {
        PyArray1::from_iter(py, lines.iter().map(|line| value(line) as i64))
    };
    let real = |value: fn(&RoundLine) -> Option<f64>| {
        PyArray1::from_iter(py, lines.iter().map(|line| value(line).unwrap_or(f64::NAN)))
    };
    let curve = PyDict::new(py);
    curve.set_item("round", whole(|line| line.round))?;
    curve.set_item("annotations", whole(|line| line.annotations))?;
    curve.set_item("expert_steps", real(|line| line.expert_steps.map(|steps| steps as f64)))?;
    curve.set_item("reward", real(|line| Some(line.reward)))?;
    curve.set_item("reward_random", real(|line| line.reward_random))?;
    curve.set_item("imitation_loss", real(|line| line.imitation_loss))?;
    curve.set_item("seconds", real(|line| line.seconds))?;
    Ok(curve)
}

/// The annotations, and where each comes from.
fn data<'py>(py: Python<'py>, history: &AnyHistory) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    let annotations = match Annotations::of(history) {
        Ok(annotations) => annotations,
        Err(ExportError::Empty) => return Ok(data),
        Err(error) => return Err(exception(py, &error)),
    };
    data.set_item("states", spoken(py, &annotations.states)?)?;
    data.set_item("actions", spoken(py, &annotations.actions)?)?;
    let rounds = annotations.rounds.iter().map(|&round| i64::from(round));
    data.set_item("rounds", PyArray1::from_iter(py, rounds))?;
    let origins = match history {
        AnyHistory::Vectors(history) => origins(history),
        AnyHistory::Indices(history) => origins(history),
        AnyHistory::Finite(history) => origins(history),
    };
    let episodes = origins.iter().map(|origin| origin.episode as i64);
    data.set_item("episodes", PyArray1::from_iter(py, episodes))?;
    data.set_item("times", PyArray1::from_iter(py, origins.iter().map(|o| i64::from(o.time))))?;
    Ok(data)
}

fn spoken<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyAny>> {
    match rows {
        Rows::Vectors(rows) => matrix(py, rows.as_slice(), rows.width()),
        Rows::Indices(rows) => to_array(py, rows.as_slice(), rows.width()),
    }
}

/// Where each annotated state comes from, where it was noted.
fn origins<S: Element, A: Element>(history: &History<S, A>) -> Vec<Origin> {
    let noted = history.rounds.iter().filter(|round| !round.origins.is_empty());
    noted.flat_map(|round| round.labeled_rows().into_iter().map(|row| round.origins[row])).collect()
}

/// The policy that a run had after a round, by default the one that it returns; nothing where no round has ended.
#[pyfunction]
#[pyo3(signature = (dir, draft, spaces, columns, round, oracle))]
pub(crate) fn run_policy(
    py: Python<'_>,
    dir: PathBuf,
    draft: &str,
    spaces: &Bound<'_, PyAny>,
    columns: Option<Vec<usize>>,
    round: Option<usize>,
    oracle: Option<Py<PyAny>>,
) -> PyResult<Option<NativePolicy>> {
    let discrete: bool = spaces.getattr("discrete")?.extract()?;
    let choices = choices(py, draft, kind(discrete))?;
    let read = Reading { dir: &dir, spaces, columns, discrete };
    dispatch!(kind(discrete), A => {
        let returned = choices.job::<f32, A>(Inputs::none()).returned_round();
        read.policy::<A>(py, round, returned, oracle)
    })
}

struct Reading<'a, 'py> {
    dir: &'a Path,
    spaces: &'a Bound<'py, PyAny>,
    columns: Option<Vec<usize>>,
    discrete: bool,
}

impl Reading<'_, '_> {
    fn policy<A: OutputHead>(
        self,
        py: Python<'_>,
        round: Option<usize>,
        returned: usize,
        oracle: Option<Py<PyAny>>,
    ) -> PyResult<Option<NativePolicy>>
    where
        Acting: From<Learned<A>>,
    {
        let history = read_history::<f32, A>(self.dir).map_err(|error| exception(py, &error))?;
        if round.is_none() && history.results.is_empty() {
            return Ok(None);
        }
        let round = round.unwrap_or_else(|| returned.min(history.results.len()));
        let kept = kept_policies(self.dir);
        if !kept.contains(&round) {
            let words = format!("there is no policy of round {round}; there are those of {kept:?}");
            return Err(raise(py, Kind::Store, words, None));
        }
        let bytes =
            read_policy(self.dir, &history, round).map_err(|error| exception(py, &error))?;
        let (size, bounds) = action_space(self.spaces)?;
        let states: usize = self.spaces.getattr("state_width")?.extract()?;
        let lens = Lens { columns: self.columns, normaliser: None };
        let acting = match oracle {
            None => {
                let acting = acting(py, &bytes, self.discrete, lens)?;
                let policy = NativePolicy::new(acting, states, bounds);
                policy.check(py, size)?;
                return Ok(Some(policy));
            }
            Some(object) => {
                let mishap = Mishap::default();
                let oracle = PythonOracle {
                    object,
                    description: String::new(),
                    bounds: bounds.clone(),
                    mishap: mishap.clone(),
                };
                let trainer = Trainer::<A> { lens, by: By::Python(oracle) };
                let policy = trainer.decode(&bytes, Spaces { states, actions: size });
                policy.map_err(|error| mishap.exception(py, &error))?.into()
            }
        };
        Ok(Some(NativePolicy::new(acting, states, bounds)))
    }
}
