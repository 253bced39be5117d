//! Records of finished runs, figures, and run folders.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tutelage_runs::store::{AnyHistory, Disk, OsDisk, read_any};

use crate::{FigurePlan, PlannedRun, RunList, RunRecord};

/// The folders of results and of runs.
///
/// The records of a task are lines of JSON in one file, `TASK.jsonl`, sorted by the names of the runs. Single files of
/// version 0.1, `TASK/RUN.json`, are still read.
#[derive(Clone, Debug)]
pub struct Archive {
    results: PathBuf,
    runs: PathBuf,
    cache: Arc<Mutex<HashMap<PathBuf, RecordFile>>>,
}

/// A file of records as it was last read.
#[derive(Clone, Debug)]
struct RecordFile {
    stamp: FileStamp,
    records: Arc<BTreeMap<String, RecordLine>>,
}

/// The time of the last change and the length; `None` without a file.
type FileStamp = Option<(SystemTime, u64)>;

/// A record and its line. Lines are written back unchanged.
#[derive(Clone, Debug)]
struct RecordLine {
    line: String,
    record: RunRecord,
}

/// Why a record could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// A file could not be read or written.
    #[error("cannot {action} {path}")]
    Io {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file does not contain valid records.
    #[error("{path}: {message}; remove the invalid record to execute its run again")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A run that was executed again gave other results than its record.
    #[error(
        "{path}: executing {run} again gave different results ({difference}); remove its record to accept the new ones"
    )]
    Mismatch {
        /// The file with the record.
        path: PathBuf,
        /// The name of the recorded run.
        run: String,
        /// The quantity and the round that differ.
        difference: String,
    },
}

impl Archive {
    /// An archive with these folders of results and of runs.
    pub fn new(results: impl Into<PathBuf>, runs: impl Into<PathBuf>) -> Self {
        Self { results: results.into(), runs: runs.into(), cache: Arc::default() }
    }

    /// Returns the folder that contains all run folders.
    pub fn runs(&self) -> &Path {
        &self.runs
    }

    /// Returns the folder of a run.
    pub fn run_path(&self, run: &PlannedRun) -> PathBuf {
        self.runs.join(&run.name)
    }

    /// Returns the file with the records of a run's task.
    pub fn record_path(&self, run: &PlannedRun) -> PathBuf {
        self.results.join(format!("{}.jsonl", run.spec.task.name()))
    }

    /// Returns a figure's file with this extension.
    pub fn figure_path(&self, figure: &str, extension: &str) -> PathBuf {
        self.results.join("figures").join(format!("{figure}.{extension}"))
    }

    /// Returns the file with the coordinates of a figure's t-SNE map.
    pub fn map_path(&self, figure: &str) -> PathBuf {
        self.results.join("maps").join(format!("{figure}.csv"))
    }

    /// Returns whether the t-SNE map of a figure is stored. Then the states themselves are not needed.
    pub(crate) fn has_map(&self, plan: &FigurePlan<'_>, runs: &RunList) -> bool {
        let Ok(text) = tutelage_files::read_text(&self.map_path(&plan.experiment.name)) else {
            return false;
        };
        let made_of: Vec<&str> = text.lines().next().unwrap_or_default().split(' ').collect();
        plan.runs().iter().all(|&run| made_of.contains(&runs[run].name.as_str()))
    }

    /// Returns the record of a run if it is finished. The record of the timed run serves as well.
    pub fn record(&self, run: &PlannedRun) -> Result<Option<RunRecord>, ArchiveError> {
        match self.read(run)? {
            None if !run.timed => self.read(&run.timed()),
            found => Ok(found),
        }
    }

    fn read(&self, run: &PlannedRun) -> Result<Option<RunRecord>, ArchiveError> {
        match self.records(&self.record_path(run))?.get(&run.name) {
            Some(found) => Ok(Some(found.record.clone())),
            None => self.read_single(run),
        }
    }

    /// Reads a record from a single file, as version 0.1 wrote it.
    fn read_single(&self, run: &PlannedRun) -> Result<Option<RunRecord>, ArchiveError> {
        let path = self.results.join(run.spec.task.name()).join(format!("{}.json", run.name));
        let text = match tutelage_files::read_text(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ArchiveError::Io { action: "read", path, source }),
            Ok(text) => text,
        };
        let message = match RunRecord::parse(&text) {
            Ok(record) if record.run == run.name => return Ok(Some(record)),
            Ok(record) => format!("it is the record of {}", record.run),
            Err(message) => message,
        };
        Err(ArchiveError::Invalid { path, message })
    }

    /// Returns the records of a file. Reads the file only if it has changed.
    fn records(&self, path: &Path) -> Result<Arc<BTreeMap<String, RecordLine>>, ArchiveError> {
        let failed = |source| ArchiveError::Io { action: "read", path: path.into(), source };
        let stamp = stamp(path).map_err(failed)?;
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = cache.get(path).filter(|file| file.stamp == stamp) {
            return Ok(file.records.clone());
        }
        let text = match stamp {
            None => String::new(),
            Some(_) => RunRecord::read_file(path).map_err(failed)?,
        };
        let mut records = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let invalid = |message: &str| ArchiveError::Invalid {
                path: path.into(),
                message: format!("line {number}: {message}"),
            };
            let record = RunRecord::parse(line).map_err(|message| invalid(&message))?;
            let name = record.run.clone();
            if records.insert(name, RecordLine { line: line.into(), record }).is_some() {
                return Err(invalid("second record of the same run"));
            }
        }
        let records = Arc::new(records);
        cache.insert(path.into(), RecordFile { stamp, records: records.clone() });
        Ok(records)
    }

    /// Returns whether the folder of a run has all annotations and agrees with its record.
    pub fn has_data(&self, run: &PlannedRun) -> bool {
        let agrees = |history: &AnyHistory| match self.record(run) {
            Ok(Some(kept)) => kept.difference(&run.record(history, &[], 1)).is_none(),
            _ => true,
        };
        self.complete_history(run).is_some_and(|history| agrees(&history))
    }

    /// Returns the history of a finished run, or of the same run timed.
    pub fn data(&self, run: &PlannedRun) -> Option<AnyHistory> {
        self.complete_history(run).or_else(|| self.complete_history(&run.timed()))
    }

    fn complete_history(&self, run: &PlannedRun) -> Option<AnyHistory> {
        let history = read_any(&self.run_path(run)).ok()?;
        (history.results().len() == run.spec.rounds).then_some(history)
    }

    /// Stores the record of a finished run. An existing record is never replaced: the new one must agree with it.
    pub fn keep(&self, run: &PlannedRun, record: &RunRecord) -> Result<(), ArchiveError> {
        match self.record(run)? {
            None => self.save(run, record),
            Some(kept) => kept.difference(record).map_or(Ok(()), |difference| {
                let path = self.record_path(run);
                Err(ArchiveError::Mismatch { path, run: kept.run, difference })
            }),
        }
    }

    /// Writes a record, replacing an existing one.
    ///
    /// A file lock protects the records of other processes that finish a run at the same time.
    pub fn save(&self, run: &PlannedRun, record: &RunRecord) -> Result<(), ArchiveError> {
        let path = self.record_path(run);
        let failed = |source| ArchiveError::Io { action: "write", path: path.clone(), source };
        let line = serde_json::to_string(record).map_err(|error| failed(error.into()))?;
        OsDisk.create_dir(&self.results).map_err(failed)?;
        let lock = File::create(self.results.join(".lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut records = (*self.records(&path)?).clone();
        records.insert(run.name.clone(), RecordLine { line, record: record.clone() });
        let text: String = records.values().map(|record| format!("{}\n", record.line)).collect();
        tutelage_files::replace(&path, text.as_bytes()).map_err(failed)?;
        let file = RecordFile { stamp: stamp(&path).map_err(failed)?, records: Arc::new(records) };
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone(), file);
        Ok(())
    }

    /// Writes a file atomically, and creates its folder.
    pub fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), ArchiveError> {
        let failed = |source| ArchiveError::Io { action: "write", path: path.into(), source };
        if let Some(folder) = path.parent() {
            OsDisk.create_dir(folder).map_err(failed)?;
        }
        tutelage_files::replace(path, bytes).map_err(failed)
    }
}

fn stamp(path: &Path) -> io::Result<FileStamp> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(metadata) => Ok(Some((metadata.modified()?, metadata.len()))),
    }
}
