//! Atomic replacement of files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The extension of unfinished files.
const PART: &str = ".tutelage-part";

/// Writes a file atomically and durably, replacing an existing one.
///
/// A partial file never appears under this name, and the result survives a power failure.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// A file that appears under its name when it is finished. Dropping it earlier leaves nothing behind.
///
/// It is written under a unique temporary name in the same folder and locked meanwhile. The lock
/// distinguishes it from a leftover of a killed process in [`remove_unfinished`].
#[derive(Debug)]
pub struct AtomicFile {
    file: Option<BufWriter<File>>,
    part: PathBuf,
    path: PathBuf,
}

impl AtomicFile {
    /// Starts a file that will have this name, and removes leftovers of killed processes for it.
    pub fn create(path: &Path) -> io::Result<Self> {
        remove_parts(path.parent().unwrap_or(Path::new("")), |name| {
            name.starts_with(&prefix(path))
        });
        loop {
            let part = part_of(path);
            let file = OpenOptions::new().create_new(true).write(true).open(&part)?;
            // On file systems without locks, leftovers are never removed.
            let _ = file.lock();
            // Another process may have removed the file between the two lines above.
            if part.try_exists()? {
                return Ok(Self { file: Some(BufWriter::new(file)), part, path: path.into() });
            }
        }
    }

    /// Flushes the file to disk and renames it.
    pub fn finish(mut self) -> io::Result<()> {
        let file = self.file.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&self.part, &self.path)?;
        sync_folder_of(&self.path)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // After `finish` the file no longer exists.
        let _ = fs::remove_file(&self.part);
    }
}

/// Removes unfinished files of killed processes from a folder.
pub fn remove_unfinished(folder: &Path) {
    remove_parts(folder, |_| true);
}

fn remove_parts(folder: &Path, selects: impl Fn(&str) -> bool) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(PART) && selects(&name) {
            remove_orphan(&entry.path());
        }
    }
}

/// Removes an unfinished file unless another process holds its lock.
///
/// This function holds the lock while it removes the file.
fn remove_orphan(part: &Path) {
    if let Ok(file) = File::open(part)
        && file.try_lock().is_ok()
    {
        let _ = fs::remove_file(part);
    }
}

fn prefix(path: &Path) -> String {
    format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy())
}

/// Returns a unique temporary name in the same folder.
fn part_of(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (process, next) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    path.with_file_name(format!("{}{process}-{next}{PART}", prefix(path)))
}

/// Flushes the folder of this path to disk, so that renames in it are durable.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn replace_removes_leftovers_of_killed_processes() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        replace(&file, b"one").unwrap();
        fs::write(part_of(&file), "half").unwrap();
        fs::write(part_of(&dir.path().join("other")), "").unwrap();
        fs::write(dir.path().join("mine.part"), "unrelated").unwrap();
        replace(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(names(dir.path()).len(), 3, "leftovers of this file are gone");
        assert!(replace(&dir.path().join("no/folder"), b"x").is_err());
        remove_unfinished(dir.path());
        assert_eq!(names(dir.path()), ["file", "mine.part"]);
    }

    #[test]
    fn locked_files_are_kept_and_dropped_ones_removed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        for text in ["", "much"] {
            let mut new = AtomicFile::create(&file).unwrap();
            new.write_all(text.as_bytes()).unwrap();
            new.flush().unwrap();
            remove_unfinished(dir.path());
            replace(&file, b"other").unwrap();
            new.finish().unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
        drop(AtomicFile::create(&file).unwrap());
        assert_eq!(names(dir.path()), ["file"]);
    }

    #[test]
    fn concurrent_writers_and_cleanup_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| dir.path().join(name));
        let write = |path| {
            (0..300).for_each(|n: u32| replace(path, &n.to_le_bytes()).unwrap());
        };
        std::thread::scope(|scope| {
            let writers = [&one, &two].map(|path| scope.spawn(|| write(path)));
            while !writers.iter().all(|writer| writer.is_finished()) {
                remove_unfinished(dir.path());
            }
        });
        assert_eq!(names(dir.path()), ["one", "two"]);
    }

    #[cfg(unix)]
    #[test]
    fn files_get_the_default_mode() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let [plain, ours] = ["plain", "ours"].map(|name| dir.path().join(name));
        fs::write(&plain, "").unwrap();
        replace(&ours, b"").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
