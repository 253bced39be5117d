//! Executors that are written in Python and run jobs on other machines. The scheduler of `tutelage-reproduce` uses them.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::Sender;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tutelage_reproduce::{Executor, JobObserver, RemoteTask, TaskEvent, TaskResult, WorkError};

use crate::errors::StoreError;

/// An executor in Python, with the methods `send`, `stop` and `close`.
pub(crate) struct PythonExecutor(pub(crate) Py<PyAny>);

impl Executor for PythonExecutor {
    fn send(&self, task: RemoteTask, events: Sender<TaskEvent>) -> Result<(), WorkError> {
        let RemoteTask { name, payload, needs, is_needed } = task;
        Python::attach(|py| {
            let events = TaskEvents(Mutex::new(events));
            let arguments = (name, PyBytes::new(py, &payload), needs, is_needed, events);
            let sent = self.0.bind(py).call_method1("send", arguments);
            sent.map(|_| ()).map_err(|error| WorkError::Lost(text(py, &error)))
        })
    }

    fn stop(&self) {
        Python::attach(|py| {
            // A task that cannot be stopped runs to its end, which loses nothing.
            let _ = self.0.bind(py).call_method0("stop");
        });
    }
}

impl Drop for PythonExecutor {
    fn drop(&mut self) {
        Python::attach(|py| {
            let _ = self.0.bind(py).call_method0("close");
        });
    }
}

pub(crate) fn text(py: Python<'_>, error: &PyErr) -> String {
    error.value(py).to_string()
}

/// Receives the events of one task from a Python executor.
#[pyclass(frozen)]
pub(crate) struct TaskEvents(Mutex<Sender<TaskEvent>>);

impl TaskEvents {
    fn send(&self, event: TaskEvent) {
        if let Ok(sender) = self.0.lock() {
            // The receiver is gone after a stop.
            let _ = sender.send(event);
        }
    }
}

#[pymethods]
impl TaskEvents {
    /// A round is finished.
    fn round(&self, round: usize) {
        self.send(TaskEvent::Round(round));
    }

    /// The task waits because another process has locked the run's folder.
    fn waits(&self) {
        self.send(TaskEvent::Waits);
    }

    /// The task ended; `output` is `None` if it was stopped. `files` are those of the run's folder, unless it is shared.
    #[pyo3(signature = (output, files))]
    fn done(&self, output: Option<String>, files: Vec<(String, Vec<u8>)>) {
        self.send(TaskEvent::Ended(Ok(TaskResult { output, files })));
    }

    /// The worker is lost; another one may execute the task.
    fn lost(&self, why: String) {
        self.send(TaskEvent::Ended(Err(WorkError::Lost(why))));
    }

    /// The task failed, and would fail again.
    fn failed(&self, why: String) {
        self.send(TaskEvent::Ended(Err(WorkError::Failed(why))));
    }
}

/// The arithmetic of this machine, which must be the same on all machines for bit-identical runs.
#[pyfunction]
pub(crate) fn arithmetic() -> String {
    tutelage_reproduce::arithmetic()
}

/// The files of a run's folder that other runs need.
#[pyfunction]
pub(crate) fn run_files() -> [&'static str; 3] {
    tutelage_reproduce::RUN_FILES
}

/// Executes a run of a figure on the receiving machine; returns its record, or `None` if `observer` stopped it.
#[pyfunction]
pub(crate) fn execute_remote(
    py: Python<'_>,
    task: Vec<u8>,
    runs: PathBuf,
    observer: Py<PyAny>,
) -> PyResult<Option<String>> {
    let observer = RemoteObserver(observer);
    let record = py.detach(|| tutelage_reproduce::execute_remote(&task, &runs, &observer));
    record.map_err(|error| StoreError::new_err(error.to_string()))
}

/// A `tutelage._remote.TaskObserver`.
struct RemoteObserver(Py<PyAny>);

impl JobObserver for RemoteObserver {
    fn round(&self, _: &str, round: usize) {
        Python::attach(|py| {
            let _ = self.0.bind(py).call_method1("round", (round,));
        });
    }

    fn waits(&self, _: &str) {
        Python::attach(|py| {
            let _ = self.0.bind(py).call_method0("waits");
        });
    }

    fn wants_stop(&self) -> bool {
        Python::attach(|py| {
            // Any exception, also that of Ctrl-C, stops the run at a safe point.
            let stops = py
                .check_signals()
                .and_then(|()| self.0.bind(py).call_method0("wants_stop")?.extract::<bool>());
            stops.unwrap_or(true)
        })
    }
}
