//! `tutelage expert evaluate`: what an expert earns.

use tutelage::{Evaluation, ExpertActs, RolloutError, Stream};
use tutelage_envs::Task;
use tutelage_experts::{GaussianExpert, Score};
use tutelage_lab::load_expert;

use crate::output::Output;

/// Play full episodes with an expert's mean action and with drawn actions
#[derive(clap::Args)]
pub(crate) struct Evaluate {
    /// A task, for the expert that ships with it, or a file
    expert: String,

    /// The task of an expert whose file does not say it
    #[arg(long)]
    task: Option<Task>,

    /// Full episodes for each way of acting
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    episodes: u32,

    /// Where the episodes' randomness comes from
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Evaluate {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let expert = load_expert(&self.expert, self.task.map(tutelage_lab::Task::of_robot))?;
        output.rows(&scores(&expert, self.episodes as usize, self.seed)?)
    }
}

/// The scores of both ways of acting.
pub(super) fn scores(
    expert: &GaussianExpert,
    episodes: usize,
    seed: u64,
) -> anyhow::Result<Vec<Score>> {
    let score = |acts| Ok(Score::new(expert.task(), acts, &play(expert, acts, episodes, seed)?));
    [ExpertActs::Mean, ExpertActs::Sampled].into_iter().map(score).collect()
}

/// Full episodes of an expert: the same for the same seed, whichever command asks.
pub(crate) fn play(
    expert: &GaussianExpert,
    acts: ExpertActs,
    episodes: usize,
    seed: u64,
) -> Result<Evaluation, RolloutError> {
    expert.evaluate(acts, episodes, &Stream::new(seed).fork("evaluate expert", 0))
}
