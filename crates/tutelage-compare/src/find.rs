//! Finding and reading runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tutelage::Evaluation;
use tutelage_runs::store::{StoreError, read_any};

use crate::{ComparedRun, RunRecord, SpecFields};

/// Why runs could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// A run's folder.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file or folder that could not be read.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file that is no record of a run.
    #[error("{path} is no record of a run: {message}")]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// Neither a run nor a folder with runs in it.
    #[error("{path} holds no runs: neither log.bin nor folders with one, nor records of runs")]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
}

/// The runs of a path: a run's folder, a folder that holds some (at any depth), a record of a run as `tutelage reproduce`
/// keeps them, or a folder of these. In the order of their names. Nothing is locked or written.
pub fn find(path: &Path) -> Result<Vec<ComparedRun>, FindError> {
    if path.is_file() {
        return Ok(vec![read_record(path)?]);
    }
    let mut runs = Vec::new();
    search(path, &mut runs)?;
    match runs.is_empty() {
        true => Err(FindError::Nothing { path: path.into() }),
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
        } else if looks_like_a_record(&entry) {
            runs.push(read_record(&entry)?);
        }
    }
    Ok(())
}

/// Other files may be called .json; a record is only what says that it is one.
fn looks_like_a_record(file: &Path) -> bool {
    let text = || tutelage_files::read_text(file).ok();
    file.extension().is_some_and(|ending| ending == "json")
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

fn read_record(path: &Path) -> Result<ComparedRun, FindError> {
    let failed = |source| FindError::Io { path: path.into(), source };
    let text = tutelage_files::read_text(path).map_err(failed)?;
    let wrong = |message: String| FindError::Record { path: path.into(), message };
    Ok(RunRecord::parse(&text).map_err(wrong)?.as_run(path))
}
