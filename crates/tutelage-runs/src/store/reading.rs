//! What a run directory says, to whoever has no right to write to it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tutelage::Action;

use super::frame::{self, NoLog};
use super::{Context, History, PolicyNote, Record, StoreError, Stored};

pub(super) const SPEC: &str = "spec.toml";
pub(super) const LOG: &str = "log.bin";
pub(super) const POLICIES: &str = "policies";

/// The frozen spec of a run.
pub fn read_spec(path: &Path) -> Result<String, StoreError> {
    let text = tutelage_files::read_text(&path.join(SPEC));
    text.map_err(|error| missing_or_unreadable(path, SPEC, error))
}

/// What happened in a run, without locking it; a record under way is not seen.
///
/// The spec beside the log must be the log's own.
pub fn read_history<S: Stored, A: Stored + Action>(
    path: &Path,
) -> Result<History<S, A>, StoreError> {
    let log = path.join(LOG);
    let bytes = fs::read(&log).map_err(|error| missing_or_unreadable(path, LOG, error))?;
    let no_run = || StoreError::NoRun { path: path.into(), missing: LOG };
    let history = parse_log(&log, &bytes)?.ok_or_else(no_run)?.history;
    match read_spec(path) {
        Ok(spec) if spec == history.spec => Ok(history),
        Ok(spec) => {
            let difference = difference(&spec, &history.spec);
            Err(StoreError::Mixed { path: path.into(), difference })
        }
        // It is written after the log, and nobody needs it to read that.
        Err(StoreError::NoRun { .. }) => Ok(history),
        Err(error) => Err(error),
    }
}

/// What the bytes of a log say that happened.
pub fn decode_log<S: Stored, A: Stored + Action>(
    bytes: &[u8],
) -> Result<History<S, A>, StoreError> {
    let path = Path::new(LOG);
    let no_run = || StoreError::NoRun { path: path.into(), missing: LOG };
    Ok(parse_log(path, bytes)?.ok_or_else(no_run)?.history)
}

/// The policy that a run trained after a round, as the log knows it.
pub fn read_policy<S, A>(
    path: &Path,
    history: &History<S, A>,
    round: usize,
) -> Result<Vec<u8>, StoreError> {
    let file = policy_path(path, round);
    let bytes = fs::read(&file).context("read", &file)?;
    let found = PolicyNote::of(round as u32, &bytes);
    match history.policies.get(&round) {
        Some(noted) if *noted != found => {
            let show = |note: &PolicyNote| format!("{} bytes, {:08x}", note.length, note.checksum);
            let detail = format!("it has {}, the log says {}", show(&found), show(noted));
            Err(StoreError::Policy { path: file, detail })
        }
        _ => Ok(bytes),
    }
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

/// Where a run keeps the policy trained after a round.
pub fn policy_path(run: &Path, round: usize) -> PathBuf {
    run.join(POLICIES).join(format!("round-{round:03}.safetensors"))
}

/// The rounds whose policies a run has kept, in order.
pub fn kept_policies(run: &Path) -> Vec<usize> {
    let round = |entry: io::Result<fs::DirEntry>| -> Option<usize> {
        let name = entry.ok()?.file_name();
        name.to_str()?.strip_prefix("round-")?.strip_suffix(".safetensors")?.parse().ok()
    };
    let entries = fs::read_dir(run.join(POLICIES)).into_iter().flatten();
    let mut rounds: Vec<usize> = entries.filter_map(round).collect();
    rounds.sort_unstable();
    rounds
}

pub(super) struct Log<S, A> {
    pub(super) history: History<S, A>,
    /// Where the whole records end.
    pub(super) end: usize,
    pub(super) version: u32,
}

/// What the bytes of a log say; nothing where not even its first record was written.
pub(super) fn parse_log<S: Stored, A: Stored + Action>(
    path: &Path,
    bytes: &[u8],
) -> Result<Option<Log<S, A>>, StoreError> {
    let damaged = |offset, what| StoreError::Damaged { path: path.into(), offset, what };
    let scan = match frame::scan(bytes) {
        Ok(scan) => scan,
        Err(NoLog::Empty) => return Ok(None),
        Err(NoLog::Magic) => return Err(StoreError::NoLog { path: path.into() }),
        Err(NoLog::Version(found)) => {
            let supported = frame::VERSION;
            return Err(StoreError::Version { path: path.into(), found, supported });
        }
        Err(NoLog::Damaged { offset }) => {
            return Err(damaged(offset, "a checksum does not match".into()));
        }
    };
    if scan.payloads.is_empty() {
        return Ok(None);
    }
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
    Ok(Some(Log { history, end: scan.end, version: scan.version }))
}

/// The lines that only one of two texts has.
pub(super) fn difference(frozen: &str, asked: &str) -> String {
    let only = |a: &str, b: &str, sign: &str| {
        let lines = a.lines().filter(|line| !b.lines().any(|other| other == *line));
        lines.map(|line| format!("  {sign} {line}")).collect::<Vec<_>>()
    };
    [only(frozen, asked, "-"), only(asked, frozen, "+")].concat().join("\n")
}
