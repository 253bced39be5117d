//! The `tutelage` command.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    tutelage_cli::command(std::env::args_os()).into()
}
