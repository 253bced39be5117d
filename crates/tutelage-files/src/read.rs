//! Reading no more than is expected.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file that has at most `limit` of them; a longer one, or one that never ends, is [`io::ErrorKind::InvalidData`].
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(too_long(limit)),
        false => Ok(bytes),
    }
}

/// More bytes than any spec, record, map or list of times has.
const MOST_TEXT: u64 = 1 << 26;

/// The text of a file of a size that texts have.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path, MOST_TEXT)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8 text"))
}

pub(crate) fn too_long(limit: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("more than the {limit} bytes that are expected"),
    )
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_without_end_is_refused() {
        let endless = Path::new("/dev/zero");
        assert_eq!(read(endless, 1000).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(read_text(endless).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
