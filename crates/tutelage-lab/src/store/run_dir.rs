//! A run directory, open for writing.

use std::fs;
use std::io;
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
    /// How long the log is.
    length: u64,
    /// Whether the file may be longer than that, after a failed write.
    torn: bool,
    _lock: Lock,
}

const SPEC: &str = "spec.toml";
const LOG: &str = "log.bin";
const POLICIES: &str = "policies";

/// The frozen spec of a run.
pub fn read_spec(path: &Path) -> Result<String, StoreError> {
    let text = fs::read_to_string(path.join(SPEC));
    text.map_err(|error| missing_or_unreadable(path, SPEC, error))
}

/// What happened in a run, without locking it; a record under way is not seen.
pub fn read_history<S: Stored, A: Stored + Action>(
    path: &Path,
) -> Result<History<S, A>, StoreError> {
    read_log(path).map(|log| log.history)
}

/// What is not there was never a run; what cannot be read is another matter.
fn missing_or_unreadable(path: &Path, file: &'static str, source: io::Error) -> StoreError {
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            StoreError::NoRun { path: path.into(), missing: file }
        }
        _ => StoreError::Io { what: "read", path: path.join(file), source },
    }
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
        // Nothing is begun in a folder that says it is another run's.
        let is_written = match read_spec(path) {
            Ok(frozen) => check_spec(path, &frozen, spec).map(|()| true)?,
            Err(StoreError::NoRun { .. }) => false,
            Err(error) => return Err(error),
        };
        let log = path.join(LOG);
        if !log.try_exists().context("read", &log)? {
            let record = Record::<S, A>::Spec(spec.into()).encode();
            let first = [frame::header(), frame::frame(&record)].concat();
            disk.replace(&log, &first).context("write", &log)?;
        }
        let Log { history, end, length } = read_log(path)?;
        check_spec(path, &history.spec, spec)?;
        if !is_written {
            disk.replace(&path.join(SPEC), spec.as_bytes()).context("write", &path.join(SPEC))?;
        }
        let path = path.into();
        let mut dir = Self { path, disk, history, length: end, torn: end < length, _lock: lock };
        dir.mend()?;
        Ok(dir)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What happened so far.
    pub fn history(&self) -> &History<S, A> {
        &self.history
    }

    /// Makes a record durable. After a failure the log is as it was, or the next record makes it so first.
    pub(crate) fn append(&mut self, record: Record<S, A>) -> Result<(), StoreError> {
        let (log, offset) = (self.path.join(LOG), self.length as usize);
        // First of all, so that nothing that cannot be read back is ever written.
        let damaged = |what| StoreError::Damaged { path: log.clone(), offset, what };
        self.history.check(&record).map_err(damaged)?;
        self.mend()?;
        let bytes = frame::frame(&record.encode());
        self.torn = true;
        if let Err(source) = self.disk.append(&log, &bytes) {
            // A record that may not be durable must not be found by the next reader. If cutting it fails as well, the
            // checksum or the end of the file still tells.
            let _ = self.mend();
            return Err(source).context("write to", &log);
        }
        self.torn = false;
        self.length += bytes.len() as u64;
        self.history.add(record);
        Ok(())
    }

    /// Cuts what a failed write left at the end of the log.
    fn mend(&mut self) -> Result<(), StoreError> {
        if self.torn {
            let log = self.path.join(LOG);
            self.disk.truncate(&log, self.length).context("cut the torn end of", &log)?;
            self.torn = false;
        }
        Ok(())
    }

    /// Notes what stored data the run builds on, or checks that it is still the same.
    ///
    /// A run that is under way and did not note it when it began is believed: what it was then, nobody knows.
    pub fn give(&mut self, given: Given) -> Result<(), StoreError> {
        match self.history.noted(&given.name) {
            Some(noted) if *noted == given => Ok(()),
            Some(noted) => Err(StoreError::given(&self.path, noted, &given)),
            None if self.history.has_begun() => Ok(()),
            None => self.append(Record::Given(given)),
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

/// The rounds whose policies a run has kept, in order.
pub(crate) fn kept_policies(run: &Path) -> Vec<usize> {
    let round = |entry: io::Result<fs::DirEntry>| -> Option<usize> {
        let name = entry.ok()?.file_name();
        name.to_str()?.strip_prefix("round-")?.strip_suffix(".safetensors")?.parse().ok()
    };
    let entries = fs::read_dir(run.join(POLICIES)).into_iter().flatten();
    let mut rounds: Vec<usize> = entries.filter_map(round).collect();
    rounds.sort_unstable();
    rounds
}

struct Log<S, A> {
    history: History<S, A>,
    /// Where the whole records end.
    end: u64,
    length: u64,
}

fn read_log<S: Stored, A: Stored + Action>(run: &Path) -> Result<Log<S, A>, StoreError> {
    let path = run.join(LOG);
    let bytes = fs::read(&path).map_err(|error| missing_or_unreadable(run, LOG, error))?;
    let damaged = |offset, what| StoreError::Damaged { path: path.clone(), offset, what };
    let scan = frame::scan(&bytes).map_err(|error| match error {
        NoLog::Magic => StoreError::NoLog { path: path.clone() },
        NoLog::Version(found) => {
            StoreError::Version { path: path.clone(), found, supported: frame::VERSION }
        }
        NoLog::Damaged { offset } => damaged(offset, "a checksum does not match".into()),
    })?;
    let mut history = History::default();
    for payload in scan.payloads {
        let offset = payload.start;
        let record = Record::decode(&bytes[payload])
            .ok_or_else(|| damaged(offset, "not a record of this kind of run".into()))?;
        history.check(&record).map_err(|what| damaged(offset, what))?;
        history.add(record);
    }
    if history.spec.is_empty() {
        return Err(damaged(0, "it does not begin with a spec".into()));
    }
    Ok(Log { history, end: scan.end as u64, length: bytes.len() as u64 })
}

fn check_spec(path: &Path, frozen: &str, asked: &str) -> Result<(), StoreError> {
    if frozen == asked {
        return Ok(());
    }
    Err(StoreError::Spec { path: path.into(), difference: difference(frozen, asked) })
}

/// The lines that only one of two texts has.
fn difference(frozen: &str, asked: &str) -> String {
    let only = |a: &str, b: &str, sign: &str| {
        let lines = a.lines().filter(|line| !b.lines().any(|other| other == *line));
        lines.map(|line| format!("  {sign} {line}")).collect::<Vec<_>>()
    };
    [only(frozen, asked, "-"), only(asked, frozen, "+")].concat().join("\n")
}
