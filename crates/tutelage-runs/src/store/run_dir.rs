//! A run directory, open for writing.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tutelage::{Batch, Dataset, Element};
use tutelage_files::remove_unfinished;

use super::disk::OsDisk;
use super::frame;
use super::history;
use super::history_builder::HistoryBuilder;
use super::reading::{
    LOG, Log, POLICIES, SPEC, difference, kept_policies, parse_log, policy_path, read_policy,
    read_spec,
};
use super::{
    Context, Disk, Fingerprint, History, LogFile, PolicyNote, Record, RoundTimings, StoreError,
    times,
};

/// A run directory under an exclusive lock: what happened so far, and the right to add to it.
pub struct RunDir<S, A> {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// Holds the lock.
    log: Box<dyn LogFile>,
    builder: HistoryBuilder<S, A>,
    /// How long the log is.
    length: u64,
    /// Whether the file may be longer than that, after a failed write.
    torn: bool,
    truncated: Option<TruncatedTail>,
}

/// An incomplete record that an interrupted write left at the end of a log. It was moved to a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TruncatedTail {
    /// The file that it was moved to.
    pub kept: PathBuf,
    /// Its length.
    pub bytes: usize,
}

impl fmt::Display for TruncatedTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kept, bytes } = self;
        let kept = kept.display();
        write!(
            f,
            "the log ended with an incomplete record of {bytes} bytes, which was moved to {kept}"
        )
    }
}

const ROUNDS: &str = "rounds.csv";

impl<S: Element, A: Element> RunDir<S, A> {
    /// Opens the run of this spec in a folder, or begins it there.
    ///
    /// What an interrupted write left at the end of the log is cut off and kept beside it ([`RunDir::truncated`]). A damaged log,
    /// a lost one, a run of another spec, or one that another process writes to is refused.
    pub fn open(path: &Path, spec: &str, disk: Arc<dyn Disk>) -> Result<Self, StoreError> {
        disk.create_dir(path).context("create", path)?;
        disk.create_dir(&path.join(POLICIES)).context("create", &path.join(POLICIES))?;
        // Nothing is begun in a folder that says it is another run's, and nothing of such a run is touched.
        let written = match read_spec(path) {
            Ok(frozen) => Some(check_spec(path, &frozen, spec).map(|()| frozen)?),
            Err(StoreError::NoRun { .. }) => None,
            Err(error) => return Err(error),
        };
        let log_path = path.join(LOG);
        if !log_path.try_exists().context("read", &log_path)? {
            refuse_lost_log(path, written.is_some())?;
        }
        let mut log = disk.open_log(&log_path).map_err(|source| match source.kind() {
            io::ErrorKind::WouldBlock => StoreError::Locked { path: path.into() },
            _ => StoreError::Io { what: "open", path: log_path.clone(), source },
        })?;
        [path.to_owned(), path.join(POLICIES)].iter().for_each(|folder| remove_unfinished(folder));
        let bytes = log.read().context("read", &log_path)?;
        // Before anything builds on it: a power cut must not take back what a policy was trained on.
        log.sync().context("sync", &log_path)?;
        let dir = match parse_log(&log_path, &bytes)? {
            Some(Log { builder, end, version }) => {
                check_spec(path, &builder.history().spec, spec)?;
                let torn = end < bytes.len();
                let (path, length) = (path.to_owned(), end as u64);
                let mut dir = Self { path, disk, log, builder, length, torn, truncated: None };
                dir.keep_tail(&bytes[end..])?;
                dir.repair()?;
                if version < frame::VERSION {
                    dir.upgrade(&bytes[..end])?;
                }
                dir
            }
            None => {
                refuse_lost_log(path, written.is_some())?;
                Self::begin(path, spec, disk, log)?
            }
        };
        if written.is_none() {
            dir.write_spec(spec)?;
        }
        Ok(dir)
    }

    /// The first record of a log in which nothing whole was ever written.
    fn begin(
        path: &Path,
        spec: &str,
        disk: Arc<dyn Disk>,
        mut log: Box<dyn LogFile>,
    ) -> Result<Self, StoreError> {
        let log_path = path.join(LOG);
        let record = Record::<S, A>::Spec(spec.into());
        let first = [frame::header(), framed(&record)?].concat();
        log.truncate(0).context("clear", &log_path)?;
        log.append(&first).context("write to", &log_path)?;
        let mut builder = HistoryBuilder::default();
        builder.add(record);
        let length = first.len() as u64;
        Ok(Self { path: path.into(), disk, log, builder, length, torn: false, truncated: None })
    }

    /// Makes a log of an older format one of ours: the records that it has are ours too.
    fn upgrade(&mut self, whole: &[u8]) -> Result<(), StoreError> {
        let log_path = self.path.join(LOG);
        let mut bytes = frame::header();
        bytes.extend(&whole[bytes.len()..]);
        self.disk.replace(&log_path, &bytes).context("write", &log_path)?;
        self.log = self.disk.open_log(&log_path).context("open", &log_path)?;
        self.length = bytes.len() as u64;
        Ok(())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What happened so far.
    pub fn history(&self) -> &History<S, A> {
        self.builder.history()
    }

    /// The incomplete record that was removed from the end of the log when it was opened, if any.
    pub fn truncated(&self) -> Option<&TruncatedTail> {
        self.truncated.as_ref()
    }

    /// Makes a record durable. After a failure the log is as it was, or the next record makes it so first.
    pub(crate) fn append(&mut self, record: Record<S, A>) -> Result<(), StoreError> {
        let (log, offset) = (self.path.join(LOG), self.length as usize);
        // First of all, so that nothing that cannot be read back is ever written.
        let damaged = |what| StoreError::Damaged { path: log.clone(), offset, what };
        self.builder.check(&record).map_err(damaged)?;
        let bytes = framed(&record)?;
        self.repair()?;
        self.check_alone()?;
        self.torn = true;
        if let Err(source) = self.log.append(&bytes) {
            // A record that may not be durable must not be found by the next reader. If cutting it fails as well, the
            // checksum or the end of the file still tells.
            let _ = self.repair();
            return Err(source).context("write to", &log);
        }
        self.torn = false;
        self.length += bytes.len() as u64;
        self.builder.add(record);
        Ok(())
    }

    /// Whether the log is still as we left it. The lock keeps others out on this machine; on shared storage, and where
    /// somebody puts another file in its place, this is how we notice.
    fn check_alone(&self) -> Result<(), StoreError> {
        let path = self.path.join(LOG);
        let detail = match self.log.length().context("look at", &path)? {
            Some(length) if length == self.length => return Ok(()),
            Some(length) => format!("{length} bytes instead of {}", self.length),
            None => "another file has its name, or none".into(),
        };
        Err(StoreError::Intruder { path, detail })
    }

    /// Keeps the end of the log that is about to be cut.
    fn keep_tail(&mut self, tail: &[u8]) -> Result<(), StoreError> {
        if tail.is_empty() {
            return Ok(());
        }
        let kept = self.path.join(format!("log.cut-at-{}.bin", self.length));
        self.disk.replace(&kept, tail).context("write", &kept)?;
        self.truncated = Some(TruncatedTail { kept, bytes: tail.len() });
        Ok(())
    }

    /// Cuts what a failed write left at the end of the log.
    fn repair(&mut self) -> Result<(), StoreError> {
        if self.torn {
            let log = self.path.join(LOG);
            self.log.truncate(self.length).context("cut the torn end of", &log)?;
            self.torn = false;
        }
        Ok(())
    }

    /// Lets the run go on under another spec, one that says the same of all that was done and more of what is to come.
    pub fn extend(&mut self, spec: &str) -> Result<(), StoreError> {
        if self.history().spec != spec {
            self.append(Record::Spec(spec.into()))?;
            self.write_spec(spec)?;
        }
        Ok(())
    }

    fn write_spec(&self, spec: &str) -> Result<(), StoreError> {
        let path = self.path.join(SPEC);
        self.disk.replace(&path, spec.as_bytes()).context("write", &path)
    }

    /// Notes what stored data the run builds on, or checks that it is still the same.
    ///
    /// A run that is under way and did not note it when it began is believed: what it was then, nobody knows.
    pub fn record_input(&mut self, found: Fingerprint) -> Result<(), StoreError> {
        match self.history().noted(&found.name) {
            Some(noted) if *noted == found => Ok(()),
            Some(noted) => Err(StoreError::changed(&self.path, noted, &found)),
            None if self.history().has_begun() => Ok(()),
            None => self.append(Record::Fingerprint(found)),
        }
    }

    /// Notes what stored rows the run builds on, or checks that they are still the same. There may be more of them by now:
    /// the run builds on those that were there when it began.
    pub fn record_rows<T: Element>(
        &mut self,
        name: &str,
        rows: &Batch<T>,
    ) -> Result<(), StoreError> {
        let noted = self.history().noted(name).map_or(rows.len(), |noted| noted.rows as usize);
        self.record_input(Fingerprint::of(name, &rows.slice(0, noted.min(rows.len()))))
    }

    /// Notes what a round of stored data is, before a policy is trained on it, or checks that it is still the same.
    pub(crate) fn record_stored_round(
        &mut self,
        round: usize,
        data: &Dataset<S, A>,
    ) -> Result<(), StoreError> {
        let parts = [Fingerprint::of("", &data.states), Fingerprint::of("", &data.actions)];
        let [states, actions] = parts.map(|part| part.checksum);
        let name = history::stored_round(round);
        let found = Fingerprint {
            rows: data.len() as u32,
            ..Fingerprint::values(name, &[states, actions])
        };
        match self.history().noted(&found.name) {
            Some(noted) if *noted == found => Ok(()),
            Some(noted) => Err(StoreError::changed(&self.path, noted, &found)),
            None => self.append(Record::Fingerprint(found)),
        }
    }

    /// Where the policy trained after a round is kept.
    pub fn policy_path(&self, round: usize) -> PathBuf {
        policy_path(&self.path, round)
    }

    /// The policy trained after a round, where it was kept; one that the log does not know is refused.
    pub fn policy(&self, round: usize) -> Result<Option<Vec<u8>>, StoreError> {
        if !self.policy_path(round).is_file() {
            return Ok(None);
        }
        read_policy(&self.path, self.history(), round).map(Some)
    }

    /// Makes a policy durable, after a note of what it is.
    pub(crate) fn put_policy(&mut self, round: usize, bytes: &[u8]) -> Result<(), StoreError> {
        let (path, note) = (self.policy_path(round), PolicyNote::of(round as u32, bytes));
        match self.history().policies.get(&round) {
            None => self.append(Record::Policy(note))?,
            Some(noted) if *noted == note => {}
            Some(_) => {
                let detail = "trained again it came out otherwise, by another program or on another kind of processor";
                return Err(StoreError::Policy { path, detail: detail.into() });
            }
        }
        self.disk.replace(&path, bytes).context("write", &path)
    }

    /// Forgets a policy.
    pub(crate) fn remove_policy(&self, round: usize) -> Result<(), StoreError> {
        let path = self.policy_path(round);
        self.disk.remove(&path).context("remove", &path)
    }

    /// Puts down what the rounds came to, for people and other programs. The log says the same, so that a failure to write
    /// is no failure of the run.
    pub(crate) fn write_rounds(&self, csv: &str) {
        let path = self.path.join(ROUNDS);
        if fs::read(&path).is_ok_and(|there| there == csv.as_bytes()) {
            return;
        }
        let _ = OsDisk.replace(&path, csv.as_bytes());
    }

    /// Notes how long a round took.
    pub(crate) fn write_timings(&self, seconds: &RoundTimings) {
        times::append(&self.path, seconds);
    }
}

/// Where there is anything else of a run there was a log, with one whole record at least: all is written after that. Or it is
/// somebody's own file, which must not be overwritten.
fn refuse_lost_log(path: &Path, has_spec: bool) -> Result<(), StoreError> {
    let is_there = |name: &&&str| path.join(name).exists();
    let left = match kept_policies(path)[..] {
        [_, ..] => Some("policy"),
        [] if has_spec => Some(SPEC),
        [] => [ROUNDS, times::FILE].iter().find(is_there).copied(),
    };
    match left {
        Some(left) => Err(StoreError::LogLost { path: path.into(), left }),
        None => Ok(()),
    }
}

fn framed<S: Element, A: Element>(record: &Record<S, A>) -> Result<Vec<u8>, StoreError> {
    let payload = record.encode();
    frame::frame(&payload).ok_or(StoreError::TooLarge { bytes: payload.len() })
}

fn check_spec(path: &Path, frozen: &str, asked: &str) -> Result<(), StoreError> {
    if frozen == asked {
        return Ok(());
    }
    Err(StoreError::Spec { path: path.into(), difference: difference(frozen, asked) })
}
