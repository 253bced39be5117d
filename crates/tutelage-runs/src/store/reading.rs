//! What a run directory says, to whoever has no right to write to it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tutelage::Element;

use super::frame::{self, NoLog};
use super::history_builder::HistoryBuilder;
use super::{Context, History, PolicyNote, Record, StoreError, writer_of};

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
///
/// ```no_run
/// use std::path::Path;
/// use tutelage_runs::store::read_history;
///
/// let history = read_history::<f32, f32>(Path::new("runs/pendulum"))?; // vectors; `<f32, u32>` where actions are indices
/// println!("{} answers, {} rounds", history.annotations(), history.results.len());
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
        // It is written after the log, and nobody needs it to read that.
        Err(StoreError::NoRun { .. }) => Ok(history),
        Err(error) => Err(error),
    }
}

/// What the bytes of a log say that happened.
pub fn decode_log<S: Element, A: Element>(bytes: &[u8]) -> Result<History<S, A>, StoreError> {
    let path = Path::new(LOG);
    let no_run = || StoreError::NoRun { path: path.into(), missing: LOG };
    Ok(parse_log(path, bytes)?.ok_or_else(no_run)?.builder.into_history())
}

/// The policy that a run trained after a round, as the log knows it; any other is refused.
pub fn read_policy<S, A>(
    path: &Path,
    history: &History<S, A>,
    round: usize,
) -> Result<Vec<u8>, StoreError> {
    let file = policy_path(path, round);
    let bytes = fs::read(&file).context("read", &file)?;
    match unlike_noted(history, round, &bytes) {
        Some(detail) => Err(StoreError::Policy { path: file, detail }),
        None => Ok(bytes),
    }
}

/// Why these bytes are not the policy that the log knows; nothing where they are.
fn unlike_noted<S, A>(history: &History<S, A>, round: usize, bytes: &[u8]) -> Option<String> {
    let found = PolicyNote::of(round as u32, bytes);
    let show = |note: &PolicyNote| format!("{} bytes, {:08x}", note.length, note.checksum);
    match history.policies.get(&round) {
        Some(noted) if *noted == found => None,
        Some(noted) => Some(format!("it has {}, the log says {}", show(&found), show(noted))),
        None if is_of_format_1(history, round) => None,
        None => Some("the log knows of no such policy".into()),
    }
}

/// Whether a policy without a note was trained in the days of format 1, which noted none: after a round that has a result, or
/// before one whose questions have no origin.
fn is_of_format_1<S, A>(history: &History<S, A>, round: usize) -> bool {
    let drove = history.rounds.get(round);
    (1..=history.results.len()).contains(&round)
        || drove.is_some_and(|next| next.origins.is_empty() && !next.replies.is_empty())
}

/// How many bytes lie behind the last whole record of a run's log: what an interrupted write left, or a damaged last record.
/// None are counted while somebody is writing, who may be within a record.
pub fn truncated_bytes(path: &Path) -> Result<usize, StoreError> {
    let log = path.join(LOG);
    let bytes = fs::read(&log).map_err(|error| missing_or_unreadable(path, LOG, error))?;
    let whole = frame::whole(&bytes).map_or(0, |(_, end)| end);
    Ok(if writer_of(path).is_some() { 0 } else { bytes.len().saturating_sub(whole) })
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
    pub(super) builder: HistoryBuilder<S, A>,
    /// Where the whole records end.
    pub(super) end: usize,
    pub(super) version: u32,
}

/// What the bytes of a log say; nothing where not even its first record was written.
pub(super) fn parse_log<S: Element, A: Element>(
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
    let mut builder = HistoryBuilder::default();
    for payload in scan.payloads {
        let offset = payload.start;
        let record = Record::decode(&bytes[payload])
            .ok_or_else(|| damaged(offset, "not a record of this kind of run".into()))?;
        builder.check(&record).map_err(|what| damaged(offset, what))?;
        builder.add(record);
    }
    if builder.history().spec.is_empty() {
        return Err(damaged(0, "it does not begin with a spec".into()));
    }
    Ok(Some(Log { builder, end: scan.end, version: scan.version }))
}

/// The lines that only one of two texts has, as many as somebody reads.
pub(super) fn difference(frozen: &str, asked: &str) -> String {
    let only = |a: &str, b: &str, sign: &str| {
        let others: HashSet<&str> = b.lines().collect();
        let lines = a.lines().filter(|line| !others.contains(line));
        lines.map(|line| format!("  {sign} {line}")).take(MOST_LINES).collect::<Vec<_>>()
    };
    [only(frozen, asked, "-"), only(asked, frozen, "+")].concat().join("\n")
}

const MOST_LINES: usize = 100;
