//! `tutelage work`: executes one run for the parent process.

use std::io::{BufReader, stdin, stdout};

use tutelage_reproduce::serve;

/// Executes the run that standard input names. Exits when the parent closes standard input.
pub(super) fn run() -> anyhow::Result<()> {
    let orphaned = || std::process::exit(1);
    Ok(serve(BufReader::new(stdin()), stdout(), orphaned)?)
}
