//! NumPy arrays in files.

use std::path::Path;

use anyhow::{Context, bail};
use tutelage::Batch;
use tutelage_files::npy::{NpyArray, NpyType, decode};

/// The maximum size of a file.
const LIMIT: u64 = 1 << 30;

/// Reads a `.npy` file with floats of single or double precision.
fn read(path: &Path) -> anyhow::Result<NpyArray> {
    let array = tutelage_files::read(path, LIMIT)
        .map_err(anyhow::Error::from)
        .and_then(|bytes| Ok(decode(&bytes)?))
        .with_context(|| format!("cannot read {}", path.display()))?;
    match array.kind {
        NpyType::Single | NpyType::Double => Ok(array),
        _ => bail!("{}: expected float32 or float64 values", path.display()),
    }
}

/// Reads a two-dimensional array as rows.
pub(crate) fn read_rows(path: &Path) -> anyhow::Result<Batch<f32>> {
    let array = read(path)?;
    let &[_, width] = &array.shape[..] else {
        bail!("{}: expected shape [steps, values], got {:?}", path.display(), array.shape);
    };
    Ok(Batch::from_vec(width, array.values.iter().map(|&value| value as f32).collect())?)
}

/// Reads a one-dimensional array.
pub(crate) fn read_list(path: &Path) -> anyhow::Result<Vec<f64>> {
    let array = read(path)?;
    match array.shape.len() {
        1 => Ok(array.values),
        _ => bail!("{}: expected one dimension, got shape {:?}", path.display(), array.shape),
    }
}
