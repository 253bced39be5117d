//! Runs on other machines: engines written in Python carry them, the scheduler of `tutelage-reproduce` decides.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::Sender;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tutelage_cli::{ConnectedExecutor, ExecutorConfig, Storage};
use tutelage_reproduce::{Executor, JobObserver, RemoteTask, TaskEvent, TaskResult, WorkError};

use crate::errors::{Kind, raise};

/// An engine in Python, which takes runs to other machines.
pub(crate) struct Engine(pub(crate) Py<PyAny>);

impl Executor for Engine {
    fn send(&self, task: RemoteTask, events: Sender<TaskEvent>) -> Result<(), WorkError> {
        Python::attach(|py| {
            let RemoteTask { name, payload, needs, is_needed } = task;
            let post = Post { events: Mutex::new(events) };
            let payload = PyBytes::new(py, &payload);
            let sent =
                self.0.bind(py).call_method1("send", (name, payload, needs, is_needed, post));
            sent.map(|_| ()).map_err(|error| WorkError::Lost(in_words(py, &error)))
        })
    }

    fn stop(&self) {
        Python::attach(|py| {
            // One that cannot be told goes on to its end, which loses nothing.
            let _ = self.0.bind(py).call_method0("stop");
        });
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        Python::attach(|py| {
            let _ = self.0.bind(py).call_method0("close");
        });
    }
}

fn in_words(py: Python<'_>, error: &PyErr) -> String {
    error.value(py).to_string()
}

/// Where an engine tells of one run.
#[pyclass(frozen)]
pub(crate) struct Post {
    events: Mutex<Sender<TaskEvent>>,
}

impl Post {
    /// Whoever waited may have been told to stop, and is gone.
    fn tell(&self, events: TaskEvent) {
        if let Ok(sender) = self.events.lock() {
            let _ = sender.send(events);
        }
    }
}

#[pymethods]
impl Post {
    /// A round is over.
    fn round(&self, round: usize) {
        self.tell(TaskEvent::Round(round));
    }

    /// Another process still has the run's folder.
    fn waits(&self) {
        self.tell(TaskEvent::Waits);
    }

    /// The run is finished, or was told to stop and has no result; its files, where they are not in the folder of runs.
    #[pyo3(signature = (result, files))]
    fn done(&self, result: Option<String>, files: Vec<(String, Vec<u8>)>) {
        self.tell(TaskEvent::Ended(Ok(TaskResult { output: result, files })));
    }

    /// Whoever carried out the run is gone; another may carry it out.
    fn lost(&self, why: String) {
        self.tell(TaskEvent::Ended(Err(WorkError::Lost(why))));
    }

    /// The run fails, and would again.
    fn failed(&self, why: String) {
        self.tell(TaskEvent::Ended(Err(WorkError::Failed(why))));
    }
}

/// Finds an engine for the command.
pub(crate) fn connect(config: &ExecutorConfig) -> Result<ConnectedExecutor, String> {
    Python::attach(|py| {
        let connected = || -> PyResult<ConnectedExecutor> {
            let module = py.import("tutelage._elsewhere")?;
            let storage = config.storage.map(|storage| match storage {
                Storage::Shared => "shared",
                Storage::None => "none",
            });
            let where_to = (&config.kind, &config.address, storage, &config.runs);
            let engine = module.getattr("hire")?.call1(where_to)?;
            Ok(ConnectedExecutor {
                concurrency: engine.getattr("at_once")?.extract()?,
                notes: engine.getattr("notes")?.extract()?,
                executor: Box::new(Engine(engine.unbind())),
            })
        };
        connected().map_err(|error| in_words(py, &error))
    })
}

/// What must be the same on all machines for runs to have the same bits: the program, and the arithmetic.
#[pyfunction]
pub(crate) fn program() -> (&'static str, String) {
    (tutelage_cli::version(), tutelage_reproduce::arithmetic())
}

/// The files of a run's folder that others need.
#[pyfunction]
pub(crate) fn travelling_files() -> [&'static str; 3] {
    tutelage_reproduce::RUN_FILES
}

/// The other side: carries out a figure's run in a folder of runs; returns its record, or nothing where `ear` wanted to stop.
#[pyfunction]
pub(crate) fn carry_out_elsewhere(
    py: Python<'_>,
    task: Vec<u8>,
    runs: PathBuf,
    ear: Py<PyAny>,
) -> PyResult<Option<String>> {
    let record = py.detach(|| tutelage_reproduce::execute_remote(&task, &runs, &Ear(ear)));
    record.map_err(|error| raise(py, Kind::Store, error.to_string(), None))
}

/// Somebody in Python who listens to a run: `round(n)`, `waits()`, `wants_stop()`.
struct Ear(Py<PyAny>);

impl JobObserver for Ear {
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
            // Whatever ends the process's work, Ctrl-C included, ends the run at a safe point.
            let goes_on = py
                .check_signals()
                .and_then(|()| self.0.bind(py).call_method0("wants_stop")?.extract::<bool>());
            goes_on.unwrap_or(true)
        })
    }
}
