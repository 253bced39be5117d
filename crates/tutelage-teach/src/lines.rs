//! Append-only files of JSON lines.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest file that is read, in bytes.
const LIMIT: u64 = 1 << 28;

/// A file of JSON lines, open for appending.
pub(crate) struct Lines<T> {
    file: File,
    lines: Vec<T>,
}

impl<T: Serialize + DeserializeOwned> Lines<T> {
    /// Opens or creates a file. If an interrupted write left an incomplete line, the next line starts after it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let text = match tutelage_files::read(path, LIMIT) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read?,
        };
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.seek(SeekFrom::End(0))?;
        if text.last().is_some_and(|&byte| byte != b'\n') {
            file.write_all(b"\n")?;
        }
        file.sync_all()?;
        if let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(Self { file, lines: parse(&text) })
    }

    /// Appends a line and syncs the file.
    pub(crate) fn add(&mut self, line: T) -> io::Result<()> {
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        let end = self.file.stream_position()?;
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        if written.is_err() {
            // The next line must not continue an incomplete one.
            let _ = self.file.set_len(end).and_then(|()| self.file.seek(SeekFrom::Start(end)));
        }
        written.map(|()| self.lines.push(line))
    }

    /// All lines.
    pub(crate) fn all(&self) -> &[T] {
        &self.lines
    }
}

/// The lines of a file; empty if it does not exist.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    parse(&tutelage_files::read(path, LIMIT).unwrap_or_default())
}

/// Ignores lines that are not valid.
fn parse<T: DeserializeOwned>(text: &[u8]) -> Vec<T> {
    text.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_lines_leave_the_others_readable() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        Lines::open(&path).unwrap().add(1.5f32).unwrap();
        let mut torn = OpenOptions::new().append(true).open(&path).unwrap();
        torn.write_all(b"2.e").unwrap();
        let mut lines = Lines::<f32>::open(&path).unwrap();
        assert_eq!(lines.all(), [1.5]);
        lines.add(0.1).unwrap();
        assert_eq!(read::<f32>(&path), [1.5, 0.1]);
        // A line that was written by hand may lack its end.
        std::fs::write(&path, "7").unwrap();
        Lines::open(&path).unwrap().add(8.0f32).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "7\n8.0\n");
        std::fs::write(&path, "1\nnonsense\n3\n").unwrap();
        assert_eq!(read::<f32>(&path), [1.0, 3.0]);
        assert!(read::<f32>(&dir.path().join("none")).is_empty());
        // A file beyond the limit is not read.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(Lines::<f32>::open(&path).is_err() && read::<f32>(&path).is_empty());
    }
}
