//! The run store: a run is its log.
//!
//! ```text
//! DIR/spec.toml                       the frozen spec
//! DIR/log.bin                         append-only: spec, queries, replies, results; locked by the process that writes
//! DIR/policies/round-NNN.safetensors  the policy trained after round NNN (000: before the first)
//! DIR/rounds.csv                      the result of each round, derived from the log and rewritten after every round
//! DIR/times.jsonl                     how long each stage took; the only file that differs between equal runs
//! ```
//!
//! Every record is on disk before its contents are used. Counters and curves are derived by replaying the log.

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

/// Why a run could not be opened, read or written. Nothing on disk was lost.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The folder contains no run.
    #[error("{path} contains no run (there is no {missing})")]
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
    /// The log is missing, and with it the annotations.
    #[error(
        "{path} has a {left}, but its log.bin, which holds the annotations, is missing or empty; restore the log, or use another folder"
    )]
    LogLost {
        /// The folder.
        path: PathBuf,
        /// A remaining file of the run.
        left: &'static str,
    },
    /// The log changed while this process held its lock.
    #[error(
        "{path} changed unexpectedly ({detail}): another process is writing to it, or the file was replaced"
    )]
    ChangedExternally {
        /// The log.
        path: PathBuf,
        /// How it changed.
        detail: String,
    },
    /// The folder's spec and its log belong to different runs.
    #[error("{path}: spec.toml and log.bin belong to different runs. They differ in\n{difference}")]
    Mixed {
        /// The folder.
        path: PathBuf,
        /// `- spec.toml` and `+ log.bin`, line by line.
        difference: String,
    },
    /// A stored policy is not the one that the run trained.
    #[error("{path} is damaged or belongs to another run: {detail}")]
    Policy {
        /// The file.
        path: PathBuf,
        /// How it differs from the log.
        detail: String,
    },
    /// A record is too large.
    #[error("a record of {bytes} bytes is too large for the log; use fewer states per round")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The spec is not the one that the run was started with.
    #[error(
        "{path} was started with another spec; resume it with that one, or use another folder. They differ in\n{difference}"
    )]
    Spec {
        /// The folder.
        path: PathBuf,
        /// `- frozen` and `+ requested`, line by line.
        difference: String,
    },
    /// An input of the run has changed.
    #[error("{path}: the stored data for {name} has changed since the run started ({detail})")]
    Changed {
        /// The folder.
        path: PathBuf,
        /// The input's name.
        name: String,
        /// What it was and what it is.
        detail: String,
    },
    /// The log has a newer format.
    #[error("{path} is in format {found}; this program reads format {supported}")]
    Version {
        /// The log.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The newest version that this program reads.
        supported: u32,
    },
    /// The file is not a log.
    #[error("{path} is not a log of a run")]
    NotALog {
        /// The file.
        path: PathBuf,
    },
    /// The log is damaged; nothing was changed.
    #[error("{path} is damaged at byte {offset}: {what}; nothing was changed")]
    Damaged {
        /// The log.
        path: PathBuf,
        /// The offset of the damaged record.
        offset: usize,
        /// The problem.
        what: String,
    },
    /// A file operation failed.
    #[error("cannot {what} {path}")]
    Io {
        /// The operation.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl StoreError {
    /// Returns a function that adds the operation and the file to an I/O error.
    ///
    /// ```
    /// use std::path::Path;
    /// use tutelage_runs::store::StoreError;
    ///
    /// let path = Path::new("no such file");
    /// let error = std::fs::read(path).map_err(StoreError::io("read", path)).unwrap_err();
    /// assert_eq!(error.to_string(), "cannot read no such file");
    /// ```
    pub fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }

    /// An input differs from its recorded fingerprint.
    pub fn changed(path: &Path, recorded: &Fingerprint, found: &Fingerprint) -> Self {
        let detail = format!(
            "{} rows with checksum {:08x} then, {} with {:08x} now",
            recorded.rows, recorded.checksum, found.rows, found.checksum
        );
        Self::Changed { path: path.into(), name: found.name.clone(), detail }
    }
}
