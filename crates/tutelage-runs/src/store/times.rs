//! What each round cost in time and memory: apart from the log, which knows no clock.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Seconds that the phases of a round took, and the memory by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
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

impl Seconds {
    /// The whole round.
    pub fn total(&self) -> f64 {
        self.collect + self.annotate + self.train + self.evaluate
    }
}

/// Adds a line. Times are for people's eyes: a failure to write them is no failure of the run.
pub(crate) fn note(folder: &Path, seconds: &Seconds) {
    let file = fs::OpenOptions::new().create(true).append(true).open(folder.join("times.jsonl"));
    if let (Ok(mut file), Ok(line)) = (file, serde_json::to_string(seconds)) {
        let _ = writeln!(file, "{line}");
    }
}

/// The times of each round that has some; the last word counts, lines that make no sense do not.
pub fn read_times(folder: &Path) -> Vec<Seconds> {
    let text = tutelage_files::read_text(&folder.join("times.jsonl")).unwrap_or_default();
    let mut times: Vec<Seconds> = Vec::new();
    for seconds in text.lines().filter_map(|line| serde_json::from_str::<Seconds>(line).ok()) {
        match times.iter_mut().find(|old| old.round == seconds.round) {
            Some(old) => *old = seconds,
            None => times.push(seconds),
        }
    }
    times
}
