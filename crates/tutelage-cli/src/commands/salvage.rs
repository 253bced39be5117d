//! `tutelage salvage`: what is whole of a damaged run.

use std::path::PathBuf;

use serde::Serialize;
use tutelage_runs::store::{Salvaged, salvage};

use crate::output::{Output, Row};
use crate::shell::command;

/// Copy what is whole of a damaged run to a new folder, which can be resumed; the old one is left as it is.
#[derive(clap::Args)]
pub(crate) struct Salvage {
    /// The damaged run's folder
    dir: PathBuf,
    /// The new folder
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
        output.say(&format!("\nContinue with: {}", command(&[&"tutelage", &"resume", &self.out])))
    }
}

/// What was saved.
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
        &["folder", "records", "bytes lost", "policies", "to be trained again"];

    fn cells(&self) -> Vec<String> {
        let numbers = [self.records, self.lost_bytes, self.policies, self.unknown_policies];
        let numbers = numbers.map(|n| n.to_string());
        [self.out.clone()].into_iter().chain(numbers).collect()
    }
}
