//! Comparisons of runs.

use std::path::PathBuf;

use pyo3::prelude::*;
use tutelage_compare::{ComparisonSettings, find};

use crate::errors::{OrRaise, StoreError};

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
        let cost = over.parse().or_raise()?;
        let mut runs = Vec::new();
        for dir in dirs {
            runs.extend(find(&dir).or_raise()?);
        }
        let settings = ComparisonSettings { cost, level, baseline, paired, panels, unfinished };
        py.detach(|| tutelage_compare::Comparison::new(runs, settings)).map(Self).or_raise()
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
            "curves" => serde_json::to_string(&self.0.curves()),
            "aggregates" => serde_json::to_string(&self.0.aggregates()),
            _ => serde_json::to_string(&self.0.pairs()),
        })
        .map_err(|error| StoreError::new_err(error.to_string()))
    }

    /// Writes figures and tables; returns the names of the files.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<Vec<String>> {
        py.detach(|| self.0.save(&folder)).or_raise()
    }
}
