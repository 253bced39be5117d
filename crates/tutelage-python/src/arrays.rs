//! Conversion between batches and NumPy arrays.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tutelage::{Batch, Bounds, Element, SpaceKind};

/// Rows of actions as an array: `[n, width]` of `float32`, or `[n]` of `int64`.
pub(crate) fn to_array<'py, A: Element>(
    py: Python<'py>,
    rows: &Batch<A>,
) -> PyResult<Bound<'py, PyAny>> {
    let numbers = rows.as_slice().iter().map(|value| value.to_f64());
    match A::KIND {
        SpaceKind::Continuous => {
            let array = PyArray1::from_iter(py, numbers.map(|number| number as f32));
            Ok(array.reshape([rows.len(), rows.width().max(1)])?.into_any())
        }
        SpaceKind::Discrete => {
            Ok(PyArray1::from_iter(py, numbers.map(|index| index as i64)).into_any())
        }
    }
}

/// The rows of such an array. Invalid (negative) indices become `u32::MAX`, which every space rejects.
pub(crate) fn from_array<A: Element>(array: &Bound<'_, PyAny>) -> PyResult<Batch<A>> {
    match A::KIND {
        SpaceKind::Continuous => {
            let array: PyReadonlyArray2<'_, f32> = array.extract()?;
            let array = array.as_array();
            batch(array.ncols(), array.iter().map(|&value| A::from_f64(value.into())).collect())
        }
        SpaceKind::Discrete => {
            let array: PyReadonlyArray1<'_, i64> = array.extract()?;
            batch(1, array.as_array().iter().map(|&index| A::from_f64(index as f64)).collect())
        }
    }
}

fn batch<T: Element>(width: usize, values: Vec<T>) -> PyResult<Batch<T>> {
    Batch::from_vec(width, values).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Actions of [-1, 1]ⁿ in the environment's units.
pub(crate) fn to_env_units<A: Element>(bounds: &Bounds, mut actions: Batch<A>) -> Batch<A> {
    A::from_unit(bounds, &mut actions);
    actions
}
