//! One file per command.

mod expert;

use crate::output::Output;

/// What there is to do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Train, judge, import and export experts
    #[command(subcommand)]
    Expert(expert::ExpertCommand),
}

impl Command {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Expert(command) => command.run(output),
        }
    }
}
