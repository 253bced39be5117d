//! `tutelage salvage`: recovers the intact part of a damaged run.

use std::path::PathBuf;

use serde::Serialize;
use tutelage_runs::store::{Salvaged, salvage};

use crate::output::{Output, Row};
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
        let lost_bytes = lost;
        output.rows(&[Line {
            out: out.clone(),
            records,
            lost_bytes,
            policies,
            unknown_policies,
        }])?;
        output.say(&format!("\nResume with: {}", command(&[&"tutelage", &"resume", &self.out])))
    }
}

/// What was recovered.
#[derive(Serialize)]
struct Line {
    out: String,
    records: usize,
    lost_bytes: usize,
    policies: usize,
    unknown_policies: usize,
}

impl Row for Line {
    const HEADINGS: &'static [&'static str] =
        &["directory", "records", "bytes lost", "policies", "policies lost"];

    fn cells(&self) -> Vec<String> {
        let numbers = [self.records, self.lost_bytes, self.policies, self.unknown_policies];
        let numbers = numbers.map(|n| n.to_string());
        [self.out.clone()].into_iter().chain(numbers).collect()
    }
}
