//! Finds and reads the runs below a folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;
use tutelage_compare::{ComparedRun, SpecFields};
use tutelage_runs::RoundLine;
use tutelage_runs::store::{kept_policies, read_any, read_times};

/// Limits of the search: levels below the folder, runs, and folders.
const DEPTH: usize = 5;
const RUNS: usize = 2000;
const FOLDERS: usize = 20_000;

/// A run in the list.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct RunEntry {
    /// Its path below the folder.
    pub(crate) name: String,
    pub(crate) task: String,
    pub(crate) algorithm: String,
    pub(crate) teacher: String,
    pub(crate) seed: String,
    /// The number of rounds in the spec.
    pub(crate) rounds: Option<usize>,
    pub(crate) annotations: usize,
    pub(crate) open_queries: usize,
    pub(crate) expert: Option<f64>,
    pub(crate) lines: Vec<RoundLine>,
    /// The rounds with a saved policy.
    pub(crate) policies: Vec<usize>,
    pub(crate) spec: String,
    /// Why the run cannot be read.
    pub(crate) trouble: Option<String>,
    /// The modification time of its log, in seconds since 1970.
    pub(crate) changed: u64,
}

impl RunEntry {
    /// The run, to be compared.
    pub(crate) fn run(&self) -> ComparedRun {
        ComparedRun::new(self.name.clone().into(), &self.spec, self.lines.clone(), self.expert)
    }
}

/// Finds runs, and reads again only those whose logs changed.
#[derive(Default)]
pub(crate) struct Scanner {
    known: HashMap<PathBuf, (Stamp, RunEntry)>,
}

/// The modification time and length of a log.
type Stamp = (Option<SystemTime>, u64);

impl Scanner {
    /// The runs below a folder, sorted by name.
    pub(crate) fn scan(&mut self, folder: &Path) -> Vec<RunEntry> {
        let mut found = Vec::new();
        let mut budget = FOLDERS;
        find(folder, DEPTH, &mut budget, &mut found);
        self.known.retain(|path, _| found.contains(path));
        let mut entries: Vec<RunEntry> =
            found.iter().filter_map(|path| self.entry(folder, path)).collect();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    fn entry(&mut self, folder: &Path, path: &Path) -> Option<RunEntry> {
        let log = fs::metadata(path.join("log.bin")).ok()?;
        let stamp = (log.modified().ok(), log.len());
        match self.known.get(path) {
            Some((known, entry)) if *known == stamp => Some(entry.clone()),
            _ => {
                let entry = read(folder, path, stamp.0);
                self.known.insert(path.into(), (stamp, entry.clone()));
                Some(entry)
            }
        }
    }
}

/// Finds folders with a log. Does not follow links.
fn find(folder: &Path, depth: usize, budget: &mut usize, found: &mut Vec<PathBuf>) {
    if folder.join("log.bin").is_file() {
        found.push(folder.into());
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut below: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'))
        .map(|entry| entry.path())
        .collect();
    below.sort();
    for folder in below {
        if depth == 0 || *budget == 0 || found.len() == RUNS {
            return;
        }
        *budget -= 1;
        find(&folder, depth - 1, budget, found);
    }
}

fn read(folder: &Path, path: &Path, modified: Option<SystemTime>) -> RunEntry {
    let below = path.strip_prefix(folder).unwrap_or(path).display().to_string();
    let age = modified.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    let mut entry = RunEntry {
        name: if below.is_empty() { ".".into() } else { below },
        policies: kept_policies(path),
        changed: age.map_or(0, |age| age.as_secs()),
        ..RunEntry::default()
    };
    match read_any(path) {
        Err(error) => entry.trouble = Some(tutelage_runs::error_text(&error)),
        Ok(history) => {
            let fields = SpecFields::parse(history.spec());
            let field = |name: &str| fields.get(name).unwrap_or_default().to_owned();
            let states_per_round = fields.number("states_per_round").unwrap_or(0);
            entry.lines = history.lines(states_per_round, &read_times(path));
            entry.rounds = fields.number("rounds");
            (entry.task, entry.teacher, entry.seed) =
                (field("task"), field("expert"), field("seed"));
            entry.annotations = history.annotations();
            entry.open_queries = history.open_queries();
            entry.expert = history.expert().map(tutelage::evaluation::Evaluation::mean_reward);
            entry.spec = history.spec().to_owned();
            entry.algorithm = entry.run().algorithm_label();
        }
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_is_limited_in_depth_and_ignores_links() {
        let dir = tempfile::tempdir().unwrap();
        let run = |path: &str| {
            fs::create_dir_all(dir.path().join(path)).unwrap();
            fs::write(dir.path().join(path).join("log.bin"), "not a log").unwrap();
        };
        run("a/b");
        run("a/b/inside-a-run");
        run("1/2/3/4/5");
        run("1/2/3/4/5x/6");
        run(".hidden");
        #[cfg(unix)]
        std::os::unix::fs::symlink(dir.path().join("a"), dir.path().join("link")).unwrap();
        let entries = Scanner::default().scan(dir.path());
        let names: Vec<&str> = entries.iter().map(|entry| &*entry.name).collect();
        assert_eq!(names, ["1/2/3/4/5", "a/b"]);
        assert!(entries.iter().all(|entry| entry.trouble.is_some()), "these logs are not valid");
    }
}
