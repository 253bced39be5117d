//! All disk operations of a run behind a trait, so that tests can use a failing disk.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tutelage_files::sync_folder_of;

/// A disk. The effect of every successful operation survives a power cut.
///
/// ```
/// use std::io;
/// use std::path::Path;
/// use tutelage_runs::store::{Disk, LogFile, OsDisk};
///
/// /// A disk that is full.
/// struct Full;
/// impl Disk for Full {
///     fn create_dir(&self, path: &Path) -> io::Result<()> {
///         OsDisk.create_dir(path)
///     }
///     fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
///         OsDisk.open_log(path)
///     }
///     fn replace(&self, _path: &Path, _bytes: &[u8]) -> io::Result<()> {
///         Err(io::ErrorKind::StorageFull.into())
///     }
///     fn remove(&self, path: &Path) -> io::Result<()> {
///         OsDisk.remove(path)
///     }
/// }
/// assert!(Full.replace("policy".as_ref(), b"weights").is_err());
/// ```
pub trait Disk: Send + Sync {
    /// Creates a folder and its missing parents.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Opens and locks a log, creating an empty one if there is none. If it is already locked on this machine, fails with
    /// [`io::ErrorKind::WouldBlock`].
    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>>;

    /// Writes a file atomically: the name never refers to a partial file.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Removes a file, if it exists.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// A log that this handle has locked.
///
/// ```
/// use tutelage_runs::store::{Disk, OsDisk};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("log.bin");
/// let mut log = OsDisk.open_log(&path)?;
/// log.append(b"a record")?;
/// assert_eq!(log.read()?, b"a record");
/// assert!(OsDisk.open_log(&path).is_err(), "it is locked");
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait LogFile: Send {
    /// Reads all bytes.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Makes all bytes durable. Another process may have written some and crashed before syncing them.
    fn sync(&mut self) -> io::Result<()>;

    /// The file's length, or `None` if its name no longer refers to this file.
    fn length(&self) -> io::Result<Option<u64>>;

    /// Appends bytes. A failure may leave some of them in the file.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Truncates the file to this length.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

/// The operating system's disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        // Level by level, because each new name is durable only after its parent folder is synced.
        if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
            self.create_dir(above)?;
        }
        match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !path.is_dir() => {
                Err(error)
            }
            _ => sync_folder_of(path),
        }
    }

    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        sync_folder_of(path)?;
        Ok(Box::new(OsLog { file, path: path.into() }))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        tutelage_files::replace(path, bytes)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }
}

/// A log with the operating system's lock, which is released with the handle, even if the process is killed.
struct OsLog {
    file: File,
    path: PathBuf,
}

impl LogFile for OsLog {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn length(&self) -> io::Result<Option<u64>> {
        let ours = self.file.metadata()?;
        match fs::metadata(&self.path) {
            Ok(there) => Ok(is_same_file(&ours, &there).then_some(ours.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_data()
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.sync_data()
    }
}

#[cfg(unix)]
fn is_same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    a.len() == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_folders_are_created_unless_a_file_is_in_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/../c/d");
        for _ in 0..2 {
            OsDisk.create_dir(&deep).unwrap();
            assert!(deep.is_dir());
        }
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(OsDisk.create_dir(&dir.path().join("file")).is_err());
        assert!(OsDisk.create_dir(&dir.path().join("file/below")).is_err());
    }

    #[test]
    fn a_second_writer_is_refused_until_the_first_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let first = OsDisk.open_log(&log).unwrap();
        let kind = OsDisk.open_log(&log).err().unwrap().kind();
        assert_eq!(kind, io::ErrorKind::WouldBlock);
        drop(first);
        assert!(OsDisk.open_log(&log).is_ok());
    }

    #[test]
    fn a_replaced_log_has_no_length() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut log = OsDisk.open_log(&path).unwrap();
        log.append(b"abc").unwrap();
        assert_eq!(log.length().unwrap(), Some(3));
        fs::remove_file(&path).unwrap();
        assert_eq!(log.length().unwrap(), None);
        fs::write(&path, "xyz").unwrap();
        assert_eq!(log.length().unwrap(), None, "another file of the same name");
    }
}
