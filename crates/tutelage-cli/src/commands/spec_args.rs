//! A run's spec as flags: each says what the field of the same name in a TOML file says, and goes before it.

use std::path::PathBuf;

use anyhow::Context;
use tutelage_lab::spec::{Draft, EvaluationDraft, OracleDraft};

/// The fields of a spec.
#[derive(Clone, clap::Args)]
pub(crate) struct SpecArgs {
    /// Who annotates: the name of a shipped expert or a file [default: the task's shipped expert]
    #[arg(long, value_name = "NAME|FILE")]
    expert: Option<String>,
    /// bc, dagger, bd-E, mp-E(X), …; `tutelage algorithms` lists and explains them all [default: bd-5]
    #[arg(long, short)]
    algorithm: Option<String>,
    /// Policy class: mlp:64,64, mlp:8, linear, or the paper's realizable and nonrealizable [default: realizable]
    #[arg(long, short)]
    class: Option<String>,
    /// Rounds N [default: the paper's, 20 to 50 by task and class]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    rounds: Option<i64>,
    /// States annotated in a round, K [default: 50]
    #[arg(long, allow_negative_numbers = true, value_name = "K")]
    states_per_round: Option<i64>,
    /// How states are taken from trajectories: stride(20) or independent [default: stride(20)]
    #[arg(long)]
    sampling: Option<String>,
    /// How the expert acts where it drives (bc): sampled or mean [default: sampled]
    #[arg(long, value_name = "sampled|mean")]
    expert_acts: Option<String>,
    /// Where perturbation states come from: uniform(-2,2) or dagger:DIR,DIR,… [default: uniform(-2,2)]
    #[arg(long)]
    d0: Option<String>,
    /// What is returned and evaluated: the members' mean, a member drawn at every step, or the policy of a random round
    /// [default: mean]
    #[arg(long, value_name = "mean|member|random-round")]
    deploy: Option<String>,
    /// How long a network trains: epochs=N or iterations=N [default: epochs=2000]
    #[arg(long)]
    budget: Option<String>,
    /// Adam's step [default: 2.5e-4]
    #[arg(long, allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// Examples per step [default: 200]
    #[arg(long, allow_negative_numbers = true)]
    batch: Option<i64>,
    /// What networks see: states as-given, or standardised by the statistics of D [default: as-given]
    #[arg(long, value_name = "as-given|standardised")]
    states: Option<String>,
    /// Episodes of an evaluation, T [default: 25]
    #[arg(long, allow_negative_numbers = true, value_name = "T")]
    episodes: Option<i64>,
    /// Where all randomness comes from [default: 1]
    #[arg(long, allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Policies that stay on disk: all or last [default: all]
    #[arg(long, value_name = "all|last")]
    keep: Option<String>,
    /// A TOML file with any of these fields; `--dry-run` shows its form
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
}

impl SpecArgs {
    /// What the flags say, and where they say nothing, the file.
    pub(crate) fn draft(self, task: Option<String>) -> anyhow::Result<Draft> {
        let file = match &self.config {
            None => Draft::default(),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                Draft::parse(&text).with_context(|| path.display().to_string())?
            }
        };
        let flags = Draft {
            task,
            expert: self.expert,
            algorithm: self.algorithm,
            class: self.class,
            rounds: self.rounds,
            states_per_round: self.states_per_round,
            sampling: self.sampling,
            expert_acts: self.expert_acts,
            d0: self.d0,
            data: None,
            deploy: self.deploy,
            oracle: Some(OracleDraft {
                budget: self.budget,
                learning_rate: self.learning_rate,
                batch: self.batch,
                states: self.states,
            }),
            evaluation: Some(EvaluationDraft { episodes: self.episodes }),
            seed: self.seed,
            keep: self.keep,
        };
        Ok(flags.or(file).with_absolute_paths())
    }
}
