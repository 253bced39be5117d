//! The `tutelage` command as a library, so that other programs can run it in their own process.
//!
//! Results go to standard output, progress and messages to standard error. The exit code is 0 for success, 1 for a failure, 2
//! for wrong usage, and 130 after an interruption.

#![forbid(unsafe_code)]

mod arguments;
mod arrays;
mod commands;
mod executor;
mod film;
mod job_display;
mod live_reporter;
mod output;
mod page;
mod shell;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use clap::Parser;
use tutelage_runs::error_text;
use tutelage_runs::terminal::show_hints_with;
use tutelage_spec::spec::SpecError;

pub use crate::executor::{ConnectFn, ConnectedExecutor, ExecutorConfig, Storage, set_connect};

use crate::commands::Command;
use crate::output::{Interrupted, Output, Usage, be_quiet, complain, reader_is_gone};

/// The exit code after writing to a closed pipe: 128 + SIGPIPE.
const CLOSED_PIPE: u8 = 141;
/// The exit code after Ctrl-C: 128 + SIGINT.
const INTERRUPTED: u8 = 130;
/// The version and, if known, the commit.
const VERSION: &str = env!("TUTELAGE_VERSION");
/// The exit code for wrong usage.
const USAGE: u8 = 2;

/// Interactive imitation learning: learn a policy from an expert's corrections.
#[derive(Parser)]
#[command(name = "tutelage", version = VERSION, propagate_version = true, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Print results as JSON lines
    #[arg(long, global = true)]
    json: bool,

    /// Print only results and errors
    #[arg(long, short, global = true)]
    quiet: bool,

    /// Number of threads; affects speed only [default: one per core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// The program and first arguments that start this command, if they are not this process's executable.
static STARTED_AS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the program and first arguments that start this command, for runs in child processes. The default is this process's
/// executable. Later calls have no effect.
pub fn started_as(program: Vec<OsString>) {
    let _ = STARTED_AS.set(program);
}

/// The program and first arguments that start this command in another process.
pub(crate) fn again() -> std::io::Result<(PathBuf, Vec<OsString>)> {
    match STARTED_AS.get().map(Vec::as_slice) {
        Some([program, arguments @ ..]) => Ok((program.into(), arguments.to_vec())),
        _ => Ok((std::env::current_exe()?, vec![])),
    }
}

/// The version and, if known, the commit.
pub fn version() -> &'static str {
    VERSION
}

/// Runs a command line, which starts with the program's name, and returns the exit code.
pub fn command(line: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(line) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version also arrive here. Ignore a closed pipe.
            let _ = error.print();
            return if error.use_stderr() { USAGE } else { 0 };
        }
    };
    match run(cli) {
        Ok(()) => 0,
        Err(error) if reader_is_gone(&error) => CLOSED_PIPE,
        Err(error) => {
            complain(&format!("error: {}", error_text(&*error)));
            exit_code(&error)
        }
    }
}

fn exit_code(error: &anyhow::Error) -> u8 {
    let is_usage = |cause: &(dyn std::error::Error + 'static)| cause.is::<Usage>();
    match error.is::<Interrupted>() {
        true => INTERRUPTED,
        false if error.chain().any(is_usage) || error.is::<SpecError>() => USAGE,
        false => 1,
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
    // Run inside the pool, or each of thousands of parallel steps per second would switch threads twice.
    rayon::scope(|_| cli.command.run(&output))
}
