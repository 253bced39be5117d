//! `tutelage expert evaluate`: what an expert earns.

use tutelage::{ExpertActs, Stream};
use tutelage_envs::Task;
use tutelage_experts::{GaussianExpert, Score};

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
        let expert = super::open(&self.expert, self.task)?;
        output.rows(&scores(&expert, self.episodes as usize, self.seed)?)
    }
}

/// The scores of both ways of acting.
pub(super) fn scores(
    expert: &GaussianExpert,
    episodes: usize,
    seed: u64,
) -> anyhow::Result<Vec<Score>> {
    let stream = Stream::new(seed).fork("evaluate expert", 0);
    let score = |acts| {
        let evaluation = expert.evaluate(acts, episodes, &stream)?;
        Ok(Score::new(expert.task(), acts, &evaluation))
    };
    [ExpertActs::Mean, ExpertActs::Sampled].into_iter().map(score).collect()
}
