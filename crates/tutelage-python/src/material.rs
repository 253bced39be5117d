//! What algorithms need from outside: d₀ and stored examples.

use std::path::Path;

use pyo3::prelude::*;
use tutelage::cover::{Cover, CoverError, StoredStates, UniformBox};
use tutelage::{Batch, Dataset, Inputs};
use tutelage_lab::spec::{Choices, CoverSpec};
use tutelage_runs::store::{StoreError, read_any, read_history};

use crate::arrays::rows;
use crate::errors::{Kind, exception, raise};
use tutelage_oracles::mlp::OutputHead;

/// What an algorithm's choices need, brought together.
pub(crate) struct Supplies<A: OutputHead> {
    cover: Option<Box<dyn Cover<f32>>>,
    stored: Option<Vec<Dataset<f32, A>>>,
}

impl<A: OutputHead> Supplies<A> {
    /// `states` stands for d₀ where it is given as an array.
    pub(crate) fn new(
        py: Python<'_>,
        choices: &Choices,
        states: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let cover = match (states, choices.algorithm.perturbs()) {
            (Some(states), true) => Some(listed(rows(states)?).map_err(|e| exception(py, &e))?),
            _ => choices.d0.as_ref().map(|d0| cover(py, d0)).transpose()?,
        };
        let stored = choices.data.as_deref().map(|path| stored(py, path)).transpose()?;
        Ok(Self { cover, stored })
    }

    pub(crate) fn material(&self) -> Inputs<'_, f32, A> {
        Inputs { cover: self.cover.as_deref(), separator: None, stored: self.stored.as_deref() }
    }
}

fn listed(states: Batch<f32>) -> Result<Box<dyn Cover<f32>>, CoverError> {
    Ok(Box::new(StoredStates::new(states)?))
}

fn cover(py: Python<'_>, d0: &CoverSpec) -> PyResult<Box<dyn Cover<f32>>> {
    let cover = match d0 {
        CoverSpec::Uniform { low, high } => {
            UniformBox::new(*low, *high).map(|cover| Box::new(cover) as Box<dyn Cover<f32>>)
        }
        CoverSpec::Runs(runs) => {
            let mut states: Option<Batch<f32>> = None;
            for path in runs {
                let history = read_any(path).map_err(|error| exception(py, &error))?;
                for batch in history.states() {
                    match &mut states {
                        None => states = Some(batch.clone()),
                        Some(states) if states.width() == batch.width() => states.extend(batch),
                        Some(states) => {
                            let (found, expected) = (batch.width(), states.width());
                            let words = format!(
                                "d0: {} has states of {found} numbers, the others of {expected}",
                                path.display()
                            );
                            return Err(raise(py, Kind::Spec, words, None));
                        }
                    }
                }
            }
            states.ok_or(CoverError::Empty).and_then(listed)
        }
    };
    cover.map_err(|error| exception(py, &error))
}

/// All annotated rounds of a stored run.
fn stored<A: OutputHead>(py: Python<'_>, path: &Path) -> PyResult<Vec<Dataset<f32, A>>> {
    let history = read_history::<f32, A>(path).map_err(|error| exception(py, &error))?;
    let rounds = history.annotated_rounds();
    if rounds.iter().all(Dataset::is_empty) {
        let none = StoreError::NoRun { path: path.into(), missing: "finished round" };
        return Err(exception(py, &none));
    }
    Ok(rounds)
}
