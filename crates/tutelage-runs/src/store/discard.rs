//! Deletes a run.

use std::fs;
use std::io;
use std::path::Path;

use super::run_dir::open_log;
use super::{OsDisk, StoreError};

/// Deletes a run's folder, if it exists. Fails with [`StoreError::Locked`] if another process writes to it.
pub fn discard(path: &Path) -> Result<(), StoreError> {
    let log = path.join("log.bin");
    // Held until the folder is deleted, so that no process resumes a run that is being deleted.
    let _lock = match log.is_file() {
        false => None,
        true => Some(open_log(&OsDisk, path)?),
    };
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome.map_err(StoreError::io("remove", path)),
    }
}
