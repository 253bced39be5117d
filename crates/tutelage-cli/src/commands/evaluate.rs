//! `tutelage evaluate`: full episodes of a run's policy or of an expert.

use std::path::Path;

use anyhow::ensure;
use serde::Serialize;
use tutelage::Stream;
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::evaluation::Evaluation;
use tutelage_lab::spec::{Draft, EvaluationDraft};
use tutelage_lab::{Task, evaluate_expert, evaluate_run, load_expert};

use crate::output::{Output, Row, reward};

use super::show::note_torn_log;

/// Play full episodes with a learned policy or an expert.
#[derive(clap::Args)]
pub(crate) struct Evaluate {
    /// A run's folder, the name of a task (its own expert), or an expert's file
    #[arg(value_name = "DIR|EXPERT")]
    who: String,
    /// The task of an expert whose file does not say it
    #[arg(long)]
    task: Option<Task>,
    /// Full episodes to play
    #[arg(long, default_value_t = 25, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    episodes: u32,
    /// How to act [default: as the run deploys its policy; an expert: mean]
    #[arg(long, value_enum)]
    act: Option<Act>,
    /// An expert: its mean action with Gaussian noise of this standard deviation, to see how much error it forgives
    #[arg(long, value_name = "STD", conflicts_with = "act")]
    noise: Option<f32>,
    /// The policy after this round [default: the one that the run returns]
    #[arg(long, value_name = "N")]
    round: Option<usize>,
    /// Where all randomness comes from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// How to act.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Act {
    /// The members' mean (or vote), the expert's mean action
    Mean,
    /// A policy: a member drawn at every step
    Member,
    /// An expert: the action that it would answer with, noise included
    Sampled,
}

impl Act {
    /// How a run's policy acts so.
    pub(super) fn deploy(self) -> anyhow::Result<Deploy> {
        match self {
            Self::Mean => Ok(Deploy::Mean),
            Self::Member => Ok(Deploy::UniformMember),
            Self::Sampled => {
                anyhow::bail!("--act sampled is for experts; a policy acts by its mean or a member")
            }
        }
    }

    /// How an expert acts so.
    pub(super) fn expert_acts(self) -> anyhow::Result<ExpertActs> {
        match self {
            Self::Mean => Ok(ExpertActs::Mean),
            Self::Sampled => Ok(ExpertActs::Sampled),
            Self::Member => {
                anyhow::bail!("--act member is for learned policies; an expert has no members")
            }
        }
    }
}

impl Evaluate {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let evaluation =
            if Path::new(&self.who).is_dir() { self.of_run()? } else { self.of_expert()? };
        output.rows(&[Line::new(&evaluation)])
    }

    fn of_run(&self) -> anyhow::Result<Evaluation> {
        ensure!(self.task.is_none(), "--task is for experts; {} is a run", self.who);
        ensure!(self.noise.is_none(), "--noise is for experts; {} is a run", self.who);
        let deploy = self.act.map(Act::deploy).transpose()?;
        note_torn_log(Path::new(&self.who));
        let episodes = self.episodes as usize;
        Ok(evaluate_run(Path::new(&self.who), self.round, deploy, episodes, self.seed)?)
    }

    fn of_expert(&self) -> anyhow::Result<Evaluation> {
        ensure!(self.round.is_none(), "--round is for runs; {} is an expert", self.who);
        let acts = self.act.unwrap_or(Act::Mean).expert_acts()?;
        let is_spread = |std: f32| std.is_finite() && std >= 0.0;
        ensure!(
            self.noise.is_none_or(is_spread),
            "--noise is {}; allowed is a number from 0 on",
            self.noise.unwrap_or_default()
        );
        if self.who.parse::<Task>().is_ok_and(|task| task.robot().is_none()) {
            ensure!(
                self.noise.is_none(),
                "--noise is for the robots' experts; {} has none",
                self.who
            );
            let evaluation = Some(EvaluationDraft { episodes: Some(self.episodes.into()) });
            let draft = Draft { task: Some(self.who.clone()), evaluation, ..Draft::default() };
            let stream = Stream::new(self.seed).fork("evaluate expert", 0);
            return Ok(evaluate_expert(&draft.check()?, acts, &stream)?);
        }
        let expert = load_expert(&self.who, self.task)?;
        let (expert, acts) = match self.noise {
            Some(std) => (expert.with_noise(std), ExpertActs::Sampled),
            None => (expert, acts),
        };
        Ok(expert.play(acts, self.episodes as usize, self.seed)?)
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
        vec![
            self.episodes.to_string(),
            reward(self.reward),
            reward(self.sd),
            reward(self.min),
            reward(self.max),
            format!("{:.1}", self.length),
            self.imitation_loss.map_or("–".into(), |loss| format!("{loss:.4}")),
        ]
    }
}
