//! `tutelage evaluate`: full episodes of a run's policy or of an expert.

use std::path::Path;

use anyhow::ensure;
use serde::Serialize;
use tutelage::{Acting, Evaluation, ExpertActs};
use tutelage_envs::Task;
use tutelage_lab::{evaluate_run, load_expert};

use super::expert::play;
use crate::output::{Output, Row};

/// Play full episodes with a learned policy or an expert.
#[derive(clap::Args)]
pub(crate) struct Evaluate {
    /// A run's folder, the name of a shipped expert, or an expert's file
    #[arg(value_name = "DIR|EXPERT")]
    who: String,
    /// The task of an expert whose file does not say it
    #[arg(long)]
    task: Option<Task>,
    /// Full episodes to play
    #[arg(long, default_value_t = 25, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    episodes: u32,
    /// How to act
    #[arg(long, value_enum, default_value_t = Act::Mean)]
    act: Act,
    /// The policy after this round [default: the last]
    #[arg(long, value_name = "N")]
    round: Option<usize>,
    /// Where all randomness comes from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// How to act while being judged.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Act {
    /// The mean action
    Mean,
    /// The expert's sampled action, or that of a random member
    #[value(alias = "random")]
    Sample,
}

impl Evaluate {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let episodes = self.episodes as usize;
        let path = Path::new(&self.who);
        let evaluation = if path.is_dir() {
            ensure!(self.task.is_none(), "--task is for experts; {} is a run", self.who);
            let acting = match self.act {
                Act::Mean => Acting::Mean,
                Act::Sample => Acting::UniformMember,
            };
            evaluate_run(path, self.round, acting, episodes, self.seed)?
        } else {
            ensure!(self.round.is_none(), "--round is for runs; {} is an expert", self.who);
            let acts = match self.act {
                Act::Mean => ExpertActs::Mean,
                Act::Sample => ExpertActs::Sampled,
            };
            play(&load_expert(&self.who, self.task)?, acts, episodes, self.seed)?
        };
        output.rows(&[Line::new(&evaluation)])
    }
}

/// What the episodes came to.
#[derive(Serialize)]
struct Line {
    episodes: usize,
    reward: f64,
    sd: f64,
    min: f64,
    max: f64,
    length: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    imitation_loss: Option<f64>,
}

impl Line {
    fn new(evaluation: &Evaluation) -> Self {
        let rewards = || evaluation.episodes.iter().map(|episode| episode.reward);
        Self {
            episodes: evaluation.episodes.len(),
            reward: evaluation.mean_reward(),
            sd: evaluation.sd_reward(),
            min: rewards().fold(f64::INFINITY, f64::min),
            max: rewards().fold(f64::NEG_INFINITY, f64::max),
            length: evaluation.mean_length(),
            imitation_loss: evaluation.imitation_loss(),
        }
    }
}

impl Row for Line {
    const HEADINGS: &'static [&'static str] =
        &["episodes", "reward", "sd", "min", "max", "length", "imitation loss"];

    fn cells(&self) -> Vec<String> {
        let tenth = |value: f64| format!("{value:.1}");
        vec![
            self.episodes.to_string(),
            tenth(self.reward),
            tenth(self.sd),
            tenth(self.min),
            tenth(self.max),
            tenth(self.length),
            self.imitation_loss.map_or("–".into(), |loss| format!("{loss:.4}")),
        ]
    }
}
