//! Batches as NumPy arrays and back.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tutelage::{Batch, Element, SpaceKind};

/// Returns rows of actions as an array: `[n, width]` of `float32`, or `[n]` of `int64`.
pub(crate) fn to_array<'py, A: Element>(
    py: Python<'py>,
    rows: &[A],
    width: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let numbers = rows.iter().map(|value| value.to_f64());
    match A::KIND {
        SpaceKind::Continuous => {
            matrix(py, &numbers.map(|number| number as f32).collect::<Vec<_>>(), width)
        }
        SpaceKind::Discrete => {
            Ok(PyArray1::from_iter(py, numbers.map(|index| index as i64)).into_any())
        }
    }
}

/// Returns the rows of such an array. Invalid (negative) indices become `u32::MAX`, which every space rejects.
pub(crate) fn from_array<A: Element>(array: &Bound<'_, PyAny>) -> PyResult<Batch<A>> {
    let (width, numbers): (_, Vec<f64>) = match A::KIND {
        SpaceKind::Continuous => {
            let rows = rows(array)?;
            (rows.width(), rows.as_slice().iter().map(|&value| value.into()).collect())
        }
        SpaceKind::Discrete => {
            let array: PyReadonlyArray1<'_, i64> = array.extract()?;
            (1, array.as_array().iter().map(|&index| index as f64).collect())
        }
    };
    let values = numbers.into_iter().map(A::from_f64).collect();
    Batch::from_vec(width, values).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Rows of `float32`, `[n, width]`.
pub(crate) fn matrix<'py>(
    py: Python<'py>,
    rows: &[f32],
    width: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let width = width.max(1);
    Ok(PyArray1::from_slice(py, rows).reshape([rows.len() / width, width])?.into_any())
}

/// The rows of a `float32` array `[n, width]`.
pub(crate) fn rows(array: &Bound<'_, PyAny>) -> PyResult<Batch<f32>> {
    let array: PyReadonlyArray2<'_, f32> = array.extract()?;
    let (width, values) = (array.as_array().ncols(), array.as_array().iter().copied().collect());
    Batch::from_vec(width, values).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Actions in the task's own units, from [-1, 1]ⁿ.
pub(crate) fn own<A: Element>(bounds: &tutelage::Bounds, mut actions: Batch<A>) -> Batch<A> {
    A::from_unit(bounds, &mut actions);
    actions
}
