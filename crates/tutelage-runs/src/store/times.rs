//! What each round cost in time and memory: apart from the log, which knows no clock.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Seconds that the phases of a round took, and the memory by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTimings {
    /// n.
    pub round: usize,
    /// Rolling out whoever drives.
    pub collect: f64,
    /// Asking the expert, and making its answers durable.
    pub annotate: f64,
    /// Training the next policy.
    pub train: f64,
    /// Playing the evaluation's episodes.
    pub evaluate: f64,
    /// The most memory in bytes that the process had held by then, where the operating system tells.
    #[serde(default)]
    pub memory: Option<u64>,
}

impl RoundTimings {
    /// The whole round.
    pub fn total(&self) -> f64 {
        self.collect + self.annotate + self.train + self.evaluate
    }
}

/// Where they are noted.
pub(super) const FILE: &str = "times.jsonl";

/// Adds a line. Times are for people's eyes: a failure to write them is no failure of the run.
pub(crate) fn append(folder: &Path, seconds: &RoundTimings) {
    let path = folder.join(FILE);
    // A line that an interruption cut short must not swallow this one.
    let torn = fs::read(&path).is_ok_and(|text| text.last().is_some_and(|&byte| byte != b'\n'));
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    if let (Ok(mut file), Ok(line)) = (file, serde_json::to_string(seconds)) {
        let line = if torn { format!("\n{line}\n") } else { format!("{line}\n") };
        let _ = file.write_all(line.as_bytes());
    }
}

/// The times of each round that has some, in order; the last word counts, lines that make no sense do not.
pub fn read_times(folder: &Path) -> Vec<RoundTimings> {
    let text = tutelage_files::read_text(&folder.join(FILE)).unwrap_or_default();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<RoundTimings>(line).ok());
    let by_round: BTreeMap<usize, RoundTimings> = lines.map(|time| (time.round, time)).collect();
    by_round.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts_and_a_torn_line_costs_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let time = |round, train| RoundTimings { round, train, ..RoundTimings::default() };
        append(dir.path(), &time(2, 1.0));
        append(dir.path(), &time(1, 1.0));
        append(dir.path(), &time(2, 3.0));
        let path = dir.path().join("times.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text + r#"{"round":3,"col"#).unwrap();
        append(dir.path(), &time(4, 2.0));
        assert_eq!(read_times(dir.path()), [time(1, 1.0), time(2, 3.0), time(4, 2.0)]);
    }
}
