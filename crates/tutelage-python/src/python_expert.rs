//! Python experts as an [`Expert`].

use std::marker::PhantomData;

use numpy::PyArray1;
use pyo3::prelude::*;
use rand::Rng as _;
use tutelage::{Batch, Expert, ExpertError, Rng};
use tutelage_runs::store::Fingerprint;

use tutelage_oracles::mlp::OutputHead;

use crate::arrays::{from_array, to_array};
use crate::errors::{ExpertLeft, PyErrorSlot};

/// A `tutelage._experts.ExpertAdapter`.
pub(crate) struct PyExpert<A> {
    object: Py<PyAny>,
    has_mean: bool,
    batch: usize,
    description: String,
    /// Its actions in a few states, if it is deterministic.
    fingerprint: Option<Vec<f32>>,
    errors: PyErrorSlot,
    action: PhantomData<fn() -> A>,
}

impl<A: OutputHead> PyExpert<A> {
    pub(crate) fn new(object: &Bound<'_, PyAny>, errors: PyErrorSlot) -> PyResult<Self> {
        Ok(Self {
            object: object.clone().unbind(),
            has_mean: object.getattr("has_mean")?.extract()?,
            batch: object.getattr("batch")?.extract::<Option<usize>>()?.unwrap_or(usize::MAX),
            description: object.getattr("description")?.extract()?,
            fingerprint: object.getattr("fingerprint")?.extract()?,
            errors,
            action: PhantomData,
        })
    }

    /// Identifies the expert, if it is deterministic.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint.as_deref().map(|actions| Fingerprint::values("expert", actions))
    }

    fn call(
        &self,
        method: &str,
        states: &Batch<f32>,
        seeds: Option<Vec<u32>>,
    ) -> Result<Batch<A>, ExpertError> {
        Python::attach(|py| {
            let called = || {
                let (object, states) = (self.object.bind(py), to_array(py, states)?);
                let actions = match seeds {
                    Some(seeds) => {
                        object.call_method1(method, (states, PyArray1::from_vec(py, seeds)))
                    }
                    None => object.call_method1(method, (states,)),
                };
                from_array(&actions?)
            };
            called().map_err(|error| self.failed(py, error))
        })
    }

    fn failed(&self, py: Python<'_>, error: PyErr) -> ExpertError {
        match error.is_instance_of::<ExpertLeft>(py) {
            true => ExpertError::Left,
            false => ExpertError::Other(self.errors.keep(py, error).into()),
        }
    }
}

impl<A: OutputHead> Expert for PyExpert<A> {
    type State = f32;
    type Action = A;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        let seeds = rngs.iter_mut().map(|rng| rng.next_u32()).collect();
        *actions = self.call("annotate", states, Some(seeds))?;
        Ok(())
    }

    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), ExpertError> {
        if !self.has_mean {
            return Err(ExpertError::NoMean);
        }
        if !states.is_empty() {
            *actions = self.call("mean", states, None)?;
        }
        Ok(())
    }

    fn describe(&self) -> String {
        self.description.clone()
    }

    fn batch(&self) -> usize {
        self.batch
    }
}
