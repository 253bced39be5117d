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
    Disk, Fingerprint, History, LogFile, PolicyNote, Record, RoundTimings, StoreError, times,
};

/// A run directory that this process has locked for writing.
pub struct RunDir<S, A> {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    /// Holds the lock.
    log: Box<dyn LogFile>,
    builder: HistoryBuilder<S, A>,
    /// The length of the log's complete records.
    length: u64,
    /// Whether the file may be longer, after a failed write.
    torn: bool,
    truncated: Option<TruncatedTail>,
}

/// An incomplete record that an interrupted write left at the end of a log. It was moved to a separate file.
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
    /// Opens the run with this spec in a folder, or starts one.
    ///
    /// Moves an incomplete record at the end of the log to a separate file ([`RunDir::truncated`]). Fails if the log is damaged
    /// or missing, if the folder belongs to a run with another spec, or if another process writes to it.
    pub fn open(path: &Path, spec: &str, disk: Arc<dyn Disk>) -> Result<Self, StoreError> {
        disk.create_dir(path).map_err(StoreError::io("create", path))?;
        disk.create_dir(&path.join(POLICIES))
            .map_err(StoreError::io("create", &path.join(POLICIES)))?;
        // Compare specs before touching anything: the folder may belong to another run.
        let written = match read_spec(path) {
            Ok(frozen) => Some(check_spec(path, &frozen, spec).map(|()| frozen)?),
            Err(StoreError::NoRun { .. }) => None,
            Err(error) => return Err(error),
        };
        let log_path = path.join(LOG);
        if !log_path.try_exists().map_err(StoreError::io("read", &log_path))? {
            refuse_lost_log(path, written.is_some())?;
        }
        let mut log = open_log(&*disk, path)?;
        [path.to_owned(), path.join(POLICIES)].iter().for_each(|folder| remove_unfinished(folder));
        let bytes = log.read().map_err(StoreError::io("read", &log_path))?;
        // Another process may have written records without syncing them. They must be durable before they are used.
        log.sync().map_err(StoreError::io("sync", &log_path))?;
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

    /// Starts a log that has no complete record.
    fn begin(
        path: &Path,
        spec: &str,
        disk: Arc<dyn Disk>,
        mut log: Box<dyn LogFile>,
    ) -> Result<Self, StoreError> {
        let log_path = path.join(LOG);
        let record = Record::<S, A>::Spec(spec.into());
        let first = [frame::header(), framed(&record)?].concat();
        log.truncate(0).map_err(StoreError::io("clear", &log_path))?;
        log.append(&first).map_err(StoreError::io("write to", &log_path))?;
        let mut builder = HistoryBuilder::default();
        builder.add(record);
        let length = first.len() as u64;
        Ok(Self { path: path.into(), disk, log, builder, length, torn: false, truncated: None })
    }

    /// Rewrites a log of an older format with a new header. All old record kinds are still valid.
    fn upgrade(&mut self, complete: &[u8]) -> Result<(), StoreError> {
        let log_path = self.path.join(LOG);
        let mut bytes = frame::header();
        bytes.extend(&complete[bytes.len()..]);
        self.disk.replace(&log_path, &bytes).map_err(StoreError::io("write", &log_path))?;
        self.log = self.disk.open_log(&log_path).map_err(StoreError::io("open", &log_path))?;
        self.length = bytes.len() as u64;
        Ok(())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The contents of the log.
    pub fn history(&self) -> &History<S, A> {
        self.builder.history()
    }

    /// The incomplete record that was removed from the end of the log when it was opened, if any.
    pub fn truncated(&self) -> Option<&TruncatedTail> {
        self.truncated.as_ref()
    }

    /// Appends a record durably. After a failure, the log is repaired now or before the next record.
    pub(crate) fn append(&mut self, record: Record<S, A>) -> Result<(), StoreError> {
        let (log, offset) = (self.path.join(LOG), self.length as usize);
        // Never write what a reader would refuse.
        let damaged = |what| StoreError::Damaged { path: log.clone(), offset, what };
        self.builder.check(&record).map_err(damaged)?;
        let bytes = framed(&record)?;
        self.repair()?;
        self.check_unchanged()?;
        self.torn = true;
        if let Err(source) = self.log.append(&bytes) {
            // The next reader must not find a record that may not be durable. If truncating fails too, the record's
            // checksum reveals that it is incomplete.
            let _ = self.repair();
            return Err(StoreError::io("write to", &log)(source));
        }
        self.torn = false;
        self.length += bytes.len() as u64;
        self.builder.add(record);
        Ok(())
    }

    /// Checks that no other process changed the log. The lock cannot prevent that on shared storage, or if the file is
    /// replaced.
    fn check_unchanged(&self) -> Result<(), StoreError> {
        let path = self.path.join(LOG);
        let detail = match self.log.length().map_err(StoreError::io("read", &path))? {
            Some(length) if length == self.length => return Ok(()),
            Some(length) => format!("{length} bytes instead of {}", self.length),
            None => "it was removed or replaced".into(),
        };
        Err(StoreError::ChangedExternally { path, detail })
    }

    /// Saves the incomplete record that is about to be removed from the log.
    fn keep_tail(&mut self, tail: &[u8]) -> Result<(), StoreError> {
        if tail.is_empty() {
            return Ok(());
        }
        let kept = self.path.join(format!("log.cut-at-{}.bin", self.length));
        self.disk.replace(&kept, tail).map_err(StoreError::io("write", &kept))?;
        self.truncated = Some(TruncatedTail { kept, bytes: tail.len() });
        Ok(())
    }

    /// Removes an incomplete record from the end of the log.
    fn repair(&mut self) -> Result<(), StoreError> {
        if self.torn {
            let log = self.path.join(LOG);
            self.log.truncate(self.length).map_err(StoreError::io("truncate", &log))?;
            self.torn = false;
        }
        Ok(())
    }

    /// Replaces the spec by one with more rounds, which must agree with it in everything else.
    pub fn extend(&mut self, spec: &str) -> Result<(), StoreError> {
        if self.history().spec != spec {
            self.append(Record::Spec(spec.into()))?;
            self.write_spec(spec)?;
        }
        Ok(())
    }

    fn write_spec(&self, spec: &str) -> Result<(), StoreError> {
        let path = self.path.join(SPEC);
        self.disk.replace(&path, spec.as_bytes()).map_err(StoreError::io("write", &path))
    }

    /// Records the fingerprint of an input when the run starts; later checks that the input is unchanged.
    ///
    /// An input without a recorded fingerprint is accepted if the run has already started.
    pub fn record_input(&mut self, found: Fingerprint) -> Result<(), StoreError> {
        match self.is_recorded(&found)? || self.history().has_started() {
            true => Ok(()),
            false => self.append(Record::Fingerprint(found)),
        }
    }

    /// Whether an input with this name was recorded; fails if it has changed.
    fn is_recorded(&self, found: &Fingerprint) -> Result<bool, StoreError> {
        match self.history().fingerprint(&found.name) {
            Some(recorded) if recorded != found => {
                Err(StoreError::changed(&self.path, recorded, found))
            }
            recorded => Ok(recorded.is_some()),
        }
    }

    /// [`record_input`](Self::record_input) for rows of data. Rows appended since the run started are ignored.
    pub fn record_rows<T: Element>(
        &mut self,
        name: &str,
        rows: &Batch<T>,
    ) -> Result<(), StoreError> {
        let recorded =
            self.history().fingerprint(name).map_or(rows.len(), |recorded| recorded.rows as usize);
        self.record_input(Fingerprint::of(name, &rows.slice(0, recorded.min(rows.len()))))
    }

    /// Records the fingerprint of a round of stored data before a policy is trained on it, or checks that it is unchanged.
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
        if self.is_recorded(&found)? { Ok(()) } else { self.append(Record::Fingerprint(found)) }
    }

    /// The file of the policy trained after a round.
    pub fn policy_path(&self, round: usize) -> PathBuf {
        policy_path(&self.path, round)
    }

    /// Reads the policy trained after a round, if it was kept, and checks it against the log.
    pub fn policy(&self, round: usize) -> Result<Option<Vec<u8>>, StoreError> {
        if !self.policy_path(round).is_file() {
            return Ok(None);
        }
        read_policy(&self.path, self.history(), round).map(Some)
    }

    /// Records the fingerprint of a policy, then writes its file.
    pub(crate) fn put_policy(&mut self, round: usize, bytes: &[u8]) -> Result<(), StoreError> {
        let (path, note) = (self.policy_path(round), PolicyNote::of(round as u32, bytes));
        match self.history().policies.get(&round) {
            None => self.append(Record::Policy(note))?,
            Some(recorded) if *recorded == note => {}
            Some(_) => {
                let detail =
                    "training it again gave a different policy (on another kind of processor?)";
                return Err(StoreError::Policy { path, detail: detail.into() });
            }
        }
        self.disk.replace(&path, bytes).map_err(StoreError::io("write", &path))
    }

    /// Removes a policy's file.
    pub(crate) fn remove_policy(&self, round: usize) -> Result<(), StoreError> {
        let path = self.policy_path(round);
        self.disk.remove(&path).map_err(StoreError::io("remove", &path))
    }

    /// Writes `rounds.csv`. Ignores failures, because the log contains the same information.
    pub(crate) fn write_rounds(&self, csv: &str) {
        let path = self.path.join(ROUNDS);
        if fs::read(&path).is_ok_and(|existing| existing == csv.as_bytes()) {
            return;
        }
        let _ = OsDisk.replace(&path, csv.as_bytes());
    }

    /// Appends the timings of a round to `times.jsonl`. Ignores failures.
    pub(crate) fn write_timings(&self, seconds: &RoundTimings) {
        times::append(&self.path, seconds);
    }
}

/// Refuses a folder that contains files of a run but no log.
///
/// All other files are written after the first record of the log, so the log was lost, or the files are not ours.
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

/// Opens and locks the log of a run.
pub(super) fn open_log(disk: &dyn Disk, run: &Path) -> Result<Box<dyn LogFile>, StoreError> {
    let path = run.join(LOG);
    disk.open_log(&path).map_err(|source| match source.kind() {
        io::ErrorKind::WouldBlock => StoreError::Locked { path: run.into() },
        _ => StoreError::Io { what: "open", path, source },
    })
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
