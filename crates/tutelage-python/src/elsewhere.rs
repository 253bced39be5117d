//! Runs on other machines: engines written in Python carry them, the scheduler of `tutelage-reproduce` decides.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::Sender;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tutelage_cli::{Destination, Hired, Storage};
use tutelage_reproduce::{Courier, Delivery, Listener, News, Parcel, WorkError};

use crate::errors::{Kind, raise};

/// An engine in Python, which takes runs to other machines.
pub(crate) struct Engine(pub(crate) Py<PyAny>);

impl Courier for Engine {
    fn send(&self, parcel: Parcel, news: Sender<News>) -> Result<(), WorkError> {
        Python::attach(|py| {
            let Parcel { name, task, needs, is_needed } = parcel;
            let post = Post { news: Mutex::new(news) };
            let task = PyBytes::new(py, &task);
            let sent = self.0.bind(py).call_method1("send", (name, task, needs, is_needed, post));
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
    news: Mutex<Sender<News>>,
}

impl Post {
    /// Whoever waited may have been told to stop, and is gone.
    fn tell(&self, news: News) {
        if let Ok(sender) = self.news.lock() {
            let _ = sender.send(news);
        }
    }
}

#[pymethods]
impl Post {
    /// A round is over.
    fn round(&self, round: usize) {
        self.tell(News::Round(round));
    }

    /// Another process still has the run's folder.
    fn waits(&self) {
        self.tell(News::Waits);
    }

    /// The run is finished, or was told to stop and has no result; its files, where they are not in the folder of runs.
    #[pyo3(signature = (result, files))]
    fn done(&self, result: Option<String>, files: Vec<(String, Vec<u8>)>) {
        self.tell(News::Ended(Ok(Delivery { result, files })));
    }

    /// Whoever carried out the run is gone; another may carry it out.
    fn lost(&self, why: String) {
        self.tell(News::Ended(Err(WorkError::Lost(why))));
    }

    /// The run fails, and would again.
    fn failed(&self, why: String) {
        self.tell(News::Ended(Err(WorkError::Failed(why))));
    }
}

/// Finds an engine for the command.
pub(crate) fn hire(destination: &Destination) -> Result<Hired, String> {
    Python::attach(|py| {
        let hired = || -> PyResult<Hired> {
            let module = py.import("tutelage._elsewhere")?;
            let storage = destination.storage.map(|storage| match storage {
                Storage::Shared => "shared",
                Storage::None => "none",
            });
            let where_to = (&destination.engine, &destination.address, storage, &destination.runs);
            let engine = module.getattr("hire")?.call1(where_to)?;
            Ok(Hired {
                at_once: engine.getattr("at_once")?.extract()?,
                notes: engine.getattr("notes")?.extract()?,
                courier: Box::new(Engine(engine.unbind())),
            })
        };
        hired().map_err(|error| in_words(py, &error))
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
    tutelage_reproduce::FILES
}

/// The other side: carries out a figure's run in a folder of runs; returns its record, or nothing where `ear` wanted to stop.
#[pyfunction]
pub(crate) fn carry_out_elsewhere(
    py: Python<'_>,
    task: Vec<u8>,
    runs: PathBuf,
    ear: Py<PyAny>,
) -> PyResult<Option<String>> {
    let record = py.detach(|| tutelage_reproduce::carry_out_elsewhere(&task, &runs, &Ear(ear)));
    record.map_err(|error| raise(py, Kind::Store, error.to_string(), None))
}

/// Somebody in Python who listens to a run: `round(n)`, `waits()`, `wants_stop()`.
struct Ear(Py<PyAny>);

impl Listener for Ear {
    fn round(&self, round: usize) {
        Python::attach(|py| {
            let _ = self.0.bind(py).call_method1("round", (round,));
        });
    }

    fn waits(&self) {
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
