//! Reading no more than is expected.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::MemoryBudgetExceeded;

/// The bytes of a regular file that has at most `limit` of them; a longer one, or one that never ends, is
/// [`io::ErrorKind::InvalidData`].
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let too_long = MemoryBudgetExceeded { whole: limit };
    if length > limit {
        return Err(too_long.into());
    }
    let mut bytes = Vec::new();
    // The file is there, but the memory may not be.
    bytes.try_reserve_exact(length as usize + 1)?;
    // Somebody may still be writing, and files of the system do not tell their length.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_long.into()) } else { Ok(bytes) }
}

/// Opens a regular file. Whoever opens a pipe waits for somebody to write to it, perhaps for ever, so its kind is looked at
/// before.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        let why = "not a regular file, but a pipe, a socket or a device";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    File::open(path)
}

/// More bytes than any spec, record, map or list of times has.
const MOST_TEXT: u64 = 1 << 24;

/// The text of a file of a size that texts have.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path, MOST_TEXT)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_longer_than_expected_is_refused_unread() {
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
    fn a_length_beyond_the_limit_is_refused_before_anything_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hole");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = read(&path, 1 << 35).unwrap_err().to_string();
        assert_eq!(error, "more than the 34359738368 bytes that are expected");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for path in [Path::new("/dev/zero"), &pipe] {
            for error in [read(path, 1000).map(drop), read_text(path).map(drop)] {
                assert_eq!(error.unwrap_err().kind(), io::ErrorKind::InvalidData);
            }
            assert!(crate::copy(path, &dir.path().join("copy")).is_err());
        }
        let of_the_system = read_text(Path::new("/proc/self/status")).unwrap();
        assert!(of_the_system.starts_with("Name:"), "its length is told as 0");
    }
}
