//! One writer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use super::{Context, StoreError};

/// The exclusive right to write to a run. The operating system takes it back when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    pub(crate) fn take(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("lock");
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.context("open", &path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked { path: folder.into() }),
            Err(TryLockError::Error(source)) => Err(source).context("lock", &path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_is_refused_until_the_first_is_done() {
        let dir = tempfile::tempdir().unwrap();
        let first = Lock::take(dir.path()).unwrap();
        assert!(matches!(Lock::take(dir.path()), Err(StoreError::Locked { .. })));
        drop(first);
        assert!(Lock::take(dir.path()).is_ok());
    }
}
