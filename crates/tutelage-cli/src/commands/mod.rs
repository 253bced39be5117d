//! One file per command.

mod expert;
mod replay;
mod theory;
mod watch;

use crate::output::Output;

/// What there is to do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Step a task with given actions from a given joint pose and write states, rewards and flags
    Replay(replay::Replay),
    /// Look at an episode: an animated GIF and a strip of stills
    Watch(watch::Watch),
    /// The paper's theory in the finite world, computed exactly
    Theory {
        #[command(subcommand)]
        command: theory::Theory,
    },
    /// Train, judge, import and export experts
    #[command(subcommand)]
    Expert(expert::ExpertCommand),
}

impl Command {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Replay(command) => command.run(output),
            Self::Watch(command) => command.run(output),
            Self::Theory { command } => command.run(output),
            Self::Expert(command) => command.run(output),
        }
    }
}
