//! `tutelage resume`: continue an interrupted run, to the same bits.

use std::path::PathBuf;

use tutelage_lab::spec_of;

use super::learn::carry_out;
use crate::output::Output;

/// Continue an interrupted run.
#[derive(clap::Args)]
pub(crate) struct Resume {
    /// The run's folder
    dir: PathBuf,
}

impl Resume {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        carry_out(&self.dir, &spec_of(&self.dir)?, output)
    }
}
