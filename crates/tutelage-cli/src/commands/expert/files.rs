//! `tutelage expert import|export|list`: experts in files.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde_json::json;
use tutelage_tasks::bullet::Robot;
use tutelage_tasks::experts::{
    Card, GaussianExpert, JUDGED_BY, SHIPPED, Score, Shipped, WRITABLE_EXTENSIONS,
};

use crate::arguments::{Force, check_ending, robot};
use crate::output::{Output, Record};

/// Read an expert from a NumPy or Stable-Baselines3 archive
#[derive(clap::Args)]
pub(crate) struct Import {
    /// `.npz` (W0 b0 W1 b1 … logstd rms_mean rms_var) or a Stable-Baselines3 PPO or TRPO `.zip`
    file: PathBuf,

    /// The task of the expert
    #[arg(long, value_parser = robot)]
    task: Robot,

    /// The `vecnormalize.pkl` of a Stable-Baselines3 archive
    #[arg(long, value_name = "FILE")]
    vecnormalize: Option<PathBuf>,

    /// The output, a `.safetensors` file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    force: Force,
}

impl Import {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        check_ending(&self.out, &["safetensors"])?;
        ensure!(
            self.vecnormalize.is_none() || check_ending(&self.file, &["zip"]).is_ok(),
            "--vecnormalize belongs to a Stable-Baselines3 .zip; {} has its own statistics",
            self.file.display()
        );
        self.force.check(&self.out)?;
        let expert =
            GaussianExpert::read(&self.file, Some(self.task), self.vecnormalize.as_deref())?;
        let scores = expert.judge(JUDGED_BY, 1)?;
        let card =
            Card { command: Some(self.command()), scores: scores.clone(), ..expert.card().clone() };
        expert.with_card(card).write(&self.out)?;
        output.rows(&scores)?;
        output.say(&format!("wrote {}", self.out.display()))
    }

    /// The command in the expert's card, with the names of the files but not their folders.
    fn command(&self) -> String {
        let name =
            |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let statistics =
            self.vecnormalize.as_deref().map(|path| format!(" --vecnormalize {}", name(path)));
        let (file, task) = (name(&self.file), self.task);
        format!("tutelage expert import {file}{} --task {task}", statistics.unwrap_or_default())
    }
}

/// Write an expert as a NumPy archive or safetensors
#[derive(clap::Args)]
pub(crate) struct Export {
    /// The name of a shipped expert, or a file
    expert: String,

    /// The task of an expert whose file does not store it
    #[arg(long, value_parser = robot)]
    task: Option<Robot>,

    /// `.npz` or `.safetensors`
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    force: Force,
}

impl Export {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        check_ending(&self.out, &WRITABLE_EXTENSIONS)?;
        self.force.check(&self.out)?;
        super::load(&self.expert, self.task.map(tutelage_spec::Task::of_robot))?
            .write(&self.out)?;
        output.say(&format!("wrote {}", self.out.display()))
    }
}

/// Lists the shipped experts.
pub(super) fn list(output: &Output) -> anyhow::Result<()> {
    let row = |shipped: Shipped| -> anyhow::Result<Record> {
        let expert = shipped.expert()?;
        let card = expert.card();
        let score = |act: &str| card.scores.iter().find(|score| score.act == act);
        let number = |x: Option<u64>| x.map_or("–".to_owned(), |x| x.to_string());
        let shown = |score: Option<&Score>| {
            score.map_or("–".to_owned(), |Score { mean, sd, .. }| format!("{mean:.0} ± {sd:.0}"))
        };
        let (mean, sampled) = (score("mean"), score("sample"));
        let network = expert.policy().network().layout().widths();
        let object = json!({
            "expert": shipped.name, "network": network, "steps": card.steps, "seed": card.seed,
            "mean": mean.map(|score| score.mean), "sd": mean.map(|score| score.sd),
            "sampled_mean": sampled.map(|score| score.mean),
            "sampled_sd": sampled.map(|score| score.sd), "command": card.command,
        });
        let widths: Vec<String> = network.iter().map(ToString::to_string).collect();
        let cells = vec![
            shipped.name.to_owned(),
            widths.join("-"),
            number(card.steps),
            number(card.seed),
            shown(mean),
            shown(sampled),
            card.command.clone().unwrap_or_default(),
        ];
        Ok((object, cells))
    };
    let headings = ["expert", "network", "steps", "seed", "mean action", "sampled", "command"];
    let rows = SHIPPED.into_iter().map(row).collect::<anyhow::Result<Vec<_>>>()?;
    output.records(&headings, rows)
}
