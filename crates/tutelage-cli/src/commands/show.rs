//! `tutelage show`: a run's spec and progress, read-only.

use std::path::{Path, PathBuf};

use serde::Serialize;
use tutelage_compare::SpecFields;
use tutelage_runs::store::{kept_policies, read_any, read_times, truncated_bytes, writer_of};

use crate::output::{self, Output, note};

/// Show a run: its spec, rounds and state. Works while the run is being written.
#[derive(clap::Args)]
pub(crate) struct Show {
    /// The run directory
    dir: PathBuf,
}

impl Show {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let history = read_any(&self.dir)?;
        let spec = SpecFields::parse(history.spec());
        let (rounds, states_per_round) = (spec.number("rounds"), spec.number("states_per_round"));
        let lines = history.lines(states_per_round.unwrap_or(0), &read_times(&self.dir));
        let state = State {
            dir: self.dir.display().to_string(),
            spec: history.spec().to_owned(),
            rounds,
            rounds_done: lines.len(),
            finished: rounds == Some(lines.len()),
            annotations: history.annotations(),
            open_queries: history.open_queries(),
            written_by_process: writer_of(&self.dir),
            expert_steps: history.expert_steps(),
            expert_reward: history.expert().map(tutelage::evaluation::Evaluation::mean_reward),
            policies: kept_policies(&self.dir),
            truncated_bytes: truncated_bytes(&self.dir)?,
        };
        output.json(&state)?;
        output.say(state.spec.trim_end())?;
        output.say("")?;
        output.rows(&lines)?;
        output.say(&format!("\n{}", state.describe()))
    }
}

/// The state of a run.
#[derive(Serialize)]
struct State {
    dir: String,
    spec: String,
    rounds: Option<usize>,
    rounds_done: usize,
    finished: bool,
    annotations: usize,
    open_queries: usize,
    written_by_process: Option<u32>,
    expert_steps: u64,
    expert_reward: Option<f64>,
    policies: Vec<usize>,
    truncated_bytes: usize,
}

fn describe_tail(bytes: usize) -> String {
    format!(
        "The log ends with an incomplete record of {bytes} bytes, which is ignored; the next resume moves it to a separate file."
    )
}

/// Reports an incomplete record at the end of a run's log.
pub(super) fn note_truncated_log(dir: &Path) {
    if let Ok(bytes @ 1..) = truncated_bytes(dir) {
        note(&format!("{}: {}", dir.display(), describe_tail(bytes)));
    }
}

impl State {
    fn describe(&self) -> String {
        let of = self.rounds.map_or(String::new(), |rounds| format!(" of {rounds}"));
        let mut words = match self.finished {
            true => {
                format!("Finished: {} rounds, {} annotations", self.rounds_done, self.annotations)
            }
            false => format!(
                "{}: {}{of} rounds, {} annotations",
                if self.written_by_process.is_some() { "Running" } else { "Stopped" },
                self.rounds_done,
                self.annotations
            ),
        };
        if self.open_queries > 0 {
            words += &format!(", {} open queries", self.open_queries);
        }
        if self.expert_steps > 0 {
            words += &format!(", {} steps driven by the expert", self.expert_steps);
        }
        if let Some(reward) = self.expert_reward {
            words += &format!("; expert reward {}", output::reward(reward));
        }
        if let Some(process) = self.written_by_process {
            words += &format!("; process {process} is writing to it");
        }
        words += ".";
        if self.truncated_bytes > 0 {
            words += &format!(" {}", describe_tail(self.truncated_bytes));
        }
        words
    }
}
