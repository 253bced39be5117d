//! `tutelage salvage`: recovers the intact part of a damaged run.

use std::path::PathBuf;

use tutelage_runs::store::{Salvaged, salvage};

use crate::output::{Field, Output};
use crate::shell::command;

/// Copy the intact part of a damaged run to a new directory, which can be resumed.
///
/// The damaged run is not changed.
#[derive(clap::Args)]
pub(crate) struct Salvage {
    /// The damaged run directory
    dir: PathBuf,
    /// The new run directory
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,
}

impl Salvage {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let Salvaged { records, lost, policies, unknown_policies } = salvage(&self.dir, &self.out)?;
        let out = self.out.display().to_string();
        output.fields(vec![vec![
            Field::both("out", out.clone(), "directory", out),
            Field::new("records", records),
            Field::both("lost_bytes", lost, "bytes lost", lost),
            Field::new("policies", policies),
            Field::both("unknown_policies", unknown_policies, "policies lost", unknown_policies),
        ]])?;
        output.say(&format!("\nResume with: {}", command(&[&"tutelage", &"resume", &self.out])))
    }
}
