//! The inputs of an algorithm: d₀ and stored annotations.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use tutelage::cover::{Cover, CoverError, StoredStates, UniformBox};
use tutelage::{Batch, Dataset, Inputs};
use tutelage_runs::store::{StoreError, read_any, read_history};
use tutelage_spec::spec::CoverSpec;

use tutelage_oracles::mlp::OutputHead;

use crate::arrays::from_array;
use crate::errors::{OrRaise, SpecError, ToPyErr};
use crate::settings::CustomSpec;

/// The inputs that the spec of a run requires.
pub(crate) struct RunInputs<A: OutputHead> {
    cover: Option<Box<dyn Cover<f32>>>,
    stored: Option<Vec<Dataset<f32, A>>>,
}

impl<A: OutputHead> RunInputs<A> {
    /// `d0` replaces the spec's d₀ if Python passes an array of states.
    pub(crate) fn new(spec: &CustomSpec, d0: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let cover: Option<Result<Box<dyn Cover<f32>>, CoverError>> = match (d0, &spec.d0) {
            (_, None) => None,
            (Some(states), _) => Some(from_states(from_array(states)?)),
            (None, Some(CoverSpec::Uniform { low, high })) => {
                Some(UniformBox::new(*low, *high).map(|cover| Box::new(cover) as _))
            }
            (None, Some(CoverSpec::Runs(runs))) => Some(from_states(states_of(runs)?)),
        };
        Ok(Self {
            cover: cover.transpose().or_raise()?,
            stored: spec.data.as_deref().map(|path| annotations(path)).transpose()?,
        })
    }

    pub(crate) fn get(&self) -> Inputs<'_, f32, A> {
        Inputs { cover: self.cover.as_deref(), separator: None, stored: self.stored.as_deref() }
    }
}

fn from_states(states: Batch<f32>) -> Result<Box<dyn Cover<f32>>, CoverError> {
    Ok(Box::new(StoredStates::new(states)?))
}

/// All states of these runs.
fn states_of(runs: &[PathBuf]) -> PyResult<Batch<f32>> {
    let mut all: Option<Batch<f32>> = None;
    for path in runs {
        let history = read_any(path).or_raise()?;
        for batch in history.states() {
            let states = all.get_or_insert_with(|| Batch::new(batch.width()));
            if states.width() != batch.width() {
                let (path, found, expected) = (path.display(), batch.width(), states.width());
                let message =
                    format!("d0: {path} has states of width {found}, expected {expected}");
                return Err(SpecError::new_err(message));
            }
            states.extend(batch);
        }
    }
    all.ok_or_else(|| CoverError::Empty.to_py_err())
}

/// The annotated rounds of a stored run.
fn annotations<A: OutputHead>(path: &Path) -> PyResult<Vec<Dataset<f32, A>>> {
    let history = read_history::<f32, A>(path).or_raise()?;
    let rounds = history.annotated_rounds();
    if rounds.iter().all(Dataset::is_empty) {
        let error = StoreError::NoRun { path: path.into(), missing: "finished round" };
        return Err(error.to_py_err());
    }
    Ok(rounds)
}
