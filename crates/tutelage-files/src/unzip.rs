//! Zip archives, within a budget.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::read::too_long;

/// A zip archive in memory. All that is unpacked from it counts against one budget: an archive that unpacks to more is an error, not
/// a full memory.
pub struct Unzip<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
}

impl<'a> Unzip<'a> {
    /// The archive in these bytes, of which at most `budget` are unpacked in all.
    pub fn new(bytes: &'a [u8], budget: u64) -> io::Result<Self> {
        Ok(Self { archive: ZipArchive::new(Cursor::new(bytes)).map_err(io_error)?, left: budget })
    }

    /// The names of its files.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().map(str::to_owned).collect()
    }

    /// Unpacks a file; [`io::ErrorKind::NotFound`] where there is none of this name.
    pub fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        let file = self.archive.by_name(name).map_err(io_error)?;
        let mut bytes = Vec::new();
        file.take(self.left.saturating_add(1)).read_to_end(&mut bytes)?;
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| too_long(self.left))?;
        Ok(bytes)
    }
}

fn io_error(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        ZipError::FileNotFound => {
            io::Error::new(io::ErrorKind::NotFound, "no such file in the archive")
        }
        // The library speaks of parts of the format that nobody needs to know.
        ZipError::InvalidArchive(_) => io::Error::new(
            io::ErrorKind::InvalidData,
            "no zip archive, or one that is cut or damaged",
        ),
        other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npz::NpzWriter;

    #[test]
    fn what_unpacks_to_more_than_its_budget_is_refused() {
        let mut npz = NpzWriter::compressed();
        npz.add("a", &[1000], &[0.0f32; 1000]).unwrap();
        npz.add("b", &[1000], &[0.0f32; 1000]).unwrap();
        let bytes = npz.finish().unwrap();
        assert!(bytes.len() < 1000, "{}", bytes.len());
        let mut archive = Unzip::new(&bytes, 5000).unwrap();
        assert_eq!(archive.names(), ["a.npy", "b.npy"]);
        assert_eq!(archive.read("a.npy").unwrap().len(), 4128);
        assert_eq!(archive.read("b.npy").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(archive.read("c.npy").unwrap_err().kind(), io::ErrorKind::NotFound);
        let no_archive = Unzip::new(b"no archive", 10).err().unwrap().to_string();
        assert_eq!(no_archive, "no zip archive, or one that is cut or damaged");
    }
}
