//! The `tutelage` command in the interpreter's process.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::elsewhere::connect;

/// Carries out a command line, the program's name first, and returns its exit code. `again` is how it is started in another
/// process.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, line: Vec<OsString>, again: Vec<OsString>) -> u8 {
    tutelage_cli::started_as(again);
    tutelage_cli::set_connect(connect);
    py.detach(|| tutelage_cli::command(line))
}
