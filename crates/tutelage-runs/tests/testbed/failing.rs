//! A disk that fails.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tutelage_runs::store::{Disk, LogFile, OsDisk};

/// A disk on which operation `fails_at` fails.
struct FailingDisk {
    operations: AtomicUsize,
    fails_at: usize,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// Half of the bytes are written.
    ShortWrite,
    /// Half of the bytes are written, and the next operation fails too.
    ShortWriteTwice,
    /// All bytes are written, but may not be durable.
    FailedSync,
    /// No byte is written.
    FullDisk,
    /// Half of the bytes are written, and all later operations fail.
    Crash,
}

impl FailingDisk {
    /// Executes the operation, or a part of it.
    fn operate(
        &self,
        whole: impl FnOnce() -> io::Result<()>,
        half: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        match self.operations.fetch_add(1, Ordering::SeqCst) {
            n if n < self.fails_at => whole(),
            n if n == self.fails_at => {
                match self.fault {
                    Fault::ShortWrite | Fault::ShortWriteTwice | Fault::Crash => half()?,
                    Fault::FailedSync => whole()?,
                    Fault::FullDisk => {}
                }
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            n if self.fault == Fault::ShortWriteTwice && n == self.fails_at + 1 => {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            _ if self.fault == Fault::Crash => Err(io::Error::other("the process is dead")),
            _ => whole(),
        }
    }
}

/// The failing disk, shared with its logs.
#[derive(Clone)]
pub(crate) struct Failing(Arc<FailingDisk>);

impl Failing {
    /// Fails at this operation.
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
        // Half a replacement leaves a temporary file.
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
