//! `tutelage resume`: resumes a run.

use std::path::PathBuf;

use tutelage_lab::spec::Draft;
use tutelage_lab::spec_of;

use super::learn::carry_out;
use crate::live_reporter::Unread;
use crate::output::{Output, ensure_usage};

/// Resume an interrupted run, or extend a finished one by more rounds.
///
/// The results are bit-identical to those of a run without interruption.
#[derive(clap::Args)]
pub(crate) struct Resume {
    /// The run directory
    dir: PathBuf,
    /// Total number of rounds [default: as in the run's spec]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    rounds: Option<i64>,
}

impl Resume {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let begun = spec_of(&self.dir)?;
        let more = Draft { rounds: self.rounds, ..Draft::default() };
        let spec = more.or(Draft::from(&begun)).check()?;
        ensure_usage!(
            spec.rounds >= begun.rounds,
            "--rounds {} is less than the run's {} rounds",
            spec.rounds,
            begun.rounds
        );
        carry_out(&self.dir, &spec, output, Unread::GoOn)
    }
}
