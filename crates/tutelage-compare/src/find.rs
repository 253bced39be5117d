//! Finds and reads runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tutelage::evaluation::Evaluation;
use tutelage_runs::store::{StoreError, read_any};

use crate::{ComparedRun, RunRecord, SpecFields};

/// Why runs could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// A run folder could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file or folder could not be read.
    #[error("cannot read {path}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file does not contain valid records of runs.
    #[error("{path}: {message}")]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// The path contains no runs.
    #[error(
        "no runs in {0}; expected a run folder (with log.bin), records of runs, or a folder of these"
    )]
    Nothing(PathBuf),
}

/// Reads the runs of a path, sorted by name. Nothing is locked or written.
///
/// The path is a run folder, a file of records as `tutelage reproduce` writes them, or a folder that contains any of
/// these at any depth. `TASK` also finds `TASK.jsonl`.
pub fn find(path: &Path) -> Result<Vec<ComparedRun>, FindError> {
    let mut runs = Vec::new();
    let mut records = path.as_os_str().to_owned();
    records.push(".jsonl");
    let records = PathBuf::from(records);
    if path.is_file() {
        read_records(path, &mut runs)?;
    } else if !path.exists() && records.is_file() {
        read_records(&records, &mut runs)?;
    } else {
        search(path, &mut runs)?;
    }
    match runs.is_empty() {
        true => Err(FindError::Nothing(path.into())),
        false => Ok(runs),
    }
}

fn search(folder: &Path, runs: &mut Vec<ComparedRun>) -> Result<(), FindError> {
    if folder.join("log.bin").is_file() {
        runs.push(read_run(folder)?);
        return Ok(());
    }
    let failed = |source| FindError::Io { path: folder.into(), source };
    let entries = fs::read_dir(folder).map_err(failed)?.collect::<Result<Vec<_>, _>>();
    let mut entries: Vec<PathBuf> =
        entries.map_err(failed)?.into_iter().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() && !entry.is_symlink() {
            search(&entry, runs)?;
        } else if contains_records(&entry) {
            read_records(&entry, runs)?;
        }
    }
    Ok(())
}

/// Returns whether a JSON file contains records. Other files may have the same extension.
fn contains_records(file: &Path) -> bool {
    let text = || RunRecord::read_file(file).ok();
    file.extension().is_some_and(|extension| extension == "json" || extension == "jsonl")
        && text().is_some_and(|text| text.starts_with("{\"format\":"))
}

fn read_run(folder: &Path) -> Result<ComparedRun, FindError> {
    let history = read_any(folder)?;
    let fields = SpecFields::parse(history.spec());
    let states_per_round = fields.get("states_per_round").and_then(|k| k.parse().ok());
    let lines = history.lines(states_per_round.unwrap_or(0), &[]);
    let expert = history.expert().map(Evaluation::mean_reward);
    Ok(ComparedRun::new(folder.into(), history.spec(), lines, expert))
}

/// Reads a file with one record (which may span lines), or with one record per line.
fn read_records(path: &Path, runs: &mut Vec<ComparedRun>) -> Result<(), FindError> {
    let failed = |source| FindError::Io { path: path.into(), source };
    let text = RunRecord::read_file(path).map_err(failed)?;
    let invalid = |message: String| FindError::Record { path: path.into(), message };
    if path.extension().is_none_or(|extension| extension != "jsonl") {
        runs.push(RunRecord::parse(&text).map_err(invalid)?.as_run(path));
        return Ok(());
    }
    for (number, line) in (1..).zip(text.lines()) {
        let record = RunRecord::parse(line);
        let record = record.map_err(|message| invalid(format!("line {number}: {message}")))?;
        runs.push(record.as_run(&path.join(&record.run)));
    }
    Ok(())
}
