//! Zip archives, within a budget.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::MemoryBudget;

/// A zip archive in memory. All that is unpacked from it counts against one budget: an archive that unpacks to more is an error, not
/// a full memory.
pub struct ZipReader<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    budget: &'a mut MemoryBudget,
}

/// How every entry of an archive's table of contents begins, and how many there may be: experts have a dozen files, and each entry
/// takes several times its bytes.
const ENTRY: &[u8] = b"PK\x01\x02";
const MOST_FILES: usize = 10_000;

impl<'a> ZipReader<'a> {
    /// The archive in these bytes.
    pub fn new(bytes: &'a [u8], budget: &'a mut MemoryBudget) -> io::Result<Self> {
        let files = bytes.windows(ENTRY.len()).filter(|window| *window == ENTRY).count();
        if files > MOST_FILES {
            let why = format!("an archive of {files} files; at most {MOST_FILES} are read");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        Ok(Self { archive: ZipArchive::new(Cursor::new(bytes)).map_err(io_error)?, budget })
    }

    /// The names of its files.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().map(str::to_owned).collect()
    }

    /// Unpacks a file; [`io::ErrorKind::NotFound`] where there is none of this name.
    pub fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        let file = self.archive.by_name(name).map_err(io_error)?;
        let left = self.budget.left();
        // The length that the archive tells may be a lie, but not beyond the budget; one byte more tells of it.
        let mut bytes = Vec::with_capacity(file.size().min(left) as usize + 1);
        file.take(left.saturating_add(1)).read_to_end(&mut bytes)?;
        self.budget.spend(bytes.len())?;
        Ok(bytes)
    }

    /// The budget, for what is made of the files.
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
        let mut budget = MemoryBudget::new(5000);
        let mut archive = ZipReader::new(&bytes, &mut budget).unwrap();
        assert_eq!(archive.names(), ["a.npy", "b.npy"]);
        assert_eq!(archive.read("a.npy").unwrap().len(), 4128);
        assert_eq!(archive.read("b.npy").unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(archive.read("c.npy").unwrap_err().kind(), io::ErrorKind::NotFound);
        let no_archive =
            ZipReader::new(b"no archive", &mut MemoryBudget::new(10)).err().unwrap().to_string();
        assert_eq!(no_archive, "no zip archive, or one that is cut or damaged");
    }

    #[test]
    fn more_files_than_any_expert_has_are_refused_before_their_table_is_read() {
        let crowd = ENTRY.repeat(MOST_FILES + 1);
        let error = ZipReader::new(&crowd, &mut MemoryBudget::new(10)).err().unwrap().to_string();
        assert_eq!(error, "an archive of 10001 files; at most 10000 are read");
    }
}
