//! The `tutelage` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    tutelage_cli::end_with_parent();
    tutelage_cli::command(std::env::args_os()).into()
}
