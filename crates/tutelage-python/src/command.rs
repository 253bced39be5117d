//! The `tutelage` command in the interpreter's process.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Carries out a command line, the program's name first, and returns its exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, line: Vec<OsString>) -> u8 {
    py.detach(|| tutelage_cli::command(line))
}
