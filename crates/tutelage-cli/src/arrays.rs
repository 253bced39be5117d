//! NumPy arrays in files.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use tutelage::Batch;
use tutelage_files::npy::{NpyArray, NpyType, decode};

/// No recording is longer.
const LIMIT: u64 = 1 << 30;

/// The array in a `.npy` file, of single or double precision.
fn read(path: &Path) -> anyhow::Result<NpyArray> {
    let cannot = || format!("cannot read {}", path.display());
    let array =
        decode(&tutelage_files::read(path, LIMIT).with_context(cannot)?).with_context(cannot)?;
    let is_float = matches!(array.kind, NpyType::Single | NpyType::Double);
    ensure!(is_float, "cannot read {}: neither float32 nor float64", path.display());
    Ok(array)
}

/// Rows of single precision: an array of two dimensions.
pub(crate) fn read_rows(path: &Path) -> anyhow::Result<Batch<f32>> {
    let array = read(path)?;
    let &[_, width] = &array.shape[..] else {
        bail!(
            "{} has shape {:?}; expected two dimensions: steps, values",
            path.display(),
            array.shape
        );
    };
    Ok(Batch::from_vec(width, array.values.iter().map(|&value| value as f32).collect())?)
}

/// A list of numbers: an array of one dimension.
pub(crate) fn read_list(path: &Path) -> anyhow::Result<Vec<f64>> {
    let array = read(path)?;
    if array.shape.len() != 1 {
        bail!("{} has shape {:?}; expected one dimension", path.display(), array.shape);
    }
    Ok(array.values)
}
