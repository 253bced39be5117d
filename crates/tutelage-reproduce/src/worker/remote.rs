//! Runs on other machines.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};

use serde::{Deserialize, Serialize};
use tutelage_spec::spec::RunSpec;

use super::{POLL_INTERVAL, ThreadWorker, WorkError, WorkOrder, Worker};
use crate::{Archive, JobObserver, JobProgress, PlannedRun, RunRecord};

/// Sends tasks to other machines and reports events about them.
pub trait Executor: Sync {
    /// Sends a task and returns at once. Events may come from any thread; [`TaskEvent::Ended`] is the last.
    fn send(&self, task: RemoteTask, events: Sender<TaskEvent>) -> Result<(), WorkError>;

    /// Asks all running tasks to stop at their next safe point. Further calls have no effect.
    fn stop(&self);
}

/// A task for another machine.
#[derive(Clone, Debug, Default)]
pub struct RemoteTask {
    /// The name of the run.
    pub name: String,
    /// The input of [`execute_remote`].
    pub payload: Vec<u8>,
    /// The runs whose folders it needs.
    pub needs: Vec<String>,
    /// Whether other runs need its folder.
    pub is_needed: bool,
}

/// Something that happened to a task.
#[derive(Debug)]
pub enum TaskEvent {
    /// A round is finished.
    Round(usize),
    /// The run waits because another process has locked its folder.
    Waits,
    /// The task ended.
    Ended(Result<TaskResult, WorkError>),
}

/// The result of a task.
#[derive(Debug, Default)]
pub struct TaskResult {
    /// The record of the run, or `None` if it was stopped.
    pub output: Option<String>,
    /// The files of its folder, if the sender cannot see the folder.
    pub files: Vec<(String, Vec<u8>)>,
}

impl TaskResult {
    /// Writes the files into a folder, each atomically. The log is last, because a folder with a log counts as a run.
    pub fn unpack(&self, dir: &Path) -> Result<(), WorkError> {
        let is_log = |file: &&(String, Vec<u8>)| file.0 == "log.bin";
        let (log, rest): (Vec<_>, Vec<_>) = self.files.iter().partition(is_log);
        rest.into_iter().chain(log).try_for_each(|(name, bytes)| {
            let path = dir.join(name);
            let written = check_relative(name).and_then(|()| {
                fs::create_dir_all(path.parent().unwrap_or(dir))?;
                tutelage_files::replace(&path, bytes)
            });
            written.map_err(|error| {
                WorkError::Failed(format!("cannot write {}: {error}", path.display()))
            })
        })
    }
}

/// Rejects paths that lead out of the folder.
fn check_relative(name: &str) -> io::Result<()> {
    let is_normal = |part| matches!(part, std::path::Component::Normal(_));
    match Path::new(name).components().all(is_normal) {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "path outside the run folder")),
    }
}

/// Sends a task, reports its events, and waits for its result.
pub fn send_and_wait(
    executor: &dyn Executor,
    task: RemoteTask,
    progress: &JobProgress<'_>,
) -> Result<TaskResult, WorkError> {
    let (sender, events) = channel();
    executor.send(task, sender)?;
    let mut stopped = false;
    loop {
        match events.recv_timeout(POLL_INTERVAL) {
            Ok(TaskEvent::Round(round)) => progress.round(round),
            Ok(TaskEvent::Waits) => progress.waits(),
            Ok(TaskEvent::Ended(result)) => return result,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(WorkError::Lost("the executor dropped the task".into()));
            }
        }
        if progress.wants_stop() && !std::mem::replace(&mut stopped, true) {
            executor.stop();
        }
    }
}

/// Executes runs on other machines, one at a time.
pub struct RemoteWorker<'a> {
    /// Sends runs to the other machines.
    pub executor: &'a dyn Executor,
    /// The number of threads for each run.
    pub threads: usize,
    /// Whether to copy back the logs of all runs, not only of those that other runs need. Figures of states need all logs.
    pub all_logs: bool,
}

/// A run of a figure, serialized.
#[derive(Debug, Serialize, Deserialize)]
struct RemoteRun {
    name: String,
    spec: String,
    expert: String,
    threads: usize,
}

impl Worker for RemoteWorker<'_> {
    fn execute(
        &self,
        order: &WorkOrder<'_>,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunRecord>, WorkError> {
        let run = order.run;
        let payload = RemoteRun {
            name: run.name.clone(),
            spec: run.spec.to_toml(),
            expert: run.expert.clone(),
            threads: self.threads,
        };
        let task = RemoteTask {
            name: run.name.clone(),
            payload: serde_json::to_vec(&payload).map_err(WorkError::failed)?,
            needs: order.needs.iter().map(|need| need.name.clone()).collect(),
            is_needed: order.is_needed || self.all_logs,
        };
        let result = send_and_wait(self.executor, task, progress)?;
        result.unpack(&order.archive.run_path(run))?;
        let record = result.output.as_deref().map(RunRecord::parse).transpose();
        match record {
            Err(error) => Err(WorkError::Failed(format!("invalid record returned: {error}"))),
            Ok(Some(record)) if record.run != run.name => {
                Err(WorkError::Failed(format!("record of another run returned ({})", record.run)))
            }
            Ok(record) => Ok(record),
        }
    }
}

/// Executes the run of a [`RemoteTask`] on the receiving machine, in a folder that contains the runs it needs.
///
/// Returns its record, or `None` if it was stopped.
pub fn execute_remote(
    payload: &[u8],
    runs: &Path,
    observer: &dyn JobObserver,
) -> Result<Option<String>, WorkError> {
    let run: RemoteRun = serde_json::from_slice(payload).map_err(WorkError::failed)?;
    let spec = RunSpec::parse(&run.spec).map_err(WorkError::failed)?;
    let RemoteRun { name, expert, threads, .. } = run;
    let run = PlannedRun { name, spec, expert, needs: vec![], timed: false };
    // The sender stores the record; only the run folder is used here.
    let archive = Archive::new(PathBuf::new(), runs);
    let order = WorkOrder { run: &run, needs: vec![], is_needed: false, archive: &archive };
    let progress = JobProgress { job: &run.name, observer };
    let record = ThreadWorker(threads).execute(&order, &progress)?;
    let text = record.map(|record| serde_json::to_string(&record)).transpose();
    text.map_err(WorkError::failed)
}
