//! Workers: they execute runs on threads, in child processes, or on other machines.

mod process;
mod remote;
mod threads;

use std::time::Duration;

use tutelage_runs::RunError;
use tutelage_runs::error_text;
use tutelage_runs::store::StoreError;
use tutelage_spec::LabError;

use crate::{Archive, JobProgress, PlannedRun, RunRecord};

pub use process::{ProcessWorker, RUN_FILES, serve};
pub use remote::{
    Executor, RemoteTask, RemoteWorker, TaskEvent, TaskResult, execute_remote, send_and_wait,
};
pub use threads::ThreadWorker;

/// Executes runs, one at a time.
///
/// The scheduler ([`crate::execute`]) handles order, retries, records and interruption. A worker gets one run and
/// returns its record. A worker without access to the archive's run folders must copy the folders that the run needs,
/// and must copy the folder of the run back if other runs need it (`spec.toml` and `log.bin` suffice).
pub trait Worker: Sync {
    /// Executes a run, resuming an earlier attempt. Returns `None` if the run was stopped.
    fn execute(
        &self,
        order: &WorkOrder<'_>,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunRecord>, WorkError>;
}

/// A run with everything that a worker needs to execute it.
pub struct WorkOrder<'a> {
    /// The run.
    pub run: &'a PlannedRun,
    /// The runs whose annotations it reads.
    pub needs: Vec<&'a PlannedRun>,
    /// Whether other runs need its log.
    pub is_needed: bool,
    /// The location of records and run folders.
    pub archive: &'a Archive,
}

/// Why a run has no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkError {
    /// The worker was lost; another worker may succeed.
    #[error("{0}")]
    Lost(String),
    /// The run itself fails, and would fail again.
    #[error("{0}")]
    Failed(String),
}

impl WorkError {
    /// A failure of the run. Includes all sources of the error, because only text crosses process boundaries.
    pub(crate) fn failed(error: impl std::error::Error) -> Self {
        Self::Failed(error_text(&error))
    }
}

impl From<StoreError> for WorkError {
    fn from(error: StoreError) -> Self {
        Self::failed(error)
    }
}

impl From<LabError> for WorkError {
    fn from(error: LabError) -> Self {
        Self::failed(error)
    }
}

/// The interval between two attempts to lock a run folder, and between two checks for a stop.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Repeats an attempt until no other process has locked the run folder. Returns `None` if it was stopped.
///
/// A worker that was given up as lost may still be alive. It ends or finishes the run; then the lock is free.
fn when_unlocked<T, E: Into<WorkError>>(
    progress: &JobProgress<'_>,
    is_locked: impl Fn(&E) -> bool,
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<Option<T>, WorkError> {
    let mut reported = false;
    loop {
        match attempt() {
            Err(error) if is_locked(&error) => {
                if !std::mem::replace(&mut reported, true) {
                    progress.waits();
                }
                if progress.wants_stop() {
                    return Ok(None);
                }
                std::thread::sleep(POLL_INTERVAL);
            }
            outcome => return outcome.map(Some).map_err(Into::into),
        }
    }
}

fn is_locked(error: &StoreError) -> bool {
    matches!(error, StoreError::Locked { .. })
}

fn lab_is_locked(error: &LabError) -> bool {
    match error {
        LabError::Store(error) | LabError::Run(RunError::Store(error)) => is_locked(error),
        _ => false,
    }
}
