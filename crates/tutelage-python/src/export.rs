//! What a run comes to, for other programs.

use std::path::PathBuf;

use pyo3::prelude::*;
use tutelage_lab::export::{Annotations, write_tensorboard};
use tutelage_runs::store::{read_any, read_times};

use crate::errors::exception;

/// Writes a run's annotations as `.npz`; returns how many there are.
#[pyfunction]
pub(crate) fn export_annotations(py: Python<'_>, dir: PathBuf, file: PathBuf) -> PyResult<usize> {
    let history = read_any(&dir).map_err(|error| exception(py, &error))?;
    let annotations = Annotations::of(&history).map_err(|error| exception(py, &error))?;
    annotations.write(&file).map_err(|error| exception(py, &error))?;
    Ok(annotations.rounds.len())
}

/// Puts a file with these bytes in place of the one there, if any: whole, or not at all.
#[pyfunction]
pub(crate) fn replace_file(path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    Ok(tutelage_files::replace(&path, bytes)?)
}

/// Writes a run's curves into a folder for TensorBoard; returns the file.
#[pyfunction]
pub(crate) fn export_tensorboard(
    py: Python<'_>,
    dir: PathBuf,
    folder: PathBuf,
) -> PyResult<PathBuf> {
    let history = read_any(&dir).map_err(|error| exception(py, &error))?;
    let spec = history.spec().lines().find_map(|line| line.strip_prefix("states_per_round = "));
    let k = spec.and_then(|k| k.trim().parse().ok()).unwrap_or(0);
    let times = read_times(&dir);
    let file = write_tensorboard(&history, &history.lines(k, &times), &times, &folder);
    file.map_err(|error| exception(py, &error))
}
