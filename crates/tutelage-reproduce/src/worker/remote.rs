//! A run elsewhere: on another machine, through whatever takes it there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};

use serde::{Deserialize, Serialize};
use tutelage_lab::spec::RunSpec;

use super::{Listener, OnThreads, Order, PATIENCE, WorkError, Worker};
use crate::{Archive, PlannedRun, RunRecord};

/// Takes parcels elsewhere, and brings news of them.
///
/// ```
/// use std::sync::mpsc::Sender;
/// use tutelage_reproduce::{Courier, Delivery, News, Parcel, WorkError};
///
/// /// Takes nothing anywhere: what it is given comes to nothing at once.
/// struct Lazy;
/// impl Courier for Lazy {
///     fn send(&self, _parcel: Parcel, news: Sender<News>) -> Result<(), WorkError> {
///         let _ = news.send(News::Ended(Ok(Delivery::default())));
///         Ok(())
///     }
///     fn stop(&self) {}
/// }
///
/// let (sender, news) = std::sync::mpsc::channel();
/// Lazy.send(Parcel::default(), sender)?;
/// assert!(matches!(news.recv(), Ok(News::Ended(Ok(Delivery { result: None, .. })))));
/// # Ok::<(), WorkError>(())
/// ```
pub trait Courier: Sync {
    /// Sends a parcel away, and returns at once. News of it come at any time and from any thread; [`News::Ended`] is the last.
    fn send(&self, parcel: Parcel, news: Sender<News>) -> Result<(), WorkError>;

    /// Has everything that is under way stop at its next safe point. Called several times, it stops once.
    fn stop(&self);
}

/// What is sent.
#[derive(Clone, Debug, Default)]
pub struct Parcel {
    /// The run's name.
    pub name: String,
    /// What [`carry_out_elsewhere`] is to do.
    pub task: Vec<u8>,
    /// The runs whose folders it needs.
    pub needs: Vec<String>,
    /// Whether other runs need its folder.
    pub is_needed: bool,
}

/// What is heard of a parcel.
#[derive(Debug)]
pub enum News {
    /// A round is over.
    Round(usize),
    /// The run waits, because another process still has its folder.
    Waits,
    /// It is over.
    Ended(Result<Delivery, WorkError>),
}

/// What comes back.
#[derive(Debug, Default)]
pub struct Delivery {
    /// What the run came to; nothing where it was told to stop.
    pub result: Option<String>,
    /// The files of its folder, where that is elsewhere.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Delivery {
    /// Puts the files into a folder: each whole or not at all, the log last, for a folder without it holds no run.
    pub fn unpack(&self, dir: &Path) -> Result<(), WorkError> {
        let is_log = |file: &&(String, Vec<u8>)| file.0 == "log.bin";
        let (log, rest): (Vec<_>, Vec<_>) = self.files.iter().partition(is_log);
        rest.into_iter().chain(log).try_for_each(|(name, bytes)| {
            let path = dir.join(name);
            let written = is_plain(name).and_then(|()| {
                fs::create_dir_all(path.parent().unwrap_or(dir))?;
                tutelage_files::replace(&path, bytes)
            });
            written.map_err(|error| {
                WorkError::Failed(format!("cannot write {}: {error}", path.display()))
            })
        })
    }
}

/// A path that leads nowhere but into the folder.
fn is_plain(name: &str) -> io::Result<()> {
    let plain = |part| matches!(part, std::path::Component::Normal(_));
    match Path::new(name).components().all(plain) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file of a run's folder")),
    }
}

/// Sends a parcel and waits for what comes back, passing on news.
pub fn send_and_wait(
    courier: &dyn Courier,
    parcel: Parcel,
    listener: &dyn Listener,
) -> Result<Delivery, WorkError> {
    let (sender, news) = channel();
    courier.send(parcel, sender)?;
    let mut told = false;
    loop {
        match news.recv_timeout(PATIENCE) {
            Ok(News::Round(round)) => listener.round(round),
            Ok(News::Waits) => listener.waits(),
            Ok(News::Ended(delivery)) => return delivery,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(WorkError::Lost("nobody tells of it any more".into()));
            }
        }
        if listener.wants_stop() && !std::mem::replace(&mut told, true) {
            courier.stop();
        }
    }
}

/// Carries out runs elsewhere, one at a time.
pub struct Elsewhere<'a> {
    /// Who takes them there.
    pub courier: &'a dyn Courier,
    /// On how many threads each is to run.
    pub threads: usize,
    /// Which logs come back from where the archive's folder of runs is not seen.
    pub logs: Logs,
}

/// Logs that come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logs {
    /// Those that other runs need.
    Needed,
    /// All of them, as for a figure that shows states.
    All,
}

/// A figure's run as it travels.
#[derive(Debug, Serialize, Deserialize)]
struct Task {
    name: String,
    spec: String,
    expert: String,
    threads: usize,
}

impl Worker for Elsewhere<'_> {
    fn carry_out(
        &self,
        order: &Order<'_>,
        listener: &dyn Listener,
    ) -> Result<Option<RunRecord>, WorkError> {
        let run = order.run;
        let task = Task {
            name: run.name.clone(),
            spec: run.spec.to_toml(),
            expert: run.expert.clone(),
            threads: self.threads,
        };
        let task = serde_json::to_vec(&task).map_err(|error| fault(&error))?;
        let needs = order.needs.iter().map(|need| need.name.clone()).collect();
        let name = run.name.clone();
        let is_needed = order.is_needed || self.logs == Logs::All;
        let parcel = Parcel { name, task, needs, is_needed };
        let delivery = send_and_wait(self.courier, parcel, listener)?;
        delivery.unpack(&order.archive.run_path(run))?;
        let record = delivery.result.as_deref().map(RunRecord::parse).transpose();
        let record = record.map_err(|error| fault(&format!("no record came back: {error}")))?;
        match record {
            Some(record) if record.run != run.name => {
                Err(fault(&format!("the record of {} came back", record.run)))
            }
            record => Ok(record),
        }
    }
}

fn fault(error: &dyn std::fmt::Display) -> WorkError {
    WorkError::Failed(error.to_string())
}

/// The other side: carries out the run of a parcel in a folder of runs, in which those that it needs are; returns its record,
/// or nothing where it was told to stop.
pub fn carry_out_elsewhere(
    task: &[u8],
    runs: &Path,
    listener: &dyn Listener,
) -> Result<Option<String>, WorkError> {
    let task: Task = serde_json::from_slice(task).map_err(|error| fault(&error))?;
    let spec = RunSpec::parse(&task.spec).map_err(|error| fault(&error))?;
    let Task { name, expert, threads, .. } = task;
    let run = PlannedRun { name, spec, expert, needs: vec![], timed: false };
    // Only the folder of runs is used here: records are kept by whoever sent the parcel.
    let archive = Archive::new(PathBuf::new(), runs);
    let order = Order { run: &run, needs: vec![], is_needed: false, archive: &archive };
    let record = OnThreads(threads).carry_out(&order, listener)?;
    let text = record.map(|record| serde_json::to_string(&record)).transpose();
    text.map_err(|error| fault(&error))
}
