//! The settings of a run, as Python passes them.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tutelage::SpaceKind;
use tutelage::algorithm::DEFAULT_ALGORITHM;
use tutelage_spec::spec::{RunSpec, SpecError, SpecInput, TextValue};
use tutelage_spec::{Defaults, Task, spec_of};

use crate::errors::OrRaise;

/// The spec of a run in a Gymnasium environment, which has no registered task.
pub(crate) type CustomSpec = RunSpec<()>;

/// The settings of a run, parsed once.
#[pyclass(frozen)]
pub(crate) struct Settings(SpecInput);

impl Settings {
    /// The complete spec of a run in a Gymnasium environment.
    pub(crate) fn custom_spec(&self, kind: SpaceKind) -> PyResult<CustomSpec> {
        self.0.clone().complete_in((), "", &Defaults::CUSTOM, kind).or_raise()
    }

    /// The complete spec of a run of a built-in task.
    pub(crate) fn spec(&self) -> PyResult<RunSpec> {
        Ok(self.0.clone().complete().or_raise()?.with_absolute_paths())
    }
}

#[pymethods]
impl Settings {
    /// Parses settings. A run that is `new` must not have settings that its algorithm ignores.
    #[new]
    fn new(json: &str, new: bool) -> PyResult<Self> {
        let fields = serde_json::from_str(json);
        let fields = fields.map_err(|error| SpecError::Toml(error.to_string())).or_raise()?;
        let input = SpecInput::read::<serde_json::Value, _>(fields).or_raise()?;
        if new {
            input.check_new().or_raise()?;
        }
        Ok(Self(input))
    }

    /// The settings of a stored run of a built-in task, with another number of rounds if it is given.
    #[staticmethod]
    #[pyo3(signature = (dir, rounds=None))]
    fn stored(dir: PathBuf, rounds: Option<i64>) -> PyResult<Self> {
        let spec = spec_of(&dir).or_raise()?;
        let rounds = rounds.map(|rounds| ("rounds".to_owned(), serde_json::Value::from(rounds)));
        let input = SpecInput::read(rounds.into_iter().collect()).or_raise()?;
        Ok(Self(input.or(spec.into())))
    }

    /// The number of rounds and the seed of a run in a Gymnasium environment, or the first invalid setting as an error.
    fn check(&self, discrete: bool) -> PyResult<(usize, u64)> {
        let kind = if discrete { SpaceKind::Discrete } else { SpaceKind::Continuous };
        let spec = self.custom_spec(kind)?;
        Ok((spec.rounds, spec.seed))
    }

    /// The number of rounds of a run of a built-in task.
    fn builtin_rounds(&self) -> PyResult<usize> {
        Ok(self.spec()?.rounds)
    }

    #[getter]
    fn task(&self) -> Option<&str> {
        self.0.task.map(Task::name)
    }

    #[getter]
    fn deploy(&self) -> Option<String> {
        self.0.deploy.as_ref().map(TextValue::text)
    }
}

/// The default settings for Gymnasium environments, by the names of `tutelage.learn`'s arguments.
#[pyfunction]
pub(crate) fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let (settings, defaults) = (PyDict::new(py), Defaults::CUSTOM);
    settings.set_item("rounds", defaults.rounds)?;
    settings.set_item("states_per_round", defaults.states_per_round)?;
    settings.set_item("hidden", (defaults.realizable[0], defaults.realizable[1]))?;
    settings.set_item("sampling", format!("stride({})", defaults.stride))?;
    settings.set_item("budget", defaults.budget.text())?;
    settings.set_item("learning_rate", defaults.learning_rate)?;
    settings.set_item("batch", defaults.batch)?;
    settings.set_item("episodes", defaults.episodes)?;
    let [low, high] = defaults.cover;
    settings.set_item("d0", format!("uniform({low},{high})"))?;
    Ok(settings)
}

/// The name of the default algorithm. The expert never acts in it, so it suits every expert.
#[pyfunction]
pub(crate) fn default_algorithm() -> &'static str {
    DEFAULT_ALGORITHM
}
