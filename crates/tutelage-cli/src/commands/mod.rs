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

/// What there is to do.
#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Learn a task from an expert: progress, a table of rounds, a learning curve, a run directory
    Learn(learn::Learn),
    /// Teach a task yourself, on a page in the browser: questions with pictures, every answer on disk
    Teach(teach::Teach),
    /// Look at the runs below a folder on a page in the browser: curves, films, comparisons
    Serve(serve::Serve),
    /// Continue an interrupted run, to the same bits; or a finished one by more rounds
    Resume(resume::Resume),
    /// Show a run: its spec, its rounds, how it stands
    Show(show::Show),
    /// Compare runs: learning curves over seeds, tables, tests and figures
    Compare(compare::Compare),
    /// Play full episodes with a learned policy or an expert
    Evaluate(evaluate::Evaluate),
    /// Look at an episode: an animated GIF and a strip of stills
    Watch(watch::Watch),
    /// Train on a stored run's annotations instead of collecting: the paper's ablations
    Retrain(retrain::Retrain),
    /// Export a run's annotations, policy and learning curves
    Export(export::Export),
    /// Copy what is whole of a damaged run to a new folder
    Salvage(salvage::Salvage),
    /// Step a task with given actions from a given joint pose and write states, rewards and flags
    Replay(replay::Replay),
    /// Train, import and export experts
    #[command(subcommand)]
    Expert(expert::ExpertCommand),
    /// Every figure of the paper: plan its runs, carry out what is missing, draw it
    Reproduce(reproduce::Reproduce),
    /// The paper's theory in the finite world, computed exactly
    Theory {
        #[command(subcommand)]
        command: theory::Theory,
    },
    /// Carry out the run that is named on standard input, for a process that waits for it
    #[command(hide = true)]
    Work,
    /// The tasks, with their dimensions and usual settings
    Tasks,
    /// The algorithms, as values of four choices
    Algorithms,
    /// Completions for a shell
    Completions(completions::Completions),
    /// Manual pages, one for each command
    Man(completions::Man),
}

impl Command {
    /// Whether it waits while others work, and therefore must not occupy a thread of the pool: with one thread, the film that a page
    /// asks for would wait for ever. (Workers of `reproduce` have pools of their own, and those in Python expect the main thread.)
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
