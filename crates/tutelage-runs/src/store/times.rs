//! Time and memory of each round. They are not in the log, which is reproducible to the bit.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The seconds that each stage of a round took, and the peak memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTimings {
    /// The round's number n.
    pub round: usize,
    /// Collecting states.
    pub collect: f64,
    /// Asking the expert, and making its labels durable.
    pub annotate: f64,
    /// Training.
    pub train: f64,
    /// Evaluating.
    pub evaluate: f64,
    /// The peak memory of the process in bytes, if the platform reports it.
    #[serde(default)]
    pub memory: Option<u64>,
}

impl RoundTimings {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.collect + self.annotate + self.train + self.evaluate
    }
}

/// The file of the timings.
pub(super) const FILE: &str = "times.jsonl";

/// Appends a line. Ignores failures, because timings are only informative.
pub(crate) fn append(folder: &Path, seconds: &RoundTimings) {
    let path = folder.join(FILE);
    // Do not append to a line that an interruption cut short.
    let torn = fs::read(&path).is_ok_and(|text| text.last().is_some_and(|&byte| byte != b'\n'));
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    if let (Ok(mut file), Ok(line)) = (file, serde_json::to_string(seconds)) {
        let line = if torn { format!("\n{line}\n") } else { format!("{line}\n") };
        let _ = file.write_all(line.as_bytes());
    }
}

/// Reads the timings in order of rounds. The last line of each round counts; invalid lines are ignored.
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
    fn the_last_line_counts_and_an_incomplete_one_is_ignored() {
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
