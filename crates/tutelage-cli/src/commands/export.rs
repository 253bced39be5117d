//! `tutelage export`: a run's annotations for other programs.

use std::path::PathBuf;

use tutelage_lab::export::Annotations;
use tutelage_lab::store::read_history;

use crate::output::Output;

/// Write a run's annotations as .npz or .parquet.
#[derive(clap::Args)]
pub(crate) struct Export {
    /// The run's folder
    dir: PathBuf,
    /// The file; its ending says the format: .npz or .parquet
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

impl Export {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let annotations = Annotations::of(&read_history(&self.dir)?)?;
        annotations.write(&self.out)?;
        let rows = annotations.rounds.len();
        output.say(&format!("{rows} annotations written to {}", self.out.display()))
    }
}
