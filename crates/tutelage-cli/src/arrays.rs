//! NumPy arrays in files.

use std::path::Path;

use anyhow::{Context, bail};
use ndarray::{ArrayD, IxDyn};
use ndarray_npy::{ReadNpyError, ReadableElement, read_npy};
use tutelage::Batch;

/// The array in a `.npy` file, of single or double precision, as doubles with its shape.
fn read(path: &Path) -> anyhow::Result<ArrayD<f64>> {
    fn typed<T: ReadableElement>(path: &Path) -> Result<ArrayD<T>, ReadNpyError> {
        read_npy(path)
    }
    let single = match typed::<f32>(path) {
        Err(ReadNpyError::WrongDescriptor(_)) => None,
        other => {
            Some(other.with_context(|| format!("cannot read {}", path.display()))?.mapv(f64::from))
        }
    };
    single.map_or_else(
        || {
            typed::<f64>(path).with_context(|| {
                format!("cannot read {}: neither float32 nor float64", path.display())
            })
        },
        Ok,
    )
}

/// Rows of single precision: an array of two dimensions.
pub(crate) fn read_rows(path: &Path) -> anyhow::Result<Batch<f32>> {
    let array = read(path)?;
    let &[_, width] = array.shape() else {
        bail!(
            "{} has shape {:?}; expected two dimensions: steps, values",
            path.display(),
            array.shape()
        );
    };
    // `iter` goes row by row, however the file orders them.
    Ok(Batch::from_vec(width, array.iter().map(|&value| value as f32).collect())?)
}

/// A list of numbers: an array of one dimension.
pub(crate) fn read_list(path: &Path) -> anyhow::Result<Vec<f64>> {
    let array = read(path)?;
    if array.ndim() != 1 {
        bail!("{} has shape {:?}; expected one dimension", path.display(), array.shape());
    }
    Ok(array.iter().copied().collect())
}

/// A batch as an array of two dimensions.
pub(crate) fn rows(batch: &Batch<f32>) -> anyhow::Result<ArrayD<f32>> {
    let shape = IxDyn(&[batch.len(), batch.width()]);
    Ok(ArrayD::from_shape_vec(shape, batch.as_slice().to_vec())?)
}
