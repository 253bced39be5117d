//! Runs side by side.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde::Serialize;
use tutelage_compare::{ComparisonSettings, Cost, find};

use crate::errors::{Kind, exception, raise};

/// Runs that were compared.
#[pyclass(frozen)]
pub(crate) struct Comparison(tutelage_compare::Comparison);

#[pymethods]
impl Comparison {
    /// Compares the runs in these folders; `over` is "annotations", "expert-steps", or what a step of the expert's costs.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "Python passes them one by one")]
    fn new(
        py: Python<'_>,
        dirs: Vec<PathBuf>,
        over: Over,
        level: f64,
        baseline: Option<String>,
        paired: bool,
        panels: Vec<String>,
        unfinished: bool,
    ) -> PyResult<Self> {
        let cost = over.cost(py)?;
        let mut runs = Vec::new();
        for dir in dirs {
            runs.extend(find(&dir).map_err(|error| exception(py, &error))?);
        }
        let settings = ComparisonSettings { cost, level, baseline, paired, panels, unfinished };
        let compared = py.detach(|| tutelage_compare::Comparison::new(runs, settings));
        compared.map(Self).map_err(|error| exception(py, &error))
    }

    /// What is worth knowing about the runs.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    /// All tables, as the command prints them.
    fn in_words(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_text())
    }

    /// A row per curve, as JSON.
    fn curves(&self, py: Python<'_>) -> PyResult<String> {
        json(py, &py.detach(|| self.0.curves()))
    }

    /// A row per curve over all panels, as JSON.
    fn aggregates(&self, py: Python<'_>) -> PyResult<String> {
        json(py, &py.detach(|| self.0.aggregates()))
    }

    /// Curves against each other, in panels and over them, as JSON.
    fn pairs(&self, py: Python<'_>) -> PyResult<String> {
        json(py, &py.detach(|| self.0.pairs()))
    }

    /// Writes figures and tables; returns the names of the files.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<Vec<String>> {
        py.detach(|| self.0.save(&folder)).map_err(|error| {
            let source = std::error::Error::source(&error);
            let source = source.map_or(String::new(), |source| format!(": {source}"));
            raise(py, Kind::Store, format!("{error}{source}"), None)
        })
    }
}

/// What curves are drawn over, as Python says it.
#[derive(FromPyObject)]
enum Over {
    Named(String),
    StepCost(f64),
}

impl Over {
    fn cost(self, py: Python<'_>) -> PyResult<Cost> {
        let wrong = |value: String| {
            let words = format!(
                "over = {value}: allowed are \"annotations\", \"expert-steps\", or a number from 0 on, the cost of a step that the expert drives"
            );
            Err(raise(py, Kind::Spec, words, None))
        };
        match self {
            Self::Named(name) if name == "annotations" => Ok(Cost::Annotations),
            Self::Named(name) if name == "expert-steps" => Ok(Cost::ExpertSteps),
            Self::StepCost(weight) if weight.is_finite() && weight >= 0.0 => {
                Ok(Cost::Weighted(weight))
            }
            Self::Named(name) => wrong(format!("{name:?}")),
            Self::StepCost(weight) => wrong(weight.to_string()),
        }
    }
}

fn json(py: Python<'_>, rows: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(rows).map_err(|error| raise(py, Kind::Store, error.to_string(), None))
}
