//! `tutelage resume`.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use tutelage_spec::spec::RunSpec;
use tutelage_spec::{PreparedRun, spec_of};

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
    /// The total number of rounds [default: the number with which the run was started]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=10_000))]
    rounds: Option<usize>,
}

impl Resume {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let recorded = spec_of(&self.dir)?;
        let rounds = self.rounds.unwrap_or(recorded.rounds);
        ensure_usage!(
            rounds >= recorded.rounds,
            "--rounds {rounds}: the run already has {} rounds",
            recorded.rounds
        );
        let run = PreparedRun::new(RunSpec { rounds, ..recorded }, &self.dir)?;
        carry_out(run, output, Unread::GoOn)
    }
}
