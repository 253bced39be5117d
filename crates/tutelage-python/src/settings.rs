//! The settings of a run, as Python passes them.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tutelage::SpaceKind;
use tutelage::algorithm::DEFAULT_ALGORITHM;
use tutelage_lab::spec::{BudgetSpec, Choices, Draft, RunSpec, SpecError};
use tutelage_lab::{Defaults, spec_of};

use crate::errors::exception;

/// The default settings for Gymnasium environments.
const DEFAULTS: Defaults = Defaults {
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

/// The settings of a run, parsed once.
#[pyclass(frozen)]
pub(crate) struct Settings(Draft);

impl Settings {
    /// The complete choices of a run in a Gymnasium environment.
    pub(crate) fn choices(&self, py: Python<'_>, kind: SpaceKind) -> PyResult<Choices> {
        self.0.clone().choices(&DEFAULTS, kind).map_err(|error| exception(py, &error))
    }

    /// The complete spec of a run of a built-in task.
    pub(crate) fn spec(&self, py: Python<'_>) -> PyResult<RunSpec> {
        let spec = self.0.clone().with_absolute_paths().check();
        spec.map_err(|error| exception(py, &error))
    }
}

#[pymethods]
impl Settings {
    /// Parses settings. A run that is `new` must not have settings that its algorithm ignores.
    #[new]
    fn new(py: Python<'_>, json: &str, new: bool) -> PyResult<Self> {
        let draft: Result<Draft, _> = serde_json::from_str(json);
        let draft = draft.map_err(|error| SpecError::Toml(error.to_string()));
        let checked = draft.and_then(|draft| match new {
            true => draft.refuse_ignored().map(|()| draft),
            false => Ok(draft),
        });
        checked.map(Self).map_err(|error| exception(py, &error))
    }

    /// The settings of a stored run of a built-in task, with another number of rounds if it is given.
    #[staticmethod]
    #[pyo3(signature = (dir, rounds=None))]
    fn stored(py: Python<'_>, dir: PathBuf, rounds: Option<i64>) -> PyResult<Self> {
        let spec = spec_of(&dir).map_err(|error| exception(py, &error))?;
        let draft = Draft { rounds, ..Draft::default() };
        Ok(Self(draft.or(Draft::from(&spec))))
    }

    /// The number of rounds and the seed of a run in a Gymnasium environment, or the first invalid setting as an error.
    fn check(&self, py: Python<'_>, discrete: bool) -> PyResult<(usize, u64)> {
        let kind = if discrete { SpaceKind::Discrete } else { SpaceKind::Continuous };
        let choices = self.choices(py, kind)?;
        Ok((choices.rounds, choices.seed))
    }

    /// The number of rounds of a run of a built-in task.
    fn builtin_rounds(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.spec(py)?.rounds)
    }

    #[getter]
    fn task(&self) -> Option<&str> {
        self.0.task.as_deref()
    }

    #[getter]
    fn deploy(&self) -> Option<&str> {
        self.0.deploy.as_deref()
    }
}

/// The default settings for Gymnasium environments, by the names of `tutelage.learn`'s arguments.
#[pyfunction]
pub(crate) fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let settings = PyDict::new(py);
    settings.set_item("rounds", DEFAULTS.rounds[0])?;
    settings.set_item("states_per_round", DEFAULTS.states_per_round)?;
    settings.set_item("hidden", (DEFAULTS.realizable[0], DEFAULTS.realizable[1]))?;
    settings.set_item("sampling", format!("stride({})", DEFAULTS.stride))?;
    settings.set_item("budget", DEFAULTS.budget.to_string())?;
    settings.set_item("learning_rate", DEFAULTS.learning_rate)?;
    settings.set_item("batch", DEFAULTS.batch)?;
    settings.set_item("episodes", DEFAULTS.episodes)?;
    let [low, high] = DEFAULTS.cover;
    settings.set_item("d0", format!("uniform({low},{high})"))?;
    Ok(settings)
}

/// The name of the default algorithm. The expert never acts in it, so it suits every expert.
#[pyfunction]
pub(crate) fn default_algorithm() -> &'static str {
    DEFAULT_ALGORITHM
}
