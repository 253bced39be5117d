//! `tutelage expert …`: the teachers.

mod evaluate;
mod files;
mod train;

use tutelage_experts::Score;

use crate::output::{Output, Row};

pub(crate) use evaluate::play;

/// Train, judge, import and export experts
#[derive(clap::Subcommand)]
pub(crate) enum ExpertCommand {
    /// Train an expert by TRPO
    Train(train::Train),
    /// Play full episodes with an expert's mean action and with drawn actions
    Evaluate(evaluate::Evaluate),
    /// Read an expert from a NumPy or Stable-Baselines3 archive
    Import(files::Import),
    /// Write an expert as a NumPy archive or safetensors
    Export(files::Export),
    /// The experts that come with the program
    List,
}

impl ExpertCommand {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Train(train) => train.run(output),
            Self::Evaluate(evaluate) => evaluate.run(output),
            Self::Import(import) => import.run(output),
            Self::Export(export) => export.run(output),
            Self::List => files::list(output),
        }
    }
}

impl Row for Score {
    const HEADINGS: &'static [&'static str] =
        &["task", "act", "episodes", "mean", "sd", "min", "max", "length"];

    fn cells(&self) -> Vec<String> {
        let round = |x: f64| format!("{x:.0}");
        vec![
            self.task.clone(),
            self.act.clone(),
            self.episodes.to_string(),
            round(self.mean),
            round(self.sd),
            round(self.min),
            round(self.max),
            round(self.length),
        ]
    }
}
