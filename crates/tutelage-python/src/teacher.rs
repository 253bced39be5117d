//! Python experts as the core sees them.

use std::marker::PhantomData;

use numpy::PyArray1;
use pyo3::prelude::*;
use rand::Rng as _;
use tutelage::{Batch, Expert, ExpertError, Rng};
use tutelage_runs::store::Fingerprint;

use crate::arrays::{from_array, matrix};
use crate::errors::Mishap;
use tutelage_oracles::mlp::OutputHead;

/// A `tutelage._experts.Teacher`: a callable, something with `.predict`, or an iterator of answers.
pub(crate) struct Teacher<A> {
    object: Py<PyAny>,
    has_mean: bool,
    batch: usize,
    description: String,
    /// What it answers to a few states, where it repeats itself.
    fingerprint: Option<Vec<f32>>,
    mishap: Mishap,
    action: PhantomData<fn() -> A>,
}

impl<A: OutputHead> Teacher<A> {
    pub(crate) fn new(object: &Bound<'_, PyAny>, mishap: Mishap) -> PyResult<Self> {
        Ok(Self {
            object: object.clone().unbind(),
            has_mean: object.getattr("has_mean")?.extract()?,
            batch: object.getattr("batch")?.extract::<Option<usize>>()?.unwrap_or(usize::MAX),
            description: object.getattr("description")?.extract()?,
            fingerprint: object.getattr("fingerprint")?.extract()?,
            mishap,
            action: PhantomData,
        })
    }

    /// What tells this expert from others, where it repeats itself.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint.as_deref().map(|answers| Fingerprint::values("expert", answers))
    }

    /// The answers of one of the object's methods.
    fn ask(
        &self,
        method: &str,
        states: &Batch<f32>,
        seeds: Option<Vec<u32>>,
        actions: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        Python::attach(|py| {
            let answers = matrix(py, states.as_slice(), states.width()).and_then(|states| {
                let object = self.object.bind(py);
                let answers = match seeds {
                    Some(seeds) => {
                        object.call_method1(method, (states, PyArray1::from_vec(py, seeds)))?
                    }
                    None => object.call_method1(method, (states,))?,
                };
                from_array(&answers)
            });
            *actions = answers.map_err(|error| self.failed(py, error))?;
            Ok(())
        })
    }

    fn failed(&self, py: Python<'_>, error: PyErr) -> ExpertError {
        let left = py.import("tutelage.errors").and_then(|errors| errors.getattr("ExpertLeft"));
        match left {
            Ok(left) if error.matches(py, &left).unwrap_or(false) => ExpertError::Left,
            _ => ExpertError::Other(self.mishap.keep(py, error).into()),
        }
    }
}

impl<A: OutputHead> Expert for Teacher<A> {
    type State = f32;
    type Action = A;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        let seeds = rngs.iter_mut().map(|rng| rng.next_u32()).collect();
        self.ask("annotate", states, Some(seeds), actions)
    }

    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), ExpertError> {
        match (self.has_mean, states.is_empty()) {
            (false, _) => Err(ExpertError::NoMean),
            (true, true) => Ok(()),
            (true, false) => self.ask("mean", states, None, actions),
        }
    }

    fn describe(&self) -> String {
        self.description.clone()
    }

    fn batch(&self) -> usize {
        self.batch
    }
}
