//! Batches as NumPy arrays and back.

use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tutelage::{Action, Batch};
use tutelage_lab::Kind;

/// Actions as Python speaks of them: rows of `float32`, or `int64`.
pub(crate) trait Spoken: Kind {
    /// Rows of this width as an array: `[n, width]` of `float32`, or `[n]` of `int64`.
    fn speak<'py>(py: Python<'py>, rows: &[Self], width: usize) -> PyResult<Bound<'py, PyAny>>;

    /// The rows of such an array.
    fn listen(array: &Bound<'_, PyAny>) -> PyResult<Batch<Self>>;
}

impl Spoken for f32 {
    fn speak<'py>(py: Python<'py>, rows: &[f32], width: usize) -> PyResult<Bound<'py, PyAny>> {
        matrix(py, rows, width)
    }

    fn listen(array: &Bound<'_, PyAny>) -> PyResult<Batch<f32>> {
        rows(array)
    }
}

impl Spoken for u32 {
    fn speak<'py>(py: Python<'py>, rows: &[u32], _: usize) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyArray1::from_iter(py, rows.iter().map(|&index| i64::from(index))).into_any())
    }

    fn listen(array: &Bound<'_, PyAny>) -> PyResult<Batch<u32>> {
        let array: PyReadonlyArray1<'_, i64> = array.extract()?;
        // An index that is none is one that no space has.
        let indices =
            array.as_array().iter().map(|&i| u32::try_from(i).unwrap_or(u32::MAX)).collect();
        Batch::from_vec(1, indices).map_err(|error| PyValueError::new_err(error.to_string()))
    }
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
pub(crate) fn own<A: Action>(bounds: &tutelage::Bounds, mut actions: Batch<A>) -> Batch<A> {
    A::from_unit(bounds, &mut actions);
    actions
}
