//! One file per command.

use crate::output::Output;

/// What there is to do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {}

impl Command {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let _ = output;
        match self {}
    }
}
