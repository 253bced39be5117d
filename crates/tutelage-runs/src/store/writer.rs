//! Finds the process that writes to a run.

use std::fs;
use std::path::Path;

/// The process that holds the lock of a run's log. Always `None` on platforms other than Linux.
///
/// Takes no lock itself, so it works on read-only media and never disturbs a writer.
#[cfg(target_os = "linux")]
pub fn writer_of(run: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let log = fs::canonicalize(run.join("log.bin")).ok()?;
    let inode = fs::metadata(&log).ok()?.ino().to_string();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "FLOCK")?;
        let [_, _, access, process, place, ..] = words[at..] else { return None };
        let is_it = access == "WRITE" && place.rsplit(':').next() == Some(inode.as_str());
        let process = process.parse().ok().filter(|_| is_it)?;
        holds(process, &log).then_some(process)
    })
}

/// The process that holds the lock of a run's log; unknown on this platform.
#[cfg(not(target_os = "linux"))]
pub fn writer_of(_: &Path) -> Option<u32> {
    None
}

/// Whether a process has this file open. If its files are not readable, trusts the inode number of its lock.
#[cfg(target_os = "linux")]
fn holds(process: u32, file: &Path) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{process}/fd")) else { return true };
    open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == file))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_process_that_holds_the_lock_is_found() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(writer_of(dir.path()), None);
        let log = fs::File::create(dir.path().join("log.bin")).unwrap();
        assert_eq!(writer_of(dir.path()), None, "open, but not locked");
        log.try_lock().unwrap();
        assert_eq!(writer_of(dir.path()), Some(std::process::id()));
        drop(log);
        assert_eq!(writer_of(dir.path()), None);
    }
}
