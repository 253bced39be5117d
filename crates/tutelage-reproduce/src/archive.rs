//! What is finished, and where.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use tutelage_runs::store::{AnyHistory, Disk, OsDisk, read_any};

use crate::{FigurePlan, PlannedRun, RunList, RunRecord};

/// Records of finished runs, figures, and the run directories.
#[derive(Clone, Debug)]
pub struct Archive {
    results: PathBuf,
    runs: PathBuf,
}

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// A run that was played again came out otherwise than its record says.
    #[error(
        "{path} does not hold for the same run, played again: {difference}; move it away to keep what came out now"
    )]
    Otherwise {
        /// The record.
        path: PathBuf,
        /// What is another, and in which round.
        difference: String,
    },
}

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
    pub fn run_path(&self, run: &PlannedRun) -> PathBuf {
        self.runs.join(&run.name)
    }

    /// The record of a run.
    pub fn record_path(&self, run: &PlannedRun) -> PathBuf {
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

    /// Whether the t-SNE map of these states is kept, so that nobody needs the states any more.
    pub(crate) fn has_map(&self, plan: &FigurePlan<'_>, runs: &RunList) -> bool {
        let Ok(text) = tutelage_files::read_text(&self.map_path(&plan.experiment.name)) else {
            return false;
        };
        let made_of: Vec<&str> = text.lines().next().unwrap_or_default().split(' ').collect();
        plan.runs().iter().all(|&run| made_of.contains(&runs[run].name.as_str()))
    }

    /// The record of a run, where it is finished; a run on the clock is as good as any.
    pub fn record(&self, run: &PlannedRun) -> Result<Option<RunRecord>, ArchiveError> {
        match self.read(run)? {
            None if !run.timed => self.read(&run.timed()),
            found => Ok(found),
        }
    }

    fn read(&self, run: &PlannedRun) -> Result<Option<RunRecord>, ArchiveError> {
        let path = self.record_path(run);
        let text = match tutelage_files::read_text(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ArchiveError::Io { what: "read", path, source }),
            Ok(text) => text,
        };
        let damaged = |message| ArchiveError::Damaged { path: path.clone(), message };
        let record = RunRecord::parse(&text).map_err(damaged)?;
        if record.run != run.name {
            return Err(damaged(format!("it is the record of {}", record.run)));
        }
        Ok(Some(record))
    }

    /// Whether the annotations of a whole run are in its own directory, where other runs look for them. A run that came out
    /// otherwise than its record says is not built on.
    pub fn has_data(&self, run: &PlannedRun) -> bool {
        let holds = |history: &AnyHistory| match self.record(run) {
            Ok(Some(kept)) => kept.difference(&run.record(history, &[], 1)).is_none(),
            _ => true,
        };
        self.whole(run).is_some_and(|history| holds(&history))
    }

    /// The annotations of a whole run, on the clock or not.
    pub fn data(&self, run: &PlannedRun) -> Option<AnyHistory> {
        self.whole(run).or_else(|| self.whole(&run.timed()))
    }

    fn whole(&self, run: &PlannedRun) -> Option<AnyHistory> {
        let history = read_any(&self.run_path(run)).ok()?;
        (history.results().len() == run.spec.rounds).then_some(history)
    }

    /// Keeps the record of a run that is finished. A run that has one is only played again for its annotations: its record
    /// stays as it is, and must hold.
    pub fn keep(&self, run: &PlannedRun, record: &RunRecord) -> Result<(), ArchiveError> {
        match self.record(run)? {
            None => self.save(run, record),
            Some(kept) => kept.difference(record).map_or(Ok(()), |difference| {
                // It may be the record of the same run on the clock.
                let path = self.record_path(run).with_file_name(format!("{}.json", kept.run));
                Err(ArchiveError::Otherwise { path, difference })
            }),
        }
    }

    /// Writes a record, whether or not there is one.
    pub fn save(&self, run: &PlannedRun, record: &RunRecord) -> Result<(), ArchiveError> {
        let path = self.record_path(run);
        let text = serde_json::to_string(record).map_err(|error| ArchiveError::Damaged {
            path: path.clone(),
            message: error.to_string(),
        })?;
        // There may be as many records as there are runs: what killed processes left among them is looked for once, not per run.
        put(&path, (text + "\n").as_bytes(), tutelage_files::replace_among_many)
    }

    /// Removes what killed processes left half-written among the records of these runs.
    pub(crate) fn sweep(&self, runs: &RunList) {
        let tasks: BTreeSet<&str> = runs.runs().iter().map(|run| run.spec.task.name()).collect();
        tasks.into_iter().for_each(|task| tutelage_files::sweep(&self.results.join(task)));
    }

    /// Writes a file as a whole or not at all, with its folder where that is missing.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), ArchiveError> {
        put(path, bytes, tutelage_files::replace)
    }
}

/// Writes a file in this way, with its folder where that is missing.
fn put(
    path: &Path,
    bytes: &[u8],
    replace: fn(&Path, &[u8]) -> io::Result<()>,
) -> Result<(), ArchiveError> {
    let failed = |source| ArchiveError::Io { what: "write", path: path.into(), source };
    if let Some(folder) = path.parent() {
        OsDisk.create_dir(folder).map_err(failed)?;
    }
    replace(path, bytes).map_err(failed)
}
