//! The run store: a run is its log.
//!
//! ```text
//! DIR/spec.toml                       the frozen spec
//! DIR/log.bin                         append-only: spec, states, answers, results
//! DIR/policies/round-NNN.safetensors  the policy trained after round NNN (000: before the first)
//! DIR/times.jsonl                     how long each phase took; the only thing that differs between equal runs
//! DIR/lock                            held by the process that writes
//! ```
//!
//! Every record is on disk before what it says is used. Counters and curves are derived by replaying the log.

mod disk;
mod frame;
mod history;
mod lock;
mod record;
mod run_dir;
mod times;

pub use disk::{Disk, OsDisk};
pub use history::{History, Round, RoundResult};
pub use record::{Given, Stored};
pub use run_dir::{RunDir, read_history, read_spec};
pub use times::{Seconds, read_times};

pub(crate) use record::Record;
pub(crate) use run_dir::{kept_policies, policy_path};

use std::io;
use std::path::{Path, PathBuf};

/// Why a run could not be opened, read or written. Nothing on disk was lost by it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no run.
    #[error("{path} holds no run (there is no {missing})")]
    NoRun {
        /// The folder.
        path: PathBuf,
        /// The file that should be there.
        missing: &'static str,
    },
    /// Another process writes to it.
    #[error("{path} is in use by another process")]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// The spec is not the one the run began with.
    #[error(
        "{path} was begun with another spec; continue it as it was begun, or choose another folder. It differs in\n{difference}"
    )]
    Spec {
        /// The folder.
        path: PathBuf,
        /// `- frozen` and `+ asked for`, line by line.
        difference: String,
    },
    /// Stored data that the run builds on has changed.
    #[error("{path}: the stored data for {name} has changed since the run began ({detail})")]
    Given {
        /// The folder.
        path: PathBuf,
        /// What the data is for.
        name: String,
        /// What it was and what it is.
        detail: String,
    },
    /// The log is of another version.
    #[error("{path} is in format {found}; this program reads format {supported}")]
    Version {
        /// The log.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// The log is no log.
    #[error("{path} is not a log of a run")]
    NoLog {
        /// The file.
        path: PathBuf,
    },
    /// The log is damaged; nothing was changed.
    #[error("{path} is damaged at byte {offset}: {what}; nothing was changed")]
    Damaged {
        /// The log.
        path: PathBuf,
        /// Where.
        offset: usize,
        /// How.
        what: String,
    },
    /// The disk failed.
    #[error("cannot {what} {path}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

impl StoreError {
    /// A run builds on other data than it noted when it began.
    pub(crate) fn given(path: &Path, noted: &Given, found: &Given) -> Self {
        let detail = format!(
            "{} rows with checksum {:08x} then, {} with {:08x} now",
            noted.rows, noted.checksum, found.rows, found.checksum
        );
        Self::Given { path: path.into(), name: found.name.clone(), detail }
    }
}

/// Says which file an error is about.
pub(crate) trait Context<T> {
    fn context(self, what: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, what: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Io { what, path: path.into(), source })
    }
}
