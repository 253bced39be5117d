//! The run store: a run is its log.
//!
//! ```text
//! DIR/spec.toml                       the frozen spec
//! DIR/log.bin                         append-only: spec, questions, replies, results; locked by the process that writes
//! DIR/policies/round-NNN.safetensors  the policy trained after round NNN (000: before the first)
//! DIR/rounds.csv                      what each round came to, as the log says it; written anew after every round
//! DIR/times.jsonl                     how long each phase took; the only thing that differs between equal runs
//! ```
//!
//! Every record is on disk before what it says is used. Counters and curves are derived by replaying the log.

mod any;
mod discard;
mod disk;
mod frame;
mod history;
mod history_builder;
mod reading;
mod record;
mod run_dir;
mod salvage;
mod times;
mod writer;

pub use any::{AnyHistory, read_any};
pub use discard::discard;
pub use disk::{Disk, LogFile, OsDisk};
pub use history::{History, RoundResult};
pub use reading::{
    decode_log, kept_policies, policy_path, read_history, read_policy, read_spec, truncated_bytes,
};
pub use record::{Fingerprint, PolicyNote};
pub use run_dir::{RunDir, TruncatedTail};
pub use salvage::{Salvaged, salvage};
pub use times::{RoundTimings, read_times};
pub use writer::writer_of;

pub(crate) use record::{Record, StoredQueries};

use std::io;
use std::path::{Path, PathBuf};

/// Why a run could not be opened, read or written. Nothing on disk was lost by it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// The log is gone, and with it what the expert said.
    #[error(
        "{path} has a {left}, but its log.bin, which holds what the expert said, is missing or empty; put the log back, or begin in another folder"
    )]
    LogLost {
        /// The folder.
        path: PathBuf,
        /// What is left of the run.
        left: &'static str,
    },
    /// Somebody else wrote to the log while we held it.
    #[error(
        "{path} has changed under this process ({detail}); somebody else writes to it, or has put another in its place"
    )]
    Intruder {
        /// The log.
        path: PathBuf,
        /// How it has changed.
        detail: String,
    },
    /// The folder's spec and its log are of different runs.
    #[error("{path}: spec.toml and log.bin are of different runs. They differ in\n{difference}")]
    Mixed {
        /// The folder.
        path: PathBuf,
        /// `- spec.toml` and `+ log.bin`, line by line.
        difference: String,
    },
    /// A stored policy is not the one that the run trained.
    #[error("{path} is damaged or of another run: {detail}")]
    Policy {
        /// The file.
        path: PathBuf,
        /// How it differs from what the log says.
        detail: String,
    },
    /// A record that is too large to be written.
    #[error("a record of {bytes} bytes is too large for the log; rounds must be smaller")]
    TooLarge {
        /// How large.
        bytes: usize,
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
    Changed {
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
    /// The file is not a log.
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
    pub fn changed(path: &Path, noted: &Fingerprint, found: &Fingerprint) -> Self {
        let detail = format!(
            "{} rows with checksum {:08x} then, {} with {:08x} now",
            noted.rows, noted.checksum, found.rows, found.checksum
        );
        Self::Changed { path: path.into(), name: found.name.clone(), detail }
    }
}

/// Says which file an error is about.
///
/// ```
/// use std::path::Path;
/// use tutelage_runs::store::Context;
///
/// let path = Path::new("no such file");
/// let error = std::fs::read(path).context("read", path).unwrap_err();
/// assert!(error.to_string().starts_with("cannot read no such file"));
/// ```
pub trait Context<T> {
    /// What was tried on which file.
    fn context(self, what: &'static str, path: &Path) -> Result<T, StoreError>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, what: &'static str, path: &Path) -> Result<T, StoreError> {
        self.map_err(|source| StoreError::Io { what, path: path.into(), source })
    }
}
