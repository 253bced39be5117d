//! Dropping a run.

use std::fs;
use std::io;
use std::path::Path;

use super::{Context, Disk, OsDisk, StoreError};

/// Removes a run's folder, unless another process writes to it: [`StoreError::Locked`]. What is not there is gone already.
pub fn discard(path: &Path) -> Result<(), StoreError> {
    let log = path.join("log.bin");
    // Held until the folder is gone, so that nobody goes on with a run that is being removed.
    let _lock = match log.is_file() {
        false => None,
        true => Some(OsDisk.open_log(&log).map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock => StoreError::Locked { path: path.into() },
            _ => StoreError::Io { what: "open", path: log.clone(), source },
        })?),
    };
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome.context("remove", path),
    }
}
