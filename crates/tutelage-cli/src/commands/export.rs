//! `tutelage export`: writes a run's data for other programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tutelage::choice::Deploy;
use tutelage_compare::SpecFields;
use tutelage_runs::store::{AnyHistory, read_any, read_times};
use tutelage_spec::export::{Annotations, export_policy, tensorboard_file, write_tensorboard};

use crate::arguments::{Force, check_ending};
use crate::output::{Field, Output, ensure_usage, note};

use super::show::note_truncated_log;

/// Export a run: its annotations as .npz, its policy as .onnx, its learning curves for TensorBoard
#[derive(clap::Args)]
pub(crate) struct Export {
    /// The run directory
    dir: PathBuf,
    /// Write the annotations to this .npz file
    #[arg(long, short, value_name = "FILE", required_unless_present_any = ["policy", "tensorboard"])]
    out: Option<PathBuf>,
    /// Write the policy to this .onnx file; the model takes raw states of the task
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Export the policy after this round [default: the policy that the run returns]
    #[arg(long, value_name = "N", requires = "policy")]
    round: Option<usize>,
    /// Write a TensorBoard event file into this directory
    #[arg(long, value_name = "FOLDER")]
    tensorboard: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

impl Export {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        for (file, ending) in [(&self.out, "npz"), (&self.policy, "onnx")] {
            if let Some(file) = file {
                ensure_usage!(
                    ending != "npz" || file.extension().is_none_or(|found| found != "parquet"),
                    "{}: expected a .npz file; Parquet files can be written from Python",
                    file.display()
                );
                check_ending(file, &[ending])?;
                self.force.check(file)?;
            }
        }
        if let Some(folder) = &self.tensorboard {
            self.force.check(&tensorboard_file(folder))?;
        }
        let history = read_any(&self.dir)?;
        note_truncated_log(&self.dir);
        let mut rows = vec![];
        if let Some(out) = &self.out {
            let annotations = Annotations::of(&history)?;
            annotations.write(out)?;
            rows.push(written(out, format!("{} annotations", annotations.rounds.len())));
        }
        if let Some(file) = &self.policy {
            let deploy = export_policy(&self.dir, self.round, file)?;
            if deploy != Deploy::Mean {
                let how = deploy.describe();
                note(&format!(
                    "The run deploys {how}: use a random one of the model's `members` at every step. Its `action` is their mean."
                ));
            }
            rows.push(written(file, "the policy"));
        }
        if let Some(folder) = &self.tensorboard {
            rows.push(self.curves(&history, folder)?);
        }
        output.fields(rows)
    }

    fn curves(&self, history: &AnyHistory, folder: &Path) -> anyhow::Result<Vec<Field>> {
        ensure!(!history.results().is_empty(), "the run has no finished round");
        let k = SpecFields::parse(history.spec()).number("states_per_round");
        let k = k.context("the spec has no states_per_round")?;
        let times = read_times(&self.dir);
        let curves = history.lines(k, &times);
        let file = write_tensorboard(history, &curves, &times, folder)?;
        Ok(written(&file, format!("curves of {} rounds", curves.len())))
    }
}

/// A written file.
fn written(file: &Path, contents: impl Into<String>) -> Vec<Field> {
    let contents = contents.into();
    vec![
        Field::new("file", file.display().to_string()),
        Field::both("what", contents.clone(), "contents", contents),
    ]
}
