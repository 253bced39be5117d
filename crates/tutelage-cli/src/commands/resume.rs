//! `tutelage resume`: continue a run, to the same bits.

use std::path::PathBuf;

use tutelage_lab::spec::Draft;
use tutelage_lab::spec_of;

use super::learn::carry_out;
use crate::live_reporter::Unread;
use crate::output::Output;

/// Continue an interrupted run, or a finished one by more rounds.
#[derive(clap::Args)]
pub(crate) struct Resume {
    /// The run's folder
    dir: PathBuf,
    /// Go on to this many rounds in all [default: as many as it was begun with]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    rounds: Option<i64>,
}

impl Resume {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let begun = spec_of(&self.dir)?;
        let more = Draft { rounds: self.rounds, ..Draft::default() };
        let spec = more.or(Draft::from(&begun)).check()?;
        anyhow::ensure!(
            spec.rounds >= begun.rounds,
            "--rounds {} is fewer than the {} that the run has",
            spec.rounds,
            begun.rounds
        );
        carry_out(&self.dir, &spec, output, Unread::GoOn)
    }
}
