//! `tutelage expert import|export|list`: experts in files.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde::Serialize;
use tutelage_envs::Robot;
use tutelage_experts::{Card, Format, GaussianExpert, JUDGED_BY, SHIPPED, Shipped};
use tutelage_lab::load_expert;

use crate::arguments::{Force, check_ending, robot};
use crate::output::{Output, Row};

/// Read an expert from a NumPy or Stable-Baselines3 archive
#[derive(clap::Args)]
pub(crate) struct Import {
    /// `.npz` (W0 b0 W1 b1 … logstd rms_mean rms_var) or a Stable-Baselines3 PPO or TRPO `.zip`
    file: PathBuf,

    /// The task that it is an expert in
    #[arg(long, value_parser = robot)]
    task: Robot,

    /// The `vecnormalize.pkl` that belongs to a Stable-Baselines3 archive
    #[arg(long, value_name = "FILE")]
    vecnormalize: Option<PathBuf>,

    /// Where to write it: a `.safetensors` file
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

    /// What the expert's card says of where it comes from: files by their names, wherever they lay.
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
    /// A task, for the expert that ships with it, or a file
    expert: String,

    /// The task of an expert whose file does not say it
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
        check_ending(&self.out, &Format::WRITABLE)?;
        self.force.check(&self.out)?;
        load_expert(&self.expert, self.task.map(tutelage_lab::Task::of_robot))?.write(&self.out)?;
        output.say(&format!("wrote {}", self.out.display()))
    }
}

/// A shipped expert in the list.
#[derive(Serialize)]
struct Listed {
    expert: &'static str,
    network: Vec<usize>,
    steps: Option<u64>,
    seed: Option<u64>,
    mean: Option<f64>,
    sd: Option<f64>,
    sampled_mean: Option<f64>,
    sampled_sd: Option<f64>,
    command: Option<String>,
}

impl Row for Listed {
    const HEADINGS: &'static [&'static str] =
        &["expert", "network", "steps", "seed", "mean action", "sampled", "command"];

    fn cells(&self) -> Vec<String> {
        let number = |x: Option<u64>| x.map_or("–".to_owned(), |x| x.to_string());
        let score = |mean: Option<f64>, sd: Option<f64>| match (mean, sd) {
            (Some(mean), Some(sd)) => format!("{mean:.0} ± {sd:.0}"),
            _ => "–".to_owned(),
        };
        let widths: Vec<String> = self.network.iter().map(ToString::to_string).collect();
        vec![
            self.expert.to_owned(),
            widths.join("-"),
            number(self.steps),
            number(self.seed),
            score(self.mean, self.sd),
            score(self.sampled_mean, self.sampled_sd),
            self.command.clone().unwrap_or_default(),
        ]
    }
}

/// Prints the experts that come with the program.
pub(super) fn list(output: &Output) -> anyhow::Result<()> {
    let listed = |shipped: Shipped| -> anyhow::Result<Listed> {
        let expert = shipped.expert()?;
        let card = expert.card();
        let score = |act: &str| card.scores.iter().find(|score| score.act == act);
        Ok(Listed {
            expert: shipped.name,
            network: expert.policy().network().layout().widths().to_vec(),
            steps: card.steps,
            seed: card.seed,
            mean: score("mean").map(|score| score.mean),
            sd: score("mean").map(|score| score.sd),
            sampled_mean: score("sample").map(|score| score.mean),
            sampled_sd: score("sample").map(|score| score.sd),
            command: card.command.clone(),
        })
    };
    output.rows(&SHIPPED.into_iter().map(listed).collect::<anyhow::Result<Vec<_>>>()?)
}
