//! The `tutelage` command, run in the interpreter's process.

use std::ffi::OsString;

use pyo3::prelude::*;
use tutelage_cli::{ConnectedExecutor, ExecutorConfig, Storage};

use crate::remote::{PythonExecutor, text};

/// Runs a command line, including the program's name, and returns its exit code. `program` starts the command in another
/// process.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, line: Vec<OsString>, program: Vec<OsString>) -> u8 {
    tutelage_cli::started_as(program);
    tutelage_cli::set_connect(connect);
    py.detach(|| tutelage_cli::command(line))
}

/// The version of the command, with its commit if that is known.
#[pyfunction]
pub(crate) fn version() -> &'static str {
    tutelage_cli::version()
}

fn connect(config: &ExecutorConfig) -> Result<ConnectedExecutor, String> {
    Python::attach(|py| {
        let connected = || -> PyResult<ConnectedExecutor> {
            let storage = config.storage.map(|storage| match storage {
                Storage::Shared => "shared",
                Storage::None => "none",
            });
            let arguments = (&config.kind, &config.address, storage, &config.runs);
            let executor = py.import("tutelage._remote")?.getattr("connect")?.call1(arguments)?;
            Ok(ConnectedExecutor {
                concurrency: executor.getattr("concurrency")?.extract()?,
                notes: executor.getattr("notes")?.extract()?,
                executor: Box::new(PythonExecutor(executor.unbind())),
            })
        };
        connected().map_err(|error| text(py, &error))
    })
}
