//! `tutelage expert …`.

mod files;
mod train;

use tutelage_spec::{PartsError, Task, load_expert};
use tutelage_tasks::experts::{ContentError, FileError, GaussianExpert, Score};

use crate::output::{Output, Row};

/// Train, import and export experts
#[derive(clap::Subcommand)]
pub(crate) enum ExpertCommand {
    /// Train an expert by TRPO
    Train(train::Train),
    /// `tutelage evaluate` plays an expert's episodes
    #[command(hide = true)]
    Evaluate {
        /// Arguments of `tutelage evaluate`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Read an expert from a NumPy or Stable-Baselines3 archive
    Import(files::Import),
    /// Write an expert as a NumPy archive or safetensors
    Export(files::Export),
    /// List the shipped experts
    List,
}

impl ExpertCommand {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        match self {
            Self::Train(train) => train.run(output),
            Self::Evaluate { arguments } => anyhow::bail!(
                "one command evaluates experts and runs: tutelage evaluate {} (with --act sampled for actions drawn with the expert's noise)",
                arguments.join(" ")
            ),
            Self::Import(import) => import.run(output),
            Self::Export(export) => export.run(output),
            Self::List => files::list(output),
        }
    }
}

/// Loads an expert; if its file does not store the task, the error names the option.
pub(crate) fn load(name: &str, task: Option<Task>) -> anyhow::Result<GaussianExpert> {
    load_expert(name, task).map_err(|error| match &error {
        PartsError::Expert { source, .. }
            if matches!(**source, FileError::Content { error: ContentError::NoTask, .. }) =>
        {
            anyhow::anyhow!("{error}: --task TASK")
        }
        _ => error.into(),
    })
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
