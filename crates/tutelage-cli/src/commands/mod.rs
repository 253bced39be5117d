//! One file per command.

mod algorithms;
mod compare;
mod completions;
mod evaluate;
mod expert;
mod export;
mod learn;
mod learn_many;
mod replay;
mod reproduce;
mod resume;
mod retrain;
mod salvage;
mod serve;
mod show;
mod spec_args;
mod tasks;
mod teach;
mod theory;
mod watch;
mod work;

use crate::output::Output;

/// The subcommands.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    Learn(learn::Learn),
    Teach(teach::Teach),
    Serve(serve::Serve),
    Resume(resume::Resume),
    Show(show::Show),
    Compare(compare::Compare),
    Evaluate(evaluate::Evaluate),
    Watch(watch::Watch),
    Retrain(retrain::Retrain),
    Export(export::Export),
    Salvage(salvage::Salvage),
    Replay(replay::Replay),
    #[command(subcommand)]
    Expert(expert::ExpertCommand),
    /// Reproduce the paper's figures
    Reproduce(reproduce::Reproduce),
    /// The paper's theory in the finite world, computed exactly
    Theory {
        #[command(subcommand)]
        command: theory::Theory,
    },
    /// Execute the run named on standard input, for a parent process
    #[command(hide = true)]
    Work,
    /// List the tasks with their dimensions and default settings
    Tasks,
    /// List the algorithms and their four choices
    Algorithms,
    Completions(completions::Completions),
    Man(completions::Man),
}

impl Command {
    /// Whether the command mostly waits for other threads, so it must not occupy a thread of the pool: with `--threads 1`, a page
    /// would wait forever for its films. (Workers of `reproduce` have their own pools; those in Python need the main thread.)
    pub(crate) fn waits_for_others(&self) -> bool {
        matches!(self, Self::Teach(_) | Self::Serve(_) | Self::Reproduce(_))
    }

    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Learn(command) => command.run(output),
            Self::Teach(command) => command.run(output),
            Self::Serve(command) => command.run(output),
            Self::Resume(command) => command.run(output),
            Self::Show(command) => command.run(output),
            Self::Compare(command) => command.run(output),
            Self::Salvage(command) => command.run(output),
            Self::Evaluate(command) => command.run(output),
            Self::Watch(command) => command.run(output),
            Self::Retrain(command) => command.run(output),
            Self::Export(command) => command.run(output),
            Self::Replay(command) => command.run(output),
            Self::Expert(command) => command.run(output),
            Self::Reproduce(command) => command.run(output),
            Self::Theory { command } => command.run(output),
            Self::Work => work::run(),
            Self::Tasks => tasks::run(output),
            Self::Algorithms => algorithms::run(output),
            Self::Completions(command) => command.run(output),
            Self::Man(command) => command.run(output),
        }
    }
}
