//! A file in place of another, whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::read::open;

/// How names of unfinished files end.
const PART: &str = ".tutelage-part";

/// Puts a file with these bytes in place of the one there, if any. There is never a partial file under this name, and what this has
/// done outlives a power cut.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Puts a copy of a file in place of the one at `to`, if any, as [`replace`] does.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let (mut source, mut file) = (open(from)?, AtomicFile::create(to)?);
    io::copy(&mut source, &mut file)?;
    file.finish()
}

/// As [`replace`], in a folder of many files, which is not looked through for what killed processes left: that is for [`remove_unfinished`], once.
pub fn replace_without_cleanup(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::begin(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// A file that takes its name when it is finished; dropped before, it leaves nothing.
///
/// It grows under a name beside its own that nobody else uses, and is locked while it does: that is how [`remove_unfinished`] tells it from what
/// a killed process left.
#[derive(Debug)]
pub struct AtomicFile {
    file: Option<BufWriter<File>>,
    part: PathBuf,
    path: PathBuf,
}

impl AtomicFile {
    /// Begins a file that is to have this name. What killed processes left of earlier attempts is removed.
    pub fn create(path: &Path) -> io::Result<Self> {
        sweep_parts(path.parent().unwrap_or(Path::new("")), |name| name.starts_with(&prefix(path)));
        Self::begin(path)
    }

    fn begin(path: &Path) -> io::Result<Self> {
        loop {
            let part = part_of(path);
            let file = OpenOptions::new().create_new(true).write(true).open(&part)?;
            // Where there are no locks, there is no sweeping either.
            let _ = file.lock();
            // A sweep that came between the two lines above has taken it for an orphan.
            if part.try_exists()? {
                return Ok(Self { file: Some(BufWriter::new(file)), part, path: path.into() });
            }
        }
    }

    /// Makes the file durable and gives it its name.
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
        // Once finished, there is none.
        let _ = fs::remove_file(&self.part);
    }
}

/// Removes what killed processes left half-written in a folder.
pub fn remove_unfinished(folder: &Path) {
    sweep_parts(folder, |_| true);
}

fn sweep_parts(folder: &Path, is_meant: impl Fn(&str) -> bool) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(PART) && is_meant(&name) {
            remove_orphan(&entry.path());
        }
    }
}

/// Removes an unfinished file unless somebody holds its lock. Nobody can take the lock while it is being removed.
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

/// A name beside a file's own that no one else uses.
fn part_of(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (process, next) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    path.with_file_name(format!("{}{process}-{next}{PART}", prefix(path)))
}

/// Makes the names in the folder of this path durable.
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
    fn a_replacement_leaves_nothing_behind_and_leftovers_of_the_killed_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        replace(&file, b"one").unwrap();
        fs::write(part_of(&file), "half").unwrap();
        fs::write(part_of(&dir.path().join("other")), "").unwrap();
        fs::write(dir.path().join("mine.part"), "a user's own").unwrap();
        replace(&file, b"two").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(names(dir.path()).len(), 3, "its own leftovers are gone");
        assert!(replace(&dir.path().join("no/folder"), b"x").is_err());
        replace_without_cleanup(&dir.path().join("other"), b"one").unwrap();
        assert_eq!(names(dir.path()).len(), 4, "among many nothing is looked for");
        remove_unfinished(dir.path());
        assert_eq!(names(dir.path()), ["file", "mine.part", "other"]);
    }

    #[test]
    fn a_copy_takes_the_place_of_another_file_or_leaves_it_alone() {
        let dir = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "to"].map(|name| dir.path().join(name));
        fs::write(&to, "old").unwrap();
        assert_eq!(copy(&from, &to).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(fs::read(&to).unwrap(), b"old");
        fs::write(&from, "new").unwrap();
        copy(&from, &to).unwrap();
        assert_eq!(fs::read(&to).unwrap(), b"new");
        assert_eq!(names(dir.path()), ["from", "to"]);
    }

    #[test]
    fn a_file_under_way_is_not_swept_and_an_unfinished_one_leaves_nothing() {
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
    fn writers_and_sweepers_at_the_same_time_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| dir.path().join(name));
        let write = |path| {
            (0..300).for_each(|n: u32| replace_without_cleanup(path, &n.to_le_bytes()).unwrap());
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
    fn files_have_the_mode_that_all_new_files_have() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let [plain, ours] = ["plain", "ours"].map(|name| dir.path().join(name));
        fs::write(&plain, "").unwrap();
        replace(&ours, b"").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
