//! A run directory, open for writing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tutelage::Action;

use super::frame::{self, NoLog};
use super::lock::Lock;
use super::{Context, Disk, Given, History, Record, Seconds, StoreError, Stored, times};

/// A run directory under an exclusive lock: what happened so far, and the right to add to it.
pub struct RunDir<S, A> {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    history: History<S, A>,
    /// How long the log is; after a failed write it may be longer than this.
    length: u64,
    _lock: Lock,
}

const SPEC: &str = "spec.toml";
const LOG: &str = "log.bin";
const POLICIES: &str = "policies";

/// The frozen spec of a run.
pub fn read_spec(path: &Path) -> Result<String, StoreError> {
    let file = path.join(SPEC);
    if !file.is_file() {
        return Err(StoreError::NoRun { path: path.into(), missing: SPEC });
    }
    fs::read_to_string(&file).context("read", &file)
}

/// What happened in a run, without locking it; a record under way is not seen.
pub fn read_history<S: Stored, A: Stored + Action>(
    path: &Path,
) -> Result<History<S, A>, StoreError> {
    if !path.join(LOG).is_file() {
        return Err(StoreError::NoRun { path: path.into(), missing: LOG });
    }
    read_log(&path.join(LOG)).map(|log| log.history)
}

impl<S: Stored, A: Stored + Action> RunDir<S, A> {
    /// Opens the run of this spec in a folder, or begins it there.
    ///
    /// What an interrupted write left at the end of the log is cut. A damaged log, a run of another spec, or one that
    /// another process writes to is refused.
    pub fn open(path: &Path, spec: &str, disk: Arc<dyn Disk>) -> Result<Self, StoreError> {
        disk.create_dir(path).context("create", path)?;
        disk.create_dir(&path.join(POLICIES)).context("create", &path.join(POLICIES))?;
        let lock = Lock::take(path)?;
        let log = path.join(LOG);
        if !log.is_file() {
            let record = Record::<S, A>::Spec(spec.into()).encode();
            let first = [frame::header(), frame::frame(&record)].concat();
            disk.replace(&log, &first).context("write", &log)?;
        }
        let Log { history, end, length } = read_log(&log)?;
        for frozen in [Some(history.spec.clone()), read_spec(path).ok()].into_iter().flatten() {
            if frozen != spec {
                let difference = difference(&frozen, spec);
                return Err(StoreError::Spec { path: path.into(), difference });
            }
        }
        if !path.join(SPEC).is_file() {
            disk.replace(&path.join(SPEC), spec.as_bytes()).context("write", &path.join(SPEC))?;
        }
        if end < length {
            disk.truncate(&log, end).context("cut the torn end of", &log)?;
        }
        Ok(Self { path: path.into(), disk, history, length: end, _lock: lock })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What happened so far.
    pub fn history(&self) -> &History<S, A> {
        &self.history
    }

    /// Makes a record durable. After a failure the log is as it was, as far as the disk lets us.
    pub(crate) fn append(&mut self, record: Record<S, A>) -> Result<(), StoreError> {
        let log = self.path.join(LOG);
        let offset = self.length as usize;
        let bytes = frame::frame(&record.encode());
        // First in memory, so that nothing that cannot be read back is ever written.
        let mut next = self.history.clone();
        next.apply(record).map_err(|what| StoreError::Damaged {
            path: log.clone(),
            offset,
            what,
        })?;
        if let Err(source) = self.disk.append(&log, &bytes) {
            // A record that may not be durable must not be found by the next reader. If cutting it fails as well, the
            // checksum or the end of the file still tells.
            let _ = self.disk.truncate(&log, self.length);
            return Err(source).context("write to", &log);
        }
        self.history = next;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Notes what stored data the run builds on, or checks that it is still the same.
    pub fn give(&mut self, given: Given) -> Result<(), StoreError> {
        match self.history.given.iter().find(|old| old.name == given.name) {
            None => self.append(Record::Given(given)),
            Some(old) if *old == given => Ok(()),
            Some(old) => Err(StoreError::Given {
                path: self.path.clone(),
                detail: format!(
                    "{} rows with checksum {:08x} then, {} with {:08x} now",
                    old.rows, old.checksum, given.rows, given.checksum
                ),
                name: given.name,
            }),
        }
    }

    /// Where the policy trained after a round is kept.
    pub fn policy_path(&self, round: usize) -> PathBuf {
        policy_path(&self.path, round)
    }

    /// Makes a policy durable.
    pub(crate) fn put_policy(&self, round: usize, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.policy_path(round);
        self.disk.replace(&path, bytes).context("write", &path)
    }

    /// Forgets a policy.
    pub(crate) fn drop_policy(&self, round: usize) -> Result<(), StoreError> {
        let path = self.policy_path(round);
        self.disk.remove(&path).context("remove", &path)
    }

    /// Notes how long a round took.
    pub(crate) fn note_times(&self, seconds: &Seconds) {
        times::note(&self.path, seconds);
    }
}

/// Where a run keeps the policy trained after a round.
pub(crate) fn policy_path(run: &Path, round: usize) -> PathBuf {
    run.join(POLICIES).join(format!("round-{round:03}.safetensors"))
}

struct Log<S, A> {
    history: History<S, A>,
    /// Where the whole records end.
    end: u64,
    length: u64,
}

fn read_log<S: Stored, A: Stored + Action>(path: &Path) -> Result<Log<S, A>, StoreError> {
    let bytes = fs::read(path).context("read", path)?;
    let damaged = |offset, what| StoreError::Damaged { path: path.into(), offset, what };
    let scan = frame::scan(&bytes).map_err(|error| match error {
        NoLog::Magic => StoreError::NoLog { path: path.into() },
        NoLog::Version(found) => {
            StoreError::Version { path: path.into(), found, supported: frame::VERSION }
        }
        NoLog::Damaged { offset } => damaged(offset, "a checksum does not match".into()),
    })?;
    let mut history = History::default();
    for payload in scan.payloads {
        let offset = payload.start;
        let record = Record::decode(&bytes[payload])
            .ok_or_else(|| damaged(offset, "not a record of this kind of run".into()))?;
        history.apply(record).map_err(|what| damaged(offset, what))?;
    }
    if history.spec.is_empty() {
        return Err(damaged(0, "it does not begin with a spec".into()));
    }
    Ok(Log { history, end: scan.end as u64, length: bytes.len() as u64 })
}

/// The lines that only one of two texts has.
fn difference(frozen: &str, asked: &str) -> String {
    let only = |a: &str, b: &str, sign: &str| {
        let lines = a.lines().filter(|line| !b.lines().any(|other| other == *line));
        lines.map(|line| format!("  {sign} {line}")).collect::<Vec<_>>()
    };
    [only(frozen, asked, "-"), only(asked, frozen, "+")].concat().join("\n")
}
