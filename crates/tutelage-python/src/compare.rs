//! Comparisons of runs.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde::Serialize;
use tutelage_compare::{BadCost, ComparisonSettings, find};

use crate::errors::{ErrorKind, exception, raise};

/// Runs that were compared.
#[pyclass(frozen)]
pub(crate) struct Comparison(tutelage_compare::Comparison);

#[pymethods]
impl Comparison {
    /// Compares the runs in these folders. `over` is "annotations", "expert-steps", or the cost of an expert's step.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "Python passes them one by one")]
    fn new(
        py: Python<'_>,
        dirs: Vec<PathBuf>,
        over: &str,
        level: f64,
        baseline: Option<String>,
        paired: bool,
        panels: Vec<String>,
        unfinished: bool,
    ) -> PyResult<Self> {
        let cost = over.parse().map_err(|error: BadCost| exception(py, &error))?;
        let mut runs = Vec::new();
        for dir in dirs {
            runs.extend(find(&dir).map_err(|error| exception(py, &error))?);
        }
        let settings = ComparisonSettings { cost, level, baseline, paired, panels, unfinished };
        let compared = py.detach(|| tutelage_compare::Comparison::new(runs, settings));
        compared.map(Self).map_err(|error| exception(py, &error))
    }

    /// Remarks about the runs, such as runs that were left out.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    /// All tables, as `tutelage compare` prints them.
    fn text(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_text())
    }

    /// The table named `curves`, `aggregates` or `pairs`, as JSON.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        py.detach(|| match name {
            "curves" => json(&self.0.curves()),
            "aggregates" => json(&self.0.aggregates()),
            _ => json(&self.0.pairs()),
        })
        .map_err(|error| raise(py, ErrorKind::Store, error.to_string(), None))
    }

    /// Writes figures and tables; returns the names of the files.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<Vec<String>> {
        py.detach(|| self.0.save(&folder)).map_err(|error| exception(py, &error))
    }
}

fn json(rows: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(rows)
}
