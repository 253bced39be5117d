//! A disk that fails.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tutelage_runs::store::{Disk, LogFile, OsDisk};

/// A disk on which operation `fails_at` fails in a way of its own, and so does everything after it.
struct FailingDisk {
    operations: AtomicUsize,
    fails_at: usize,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// Half of the bytes arrive.
    ShortWrite,
    /// All bytes arrive, but whether they stay is not known.
    FailedSync,
    /// No byte arrives.
    FullDisk,
    /// The process would have died here: half of the bytes arrive and nobody tidies up.
    Crash,
}

impl FailingDisk {
    /// Does the operation, or the part of it that still happens.
    fn operate(
        &self,
        whole: impl FnOnce() -> io::Result<()>,
        half: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        match self.operations.fetch_add(1, Ordering::SeqCst) {
            n if n < self.fails_at => whole(),
            n if n == self.fails_at => {
                match self.fault {
                    Fault::ShortWrite | Fault::Crash => half()?,
                    Fault::FailedSync => whole()?,
                    Fault::FullDisk => {}
                }
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            _ if self.fault == Fault::Crash => Err(io::Error::other("the process is dead")),
            _ => whole(),
        }
    }
}

/// The failing disk, as its logs hold it too.
#[derive(Clone)]
pub(crate) struct Failing(Arc<FailingDisk>);

impl Failing {
    /// Fails at this operation, in this way.
    pub(crate) fn new(fails_at: usize, fault: Fault) -> Self {
        Self(Arc::new(FailingDisk { operations: AtomicUsize::new(0), fails_at, fault }))
    }
}

struct FailingLog {
    log: Box<dyn LogFile>,
    disk: Failing,
}

impl Disk for Failing {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.0.operate(|| OsDisk.create_dir(path), || Ok(()))
    }

    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let mut log = None;
        self.0.operate(|| OsDisk.open_log(path).map(|opened| log = Some(opened)), || Ok(()))?;
        Ok(Box::new(FailingLog { log: log.unwrap(), disk: self.clone() }))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // What is left of half a replacement is a partial file beside the one that was meant.
        let name = path.file_name().unwrap().to_str().unwrap();
        let part = path.with_file_name(format!(".{name}.1-1.tutelage-part"));
        self.0
            .operate(|| OsDisk.replace(path, bytes), || fs::write(part, &bytes[..bytes.len() / 2]))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.operate(|| OsDisk.remove(path), || Ok(()))
    }
}

impl LogFile for FailingLog {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.log.read()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.log.sync()
    }

    fn length(&self) -> io::Result<Option<u64>> {
        self.log.length()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let log = std::cell::RefCell::new(&mut self.log);
        self.disk.0.operate(
            || log.borrow_mut().append(bytes),
            || log.borrow_mut().append(&bytes[..bytes.len() / 2]),
        )
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.disk.0.operate(|| self.log.truncate(length), || Ok(()))
    }
}
