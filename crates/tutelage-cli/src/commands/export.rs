//! `tutelage export`: a run's annotations for other programs.

use std::path::PathBuf;

use serde::Serialize;
use tutelage_lab::export::Annotations;
use tutelage_runs::store::read_any;

use crate::arguments::{Force, check_ending};
use crate::output::{Output, Row};

/// Write a run's annotations as .npz or .parquet.
#[derive(clap::Args)]
pub(crate) struct Export {
    /// The run's folder
    dir: PathBuf,
    /// The file; its ending says the format: .npz or .parquet
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: Force,
}

impl Export {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        check_ending(&self.out, &["npz", "parquet"])?;
        self.force.check(&self.out)?;
        let annotations = Annotations::of(&read_any(&self.dir)?)?;
        annotations.write(&self.out)?;
        let (states, actions) = (annotations.states.width(), annotations.actions.width());
        let file = self.out.display().to_string();
        output.rows(&[Line { file, annotations: annotations.rounds.len(), states, actions }])
    }
}

/// What was written.
#[derive(Serialize)]
struct Line {
    file: String,
    annotations: usize,
    states: usize,
    actions: usize,
}

impl Row for Line {
    const HEADINGS: &'static [&'static str] =
        &["file", "annotations", "state width", "action width"];

    fn cells(&self) -> Vec<String> {
        let numbers = [self.annotations, self.states, self.actions];
        [self.file.clone()].into_iter().chain(numbers.map(|n| n.to_string())).collect()
    }
}
