//! Zip archives with a limit on their unpacked size.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::MemoryBudget;

/// A zip archive in memory. Everything that is unpacked counts against one budget.
pub struct ZipReader<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    budget: &'a mut MemoryBudget,
}

/// The signature of an entry in the central directory.
const ENTRY: &[u8] = b"PK\x01\x02";
/// The most files per archive. Experts have a dozen, and each entry costs memory.
const MOST_FILES: usize = 10_000;

impl<'a> ZipReader<'a> {
    /// Opens the archive in these bytes.
    pub fn new(bytes: &'a [u8], budget: &'a mut MemoryBudget) -> io::Result<Self> {
        let files = bytes.windows(ENTRY.len()).filter(|window| *window == ENTRY).count();
        if files > MOST_FILES {
            let why = format!("the archive has {files} files; at most {MOST_FILES} are supported");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        Ok(Self { archive: ZipArchive::new(Cursor::new(bytes)).map_err(io_error)?, budget })
    }

    /// Returns the names of the files.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().map(str::to_owned).collect()
    }

    /// Unpacks a file. An unknown name is an [`io::ErrorKind::NotFound`].
    pub fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        let file = self.archive.by_name(name).map_err(io_error)?;
        let left = self.budget.left();
        // The declared size may be wrong, so read at most one byte more than the budget allows.
        let mut bytes = Vec::with_capacity(file.size().min(left) as usize + 1);
        file.take(left.saturating_add(1)).read_to_end(&mut bytes)?;
        self.budget.spend(bytes.len())?;
        Ok(bytes)
    }

    /// Returns the budget, for data that is built from the files.
    pub fn budget(&mut self) -> &mut MemoryBudget {
        self.budget
    }
}

fn io_error(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        ZipError::FileNotFound => {
            io::Error::new(io::ErrorKind::NotFound, "no such file in the archive")
        }
        // The library's message names internal parts of the format.
        ZipError::InvalidArchive(_) => io::Error::new(
            io::ErrorKind::InvalidData,
            "not a zip archive, or a truncated or damaged one",
        ),
        other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npz::NpzWriter;

    #[test]
    fn unpacking_beyond_the_budget_is_an_error() {
        let mut npz = NpzWriter::compressed();
        npz.add("a", &[1000], &[0.0f32; 1000]).unwrap();
        npz.add("b", &[1000], &[0.0f32; 1000]).unwrap();
        let bytes = npz.finish().unwrap();
        assert!(bytes.len() < 1000, "{}", bytes.len());
        let mut budget = MemoryBudget::new(5000);
        let mut archive = ZipReader::new(&bytes, &mut budget).unwrap();
        assert_eq!(archive.names(), ["a.npy", "b.npy"]);
        assert_eq!(archive.read("a.npy").unwrap().len(), 4128);
        assert_eq!(archive.read("b.npy").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(archive.read("c.npy").unwrap_err().kind(), io::ErrorKind::NotFound);
        let error = ZipReader::new(b"text", &mut MemoryBudget::new(10)).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn archives_with_too_many_files_are_rejected_early() {
        let crowd = ENTRY.repeat(MOST_FILES + 1);
        let error = ZipReader::new(&crowd, &mut MemoryBudget::new(10)).err().unwrap().to_string();
        assert!(error.contains("10001"), "{error}");
    }
}
