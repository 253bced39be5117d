//! Who carries out runs: threads of this process, processes of their own, or others elsewhere.

mod process;
mod remote;
mod threads;

use std::time::Duration;

use tutelage_lab::LabError;
use tutelage_runs::RunError;
use tutelage_runs::store::StoreError;

use crate::{Archive, PlannedRun, RunRecord};

pub use process::{ChildProcess, FILES, serve};
pub use remote::{
    Courier, Delivery, Elsewhere, Logs, News, Parcel, carry_out_elsewhere, send_and_wait,
};
pub use threads::OnThreads;

/// Somebody who carries out runs, one at a time.
///
/// Planning, the order of runs, retries, records and interruption are the scheduler's ([`crate::carry_out`]). A worker gets one
/// run, complete, and gives back its record. One that does not see the archive's folder of runs brings the folders of what the
/// run needs to where it works, and where others need the run, brings its folder back: `spec.toml` and `log.bin` are all
/// that others need of it.
///
/// ```
/// use tutelage_reproduce::{Listener, OnThreads, Order, RunRecord, WorkError, Worker};
///
/// /// Works on threads of this process, and says what.
/// struct Talkative(OnThreads);
/// impl Worker for Talkative {
///     fn carry_out(
///         &self,
///         order: &Order<'_>,
///         listener: &dyn Listener,
///     ) -> Result<Option<RunRecord>, WorkError> {
///         println!("{} begins", order.run.name);
///         self.0.carry_out(order, listener)
///     }
/// }
/// ```
pub trait Worker: Sync {
    /// Carries out a run, from wherever an earlier process left it. Returns no record if the run was told to stop.
    fn carry_out(
        &self,
        order: &Order<'_>,
        listener: &dyn Listener,
    ) -> Result<Option<RunRecord>, WorkError>;
}

/// One run, complete.
pub struct Order<'a> {
    /// The run.
    pub run: &'a PlannedRun,
    /// The runs whose annotations it builds on.
    pub needs: Vec<&'a PlannedRun>,
    /// Whether other runs need its log.
    pub is_needed: bool,
    /// Where runs are kept.
    pub archive: &'a Archive,
}

/// Somebody who is told how a run goes, and says when to stop.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use tutelage_reproduce::Listener;
///
/// /// Counts rounds, and stops after ten.
/// struct TenRounds(AtomicUsize);
/// impl Listener for TenRounds {
///     fn round(&self, round: usize) {
///         self.0.store(round, Ordering::Relaxed);
///     }
///     fn wants_stop(&self) -> bool {
///         self.0.load(Ordering::Relaxed) >= 10
///     }
/// }
/// ```
pub trait Listener: Sync {
    /// A round is over.
    fn round(&self, round: usize) {
        let _ = round;
    }

    /// The run waits, because another process still has its folder.
    fn waits(&self) {}

    /// Whether to stop at the next safe point.
    fn wants_stop(&self) -> bool {
        false
    }
}

/// Why a run has no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkError {
    /// The worker was lost, by no fault of the run: another may carry it out.
    #[error("{0}")]
    Lost(String),
    /// The run itself fails, and would again.
    #[error("{0}")]
    Failed(String),
}

impl From<StoreError> for WorkError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<LabError> for WorkError {
    fn from(error: LabError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// How long to wait before a folder is tried again.
const PATIENCE: Duration = Duration::from_millis(200);

/// Does something with a run's folder as soon as no other process has it. Whoever was to carry out the run before, and was
/// given up, may still be at it: it ends, or finishes the run, and then it is our turn. None where it was told to stop.
fn in_turn<T, E: Into<WorkError>>(
    listener: &dyn Listener,
    is_taken: impl Fn(&E) -> bool,
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<Option<T>, WorkError> {
    let mut told = false;
    loop {
        match attempt() {
            Err(error) if is_taken(&error) => {
                if !std::mem::replace(&mut told, true) {
                    listener.waits();
                }
                if listener.wants_stop() {
                    return Ok(None);
                }
                std::thread::sleep(PATIENCE);
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
