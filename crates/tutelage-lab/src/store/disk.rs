//! The few ways in which a run touches the disk, so that a test can put a failing disk in their place.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A disk. What a method has done successfully outlives a power cut.
pub trait Disk: Send + Sync {
    /// Makes a folder and those above it, where they are missing.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Writes these bytes after the last one of an existing file. A failure may leave a part of them there.
    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Cuts a file to this many bytes.
    fn truncate(&self, path: &Path, length: u64) -> io::Result<()>;

    /// Puts a file with these bytes in place of the one there, if any; there is never a partial file under this name.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Removes a file, if it is there.
    fn remove(&self, path: &Path) -> io::Result<()>;
}

/// The operating system's disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsDisk;

impl Disk for OsDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        // Level by level, since each new name is durable only once the folder above it is.
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

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).open(path)?;
        file.write_all(bytes)?;
        file.sync_data()
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(length)?;
        file.sync_data()
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        let mut file = File::create(&part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&part, path)?;
        sync_folder_of(path)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }
}

/// A new name is durable once its folder is.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_level_by_level_and_a_file_in_the_way_is_named() {
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
}
