//! One file per command.

mod theory;

use crate::output::Output;

/// What there is to do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// The paper's theory in the finite world, computed exactly
    Theory {
        #[command(subcommand)]
        command: theory::Theory,
    },
}

impl Command {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Theory { command } => command.run(output),
        }
    }
}
