//! `tutelage evaluate`: episodes of a run's policy or of an expert.

use std::path::Path;

use tutelage::Stream;
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::evaluation::Evaluation;
use tutelage_spec::spec::{EvaluationInput, SpecInput};
use tutelage_spec::{Task, evaluate_expert, evaluate_run};

use crate::output::{Field, Output, ensure_usage, reward, usage};

use super::show::note_truncated_log;

/// Evaluate a learned policy or an expert in full episodes.
#[derive(clap::Args)]
pub(crate) struct Evaluate {
    /// A run directory, a task (evaluates its expert) or an expert file
    #[arg(value_name = "DIR|EXPERT")]
    who: String,
    /// The task of an expert file that does not name it
    #[arg(long)]
    task: Option<Task>,
    /// Number of episodes
    #[arg(long, default_value_t = 25, value_name = "T", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    episodes: u32,
    /// How to act [default: as the run deploys its policy; mean for experts]
    #[arg(long, value_enum)]
    act: Option<Act>,
    /// Add Gaussian noise with this standard deviation to the expert's mean action
    #[arg(long, value_name = "STD", conflicts_with = "act", allow_negative_numbers = true, value_parser = standard_deviation)]
    noise: Option<f32>,
    /// Evaluate the policy after this round [default: the policy that the run returns]
    #[arg(long, value_name = "N")]
    round: Option<usize>,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn standard_deviation(text: &str) -> Result<f32, &'static str> {
    let std = text.parse().ok().filter(|std: &f32| std.is_finite() && *std >= 0.0);
    std.ok_or("expected a number >= 0")
}

/// How to act.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Act {
    /// The mean (or majority vote) of the members; an expert's mean action
    Mean,
    /// A random member at every step (policies only)
    Member,
    /// The expert's action with its noise (experts only)
    Sampled,
}

impl Act {
    /// For the policy of a run.
    pub(super) fn deploy(self) -> anyhow::Result<Deploy> {
        match self {
            Self::Mean => Ok(Deploy::Mean),
            Self::Member => Ok(Deploy::UniformMember),
            Self::Sampled => {
                Err(usage("--act sampled is for experts; use mean or member for a policy"))
            }
        }
    }

    /// For an expert.
    pub(super) fn expert_acts(self) -> anyhow::Result<ExpertActs> {
        match self {
            Self::Mean => Ok(ExpertActs::Mean),
            Self::Sampled => Ok(ExpertActs::Sampled),
            Self::Member => {
                Err(usage("--act member is for policies; use mean or sampled for an expert"))
            }
        }
    }
}

impl Evaluate {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let evaluation =
            if Path::new(&self.who).is_dir() { self.of_run()? } else { self.of_expert()? };
        output.fields(vec![fields(&evaluation)])
    }

    fn of_run(&self) -> anyhow::Result<Evaluation> {
        ensure_usage!(self.task.is_none(), "--task is for experts; {} is a run", self.who);
        ensure_usage!(self.noise.is_none(), "--noise is for experts; {} is a run", self.who);
        let deploy = self.act.map(Act::deploy).transpose()?;
        note_truncated_log(Path::new(&self.who));
        let episodes = self.episodes as usize;
        Ok(evaluate_run(Path::new(&self.who), self.round, deploy, episodes, self.seed)?)
    }

    fn of_expert(&self) -> anyhow::Result<Evaluation> {
        ensure_usage!(self.round.is_none(), "--round is for runs; {} is an expert", self.who);
        let acts = self.act.unwrap_or(Act::Mean).expert_acts()?;
        if let Some(task) = self.who.parse::<Task>().ok().filter(|task| task.robot().is_none()) {
            ensure_usage!(
                self.noise.is_none(),
                "--noise is for the experts of robots, not for {}",
                self.who
            );
            let evaluation = EvaluationInput { episodes: Some(self.episodes as usize) };
            let input = SpecInput { task: Some(task), evaluation, ..SpecInput::default() };
            let stream = Stream::new(self.seed).fork("evaluate expert", 0);
            return Ok(evaluate_expert(&input.complete()?, acts, &stream)?);
        }
        let expert = super::expert::load(&self.who, self.task)?;
        let (expert, acts) = match self.noise {
            Some(std) => (expert.with_noise(std), ExpertActs::Sampled),
            None => (expert, acts),
        };
        Ok(expert.play(acts, self.episodes as usize, self.seed)?)
    }
}

/// The result of an evaluation.
fn fields(evaluation: &Evaluation) -> Vec<Field> {
    let rewards = || evaluation.episodes.iter().map(|episode| episode.reward);
    let of_reward = |name, value| Field::both(name, value, name, reward(value));
    let (length, heading) = (evaluation.mean_length(), "imitation loss");
    vec![
        Field::new("episodes", evaluation.episodes.len()),
        of_reward("reward", evaluation.mean_reward()),
        of_reward("sd", evaluation.sd_reward()),
        of_reward("min", rewards().fold(f64::INFINITY, f64::min)),
        of_reward("max", rewards().fold(f64::NEG_INFINITY, f64::max)),
        Field::both("length", length, "length", format!("{length:.1}")),
        match evaluation.imitation_loss() {
            Some(loss) => Field::both("imitation_loss", loss, heading, format!("{loss:.4}")),
            None => Field::cell(heading, "–"),
        },
    ]
}
