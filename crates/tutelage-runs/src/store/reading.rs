//! Reading a run directory without locking it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tutelage::Element;

use super::frame::{self, NotALog};
use super::history_builder::HistoryBuilder;
use super::{History, PolicyNote, Record, StoreError, writer_of};

pub(super) const SPEC: &str = "spec.toml";
pub(super) const LOG: &str = "log.bin";
pub(super) const POLICIES: &str = "policies";

/// The frozen spec of a run.
pub fn read_spec(path: &Path) -> Result<String, StoreError> {
    let text = tutelage_files::read_text(&path.join(SPEC));
    text.map_err(|error| missing_or_unreadable(path, SPEC, error))
}

/// Reads a run's log without locking it. An incomplete last record is ignored.
///
/// Fails if `spec.toml` differs from the log's spec.
///
/// ```no_run
/// use std::path::Path;
/// use tutelage_runs::store::read_history;
///
/// let history = read_history::<f32, f32>(Path::new("runs/pendulum"))?; // vector actions; `<f32, u32>` for discrete ones
/// println!("{} annotations, {} rounds", history.annotations(), history.results.len());
/// # Ok::<(), tutelage_runs::store::StoreError>(())
/// ```
pub fn read_history<S: Element, A: Element>(path: &Path) -> Result<History<S, A>, StoreError> {
    let log = path.join(LOG);
    let bytes = fs::read(&log).map_err(|error| missing_or_unreadable(path, LOG, error))?;
    let no_run = || StoreError::NoRun { path: path.into(), missing: LOG };
    let history = parse_log(&log, &bytes)?.ok_or_else(no_run)?.builder.into_history();
    match read_spec(path) {
        Ok(spec) if spec == history.spec => Ok(history),
        Ok(spec) => {
            let difference = difference(&spec, &history.spec);
            Err(StoreError::Mixed { path: path.into(), difference })
        }
        // A crash can leave a log without spec.toml.
        Err(StoreError::NoRun { .. }) => Ok(history),
        Err(error) => Err(error),
    }
}

/// Decodes the bytes of a log.
pub fn decode_log<S: Element, A: Element>(bytes: &[u8]) -> Result<History<S, A>, StoreError> {
    let path = Path::new(LOG);
    let no_run = || StoreError::NoRun { path: path.into(), missing: LOG };
    Ok(parse_log(path, bytes)?.ok_or_else(no_run)?.builder.into_history())
}

/// Reads the policy that a run trained after a round, and checks it against the log.
pub fn read_policy<S, A>(
    path: &Path,
    history: &History<S, A>,
    round: usize,
) -> Result<Vec<u8>, StoreError> {
    let file = policy_path(path, round);
    let bytes = fs::read(&file).map_err(StoreError::io("read", &file))?;
    match mismatch(history, round, &bytes) {
        Some(detail) => Err(StoreError::Policy { path: file, detail }),
        None => Ok(bytes),
    }
}

/// How these bytes differ from the policy in the log, if they do.
fn mismatch<S, A>(history: &History<S, A>, round: usize, bytes: &[u8]) -> Option<String> {
    let found = PolicyNote::of(round as u32, bytes);
    let show = |note: &PolicyNote| format!("{} bytes, {:08x}", note.length, note.checksum);
    match history.policies.get(&round) {
        Some(recorded) if *recorded == found => None,
        Some(recorded) => Some(format!("it has {}, the log {}", show(&found), show(recorded))),
        None if is_of_format_1(history, round) => None,
        None => Some("the log has no such policy".into()),
    }
}

/// Whether a policy that the log does not mention was trained with format 1, which did not record policies: after a round that
/// has a result, or before one whose queries have no origin.
fn is_of_format_1<S, A>(history: &History<S, A>, round: usize) -> bool {
    let drove = history.rounds.get(round);
    (1..=history.results.len()).contains(&round)
        || drove.is_some_and(|next| next.origins.is_empty() && !next.replies.is_empty())
}

/// The number of bytes after the last complete record of a run's log. They come from an interrupted write, or the last record
/// is damaged. Returns 0 while another process writes, since it may be in the middle of a record.
pub fn truncated_bytes(path: &Path) -> Result<usize, StoreError> {
    let log = path.join(LOG);
    let bytes = fs::read(&log).map_err(|error| missing_or_unreadable(path, LOG, error))?;
    let end = frame::complete(&bytes).map_or(0, |(_, end)| end);
    Ok(if writer_of(path).is_some() { 0 } else { bytes.len().saturating_sub(end) })
}

/// A missing file means that there is no run; other errors are reported as they are.
fn missing_or_unreadable(path: &Path, file: &'static str, source: io::Error) -> StoreError {
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            StoreError::NoRun { path: path.into(), missing: file }
        }
        _ => StoreError::Io { what: "read", path: path.join(file), source },
    }
}

/// The file of the policy that a run trained after a round.
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
    pub(super) builder: HistoryBuilder<S, A>,
    /// The end of the last complete record.
    pub(super) end: usize,
    pub(super) version: u32,
}

/// Parses a log. Returns `None` if it has no complete record.
pub(super) fn parse_log<S: Element, A: Element>(
    path: &Path,
    bytes: &[u8],
) -> Result<Option<Log<S, A>>, StoreError> {
    let damaged = |offset, what| StoreError::Damaged { path: path.into(), offset, what };
    let scan = match frame::scan(bytes) {
        Ok(scan) => scan,
        Err(NotALog::Empty) => return Ok(None),
        Err(NotALog::Magic) => return Err(StoreError::NotALog { path: path.into() }),
        Err(NotALog::Version(found)) => {
            let supported = frame::VERSION;
            return Err(StoreError::Version { path: path.into(), found, supported });
        }
        Err(NotALog::Damaged { offset }) => {
            return Err(damaged(offset, "a checksum does not match".into()));
        }
    };
    if scan.payloads.is_empty() {
        return Ok(None);
    }
    let mut builder = HistoryBuilder::default();
    for payload in scan.payloads {
        let offset = payload.start;
        let record = Record::decode(&bytes[payload])
            .ok_or_else(|| damaged(offset, "not a record of this kind of run".into()))?;
        builder.check(&record).map_err(|what| damaged(offset, what))?;
        builder.add(record);
    }
    if builder.history().spec.is_empty() {
        return Err(damaged(0, "it does not start with a spec".into()));
    }
    Ok(Some(Log { builder, end: scan.end, version: scan.version }))
}

/// The lines that only one of two texts has, at most [`MOST_LINES`] of each.
pub(super) fn difference(frozen: &str, asked: &str) -> String {
    let only = |a: &str, b: &str, sign: &str| {
        let others: HashSet<&str> = b.lines().collect();
        let lines = a.lines().filter(|line| !others.contains(line));
        lines.map(|line| format!("  {sign} {line}")).take(MOST_LINES).collect::<Vec<_>>()
    };
    [only(frozen, asked, "-"), only(asked, frozen, "+")].concat().join("\n")
}

const MOST_LINES: usize = 100;
