//! What is finished, and where.

use std::io;
use std::path::{Path, PathBuf};

use tutelage_runs::store::{AnyHistory, Disk, OsDisk, read_any};

use crate::{Record, Run};

/// Records of finished runs, figures, and the run directories.
#[derive(Clone, Debug)]
pub struct Archive {
    results: PathBuf,
    runs: PathBuf,
}

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// A file could not be read or written.
    #[error("cannot {what} {path}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A record is damaged.
    #[error("{path} is no record of a run: {message}; move it away to run it again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// No record is longer.
const LIMIT: u64 = 1 << 26;

impl Archive {
    /// Records and figures in one folder, run directories in another.
    pub fn new(results: impl Into<PathBuf>, runs: impl Into<PathBuf>) -> Self {
        Self { results: results.into(), runs: runs.into() }
    }

    /// Where run directories are.
    pub fn runs(&self) -> &Path {
        &self.runs
    }

    /// The directory of a run.
    pub fn run_path(&self, run: &Run) -> PathBuf {
        self.runs.join(&run.name)
    }

    /// The record of a run.
    pub fn record_path(&self, run: &Run) -> PathBuf {
        self.results.join(run.spec.task.name()).join(format!("{}.json", run.name))
    }

    /// A figure's file of this kind.
    pub fn figure_path(&self, figure: &str, extension: &str) -> PathBuf {
        self.results.join("figures").join(format!("{figure}.{extension}"))
    }

    /// The coordinates of a figure's t-SNE map.
    pub fn map_path(&self, figure: &str) -> PathBuf {
        self.results.join("maps").join(format!("{figure}.csv"))
    }

    /// The record of a run, where it is finished; a run on the clock is as good as any.
    pub fn record(&self, run: &Run) -> Result<Option<Record>, ArchiveError> {
        match self.read(run)? {
            None if !run.timed => self.read(&run.on_the_clock()),
            found => Ok(found),
        }
    }

    fn read(&self, run: &Run) -> Result<Option<Record>, ArchiveError> {
        let path = self.record_path(run);
        let text = match tutelage_files::read_text(&path, LIMIT) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ArchiveError::Io { what: "read", path, source }),
            Ok(text) => text,
        };
        let damaged = |message| ArchiveError::Damaged { path: path.clone(), message };
        let record = Record::parse(&text).map_err(damaged)?;
        if record.run != run.name {
            return Err(damaged(format!("it is the record of {}", record.run)));
        }
        Ok(Some(record))
    }

    /// Whether the annotations of a whole run are in its own directory, where other runs look for them.
    pub fn has_data(&self, run: &Run) -> bool {
        self.whole(run).is_some()
    }

    /// The annotations of a whole run, on the clock or not.
    pub fn data(&self, run: &Run) -> Option<AnyHistory> {
        self.whole(run).or_else(|| self.whole(&run.on_the_clock()))
    }

    fn whole(&self, run: &Run) -> Option<AnyHistory> {
        let history = read_any(&self.run_path(run)).ok()?;
        (history.results().len() == run.spec.rounds).then_some(history)
    }

    /// Keeps a record.
    pub fn save(&self, run: &Run, record: &Record) -> Result<(), ArchiveError> {
        let path = self.record_path(run);
        let text = serde_json::to_string(record).map_err(|error| ArchiveError::Damaged {
            path: path.clone(),
            message: error.to_string(),
        })?;
        self.write(&path, (text + "\n").as_bytes())
    }

    /// Writes a file as a whole or not at all, with its folder where that is missing.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), ArchiveError> {
        let failed = |source| ArchiveError::Io { what: "write", path: path.into(), source };
        if let Some(folder) = path.parent() {
            OsDisk.create_dir(folder).map_err(failed)?;
        }
        OsDisk.replace(path, bytes).map_err(failed)
    }
}
