//! The `tutelage` command as a library, so that other programs can carry it out in their own process. Results go to standard
//! output, progress and messages to standard error; the exit code is 0 only when the work was done.

#![forbid(unsafe_code)]

mod arguments;
mod arrays;
mod commands;
mod executor;
mod film;
mod live_reporter;
mod output;
mod page;
mod shell;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::Parser;
use tutelage_runs::terminal::show_hints_with;

pub use crate::executor::{ConnectFn, ConnectedExecutor, ExecutorConfig, Storage, set_connect};

use crate::commands::Command;
use crate::output::{Interrupted, Output, be_quiet, complain, reader_is_gone};

/// What shells report of a program that wrote into a closed pipe: 128 + SIGPIPE.
const CLOSED_PIPE: u8 = 141;
/// What shells report of a program that was ended by Ctrl-C: 128 + SIGINT.
const INTERRUPTED: u8 = 130;
/// The version, and the commit that it was built from where that is known.
const VERSION: &str = env!("TUTELAGE_VERSION");
/// What a command that was misspelt ends with.
const USAGE: u8 = 2;

/// Interactive imitation learning: a learner acts, an expert says what it would have done, a policy comes out.
#[derive(Parser)]
#[command(name = "tutelage", version = VERSION, propagate_version = true, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Print results as JSON lines instead of tables
    #[arg(long, global = true)]
    json: bool,

    /// Print results and errors only: no progress, no remarks
    #[arg(long, short, global = true)]
    quiet: bool,

    /// Threads to compute with; results do not depend on it [default: one per core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// How the command is started again, where it is not this process's own program.
static STARTED_AS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how the command is started again, for runs that need a process of their own: a program and its first arguments. Without
/// it, that is this process's own program.
pub fn started_as(program: Vec<OsString>) {
    // The first to say so is believed: a process has one program.
    let _ = STARTED_AS.set(program);
}

/// The program that carries out the command in another process, and its first arguments.
pub(crate) fn again() -> std::io::Result<(PathBuf, Vec<OsString>)> {
    match STARTED_AS.get().map(Vec::as_slice) {
        Some([program, arguments @ ..]) => Ok((program.into(), arguments.to_vec())),
        _ => Ok((std::env::current_exe()?, vec![])),
    }
}

/// The version, with the commit that the program was built from where that is known.
pub fn version() -> &'static str {
    VERSION
}

/// Carries out a command line, the program's name first, and returns its exit code.
pub fn command(line: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(line) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. That nobody reads them is no reason to fail.
            let _ = error.print();
            return if error.use_stderr() { USAGE } else { 0 };
        }
    };
    match run(cli) {
        Ok(()) => 0,
        Err(error) if reader_is_gone(&error) => CLOSED_PIPE,
        Err(error) => {
            complain(&format!("error: {}", explain(&error)));
            if error.is::<Interrupted>() { INTERRUPTED } else { 1 }
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<()> {
    if cli.quiet {
        be_quiet();
        show_hints_with(|_| {});
    }
    if let Some(threads) = cli.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let output = Output::new(cli.json);
    if cli.command.waits_for_others() {
        return cli.command.run(&output);
    }
    // From a thread outside the pool, every parallel step would change threads twice, and there are thousands in a second.
    rayon::scope(|_| cli.command.run(&output))
}

/// An error with its causes, each said once: most messages already end in what caused them.
fn explain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let error = anyhow::anyhow!("no such file").context("cannot read x: no such file");
        assert_eq!(explain(&error.context("run 3")), "run 3: cannot read x: no such file");
    }
}
