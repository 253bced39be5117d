//! `tutelage work`: one run for another process of ours, which started this one and waits for it.

use std::io::{BufReader, stdin, stdout};

use tutelage_reproduce::serve;

/// Carries out the run that standard input names, and ends with whoever waits for it.
pub(super) fn run() -> anyhow::Result<()> {
    let alone = || std::process::exit(1);
    Ok(serve(BufReader::new(stdin()), stdout(), alone)?)
}
