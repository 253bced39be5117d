//! Reading files up to a size limit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::MemoryBudgetExceeded;

/// Reads a regular file of at most `limit` bytes.
///
/// A longer file, or one that never ends, is an [`io::ErrorKind::InvalidData`].
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let too_long = MemoryBudgetExceeded { whole: limit };
    if length > limit {
        return Err(too_long.into());
    }
    let mut bytes = Vec::new();
    // The allocation may fail for a large file; report that as an error.
    bytes.try_reserve_exact(length as usize + 1)?;
    // Do not rely on the length: another process may be writing, and files in /proc report 0.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_long.into()) } else { Ok(bytes) }
}

/// Opens a regular file.
///
/// The type is checked first, because opening a pipe blocks until another process writes to it.
fn open(path: &Path) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        let why = "not a regular file (it is a pipe, a socket or a device)";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    File::open(path)
}

/// More bytes than any spec, record or list of times has.
const MOST_TEXT: u64 = 1 << 24;

/// Reads a UTF-8 text file of at most 16 MiB.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path, MOST_TEXT)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_folders_and_non_utf8_files_are_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read_text(&path).unwrap(), "four");
        assert_eq!(read(&path, 3).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(read(dir.path(), 9).is_err());
        std::fs::write(&path, [0xff]).unwrap();
        assert_eq!(read_text(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn long_files_are_rejected_before_reading() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hole");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(&path, 1 << 35).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn pipes_and_devices_are_rejected_without_blocking() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for path in [Path::new("/dev/zero"), &pipe] {
            for error in [read(path, 1000).map(drop), read_text(path).map(drop)] {
                assert_eq!(error.unwrap_err().kind(), io::ErrorKind::InvalidData);
            }
        }
        let of_the_system = read_text(Path::new("/proc/self/status")).unwrap();
        assert!(of_the_system.starts_with("Name:"), "/proc reports a length of 0");
    }
}
