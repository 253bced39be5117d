//! A run's spec as flags: each says what the field of the same name in a TOML file says, and goes before it.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use tutelage_lab::spec::{Draft, EvaluationDraft, OracleDraft};

/// The fields of a spec.
#[derive(Clone, clap::Args)]
pub(crate) struct SpecArgs {
    /// Who annotates: the name of a shipped expert or a file [default: the task's shipped expert]
    #[arg(long, value_name = "NAME|FILE")]
    expert: Option<String>,
    /// Rounds N [default: by task; the robots' are the paper's, 20 to 50]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    rounds: Option<i64>,
    /// How states are taken from trajectories: stride(20) or independent [default: by task; robots: stride(20)]
    #[arg(long)]
    sampling: Option<String>,
    /// How the expert acts where it drives (bc): sampled or mean [default: sampled]
    #[arg(long, value_name = "sampled|mean")]
    expert_acts: Option<String>,
    /// Where perturbation states come from: uniform(-2,2) or dagger:DIR,DIR,… [default: uniform(-2,2)]
    #[arg(long)]
    d0: Option<String>,
    #[command(flatten)]
    training: TrainingArgs,
    /// A TOML file with any of these fields; `--dry-run` shows its form
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
}

/// Those that say how policies are trained and judged, whoever collected what they are trained on.
#[derive(Clone, Default, clap::Args)]
pub(crate) struct TrainingArgs {
    /// Policy class: mlp:64,64, mlp:8, linear, or the paper's realizable and nonrealizable [default: by task; robots: realizable]
    #[arg(long, short)]
    pub(super) class: Option<String>,
    /// States annotated in a round, K [default: by task; robots: 50]
    #[arg(long, allow_negative_numbers = true, value_name = "K")]
    pub(super) states_per_round: Option<i64>,
    /// What is returned and evaluated: the members' mean, a member drawn at every step, or the policy of a random round
    /// [default: mean]
    #[arg(long, value_name = "mean|member|random-round")]
    deploy: Option<String>,
    /// How long a network trains: epochs=N or iterations=N [default: by task; robots: epochs=2000]
    #[arg(long)]
    budget: Option<String>,
    /// Adam's step [default: by task; robots: 2.5e-4]
    #[arg(long, allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// Examples per step [default: by task; robots: 200]
    #[arg(long, allow_negative_numbers = true)]
    batch: Option<i64>,
    /// What networks see: states as-given, or standardised by the statistics of D [default: as-given]
    #[arg(long, value_name = "as-given|standardised")]
    states: Option<String>,
    /// Episodes of an evaluation, T [default: by task; robots: 25]
    #[arg(long, allow_negative_numbers = true, value_name = "T")]
    episodes: Option<i64>,
    /// Where all randomness comes from [default: 1]
    #[arg(long, allow_negative_numbers = true)]
    seed: Option<i64>,
    /// Policies that stay on disk: all or last [default: all]
    #[arg(long, value_name = "all|last")]
    keep: Option<String>,
}

/// The same for a run on another's data, whose defaults are that run's.
#[derive(Clone)]
pub(crate) struct RetrainingArgs(pub(crate) TrainingArgs);

impl Args for RetrainingArgs {
    fn augment_args(command: Command) -> Command {
        let training = TrainingArgs::augment_args(Command::new("training"));
        training.get_arguments().fold(command, |command, argument| {
            command.arg(with_the_stored_runs_default(argument.clone()))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RetrainingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        TrainingArgs::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

fn with_the_stored_runs_default(argument: Arg) -> Arg {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let help = help.split("[default:").next().unwrap_or_default().trim_end();
    let default = match argument.get_id().as_str() {
        "deploy" => "mean",
        _ => "the stored run's",
    };
    argument.help(format!("{help} [default: {default}]"))
}

/// Which flags were typed, so that an error can speak of these instead of a spec's fields.
pub(crate) struct Typed(Vec<(&'static str, &'static str)>);

impl Typed {
    /// The error in the words that were typed: `--learning-rate` where the spec says `oracle.learning_rate`.
    pub(crate) fn explain(&self, error: impl Into<anyhow::Error>) -> anyhow::Error {
        let error = error.into();
        let text = error.to_string();
        let flag = self.0.iter().find(|(field, _)| {
            text.strip_prefix(field).is_some_and(|rest| rest.starts_with([' ', ':']))
        });
        match flag {
            None => error,
            Some((field, flag)) => {
                let rest = text[field.len()..].replacen(" = ", " ", 1);
                crate::output::usage(format!("{flag}{rest}"))
            }
        }
    }

    /// These as well, where they were given.
    pub(crate) fn and(mut self, flags: &[(bool, &'static str, &'static str)]) -> Self {
        let given = flags.iter().filter(|(is_given, ..)| *is_given);
        self.0.extend(given.map(|&(_, field, flag)| (field, flag)));
        self
    }
}

impl TrainingArgs {
    /// The flags that were given, with the fields that they stand for.
    pub(crate) fn typed(&self) -> Typed {
        Typed(vec![]).and(&[
            (self.class.is_some(), "class", "--class"),
            (self.states_per_round.is_some(), "states_per_round", "--states-per-round"),
            (self.deploy.is_some(), "deploy", "--deploy"),
            (self.budget.is_some(), "oracle.budget", "--budget"),
            (self.learning_rate.is_some(), "oracle.learning_rate", "--learning-rate"),
            (self.batch.is_some(), "oracle.batch", "--batch"),
            (self.states.is_some(), "oracle.states", "--states"),
            (self.episodes.is_some(), "evaluation.episodes", "--episodes"),
            (self.seed.is_some(), "seed", "--seed"),
            (self.keep.is_some(), "keep", "--keep"),
        ])
    }

    /// What the flags say.
    pub(crate) fn draft(self) -> Draft {
        Draft {
            class: self.class,
            states_per_round: self.states_per_round,
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
            ..Draft::default()
        }
    }
}

impl SpecArgs {
    /// The flags that were given, with the fields that they stand for.
    pub(crate) fn typed(&self) -> Typed {
        self.training.typed().and(&[
            (self.expert.is_some(), "expert", "--expert"),
            (self.rounds.is_some(), "rounds", "--rounds"),
            (self.sampling.is_some(), "sampling", "--sampling"),
            (self.expert_acts.is_some(), "expert_acts", "--expert-acts"),
            (self.d0.is_some(), "d0", "--d0"),
        ])
    }

    /// What the flags say, and where they say nothing, the file.
    pub(crate) fn draft(self, task: Option<String>) -> anyhow::Result<Draft> {
        let file = match &self.config {
            None => Draft::default(),
            Some(path) => {
                let text = tutelage_files::read_text(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                Draft::parse(&text).with_context(|| path.display().to_string())?
            }
        };
        let flags = Draft {
            task,
            expert: self.expert,
            rounds: self.rounds,
            sampling: self.sampling,
            expert_acts: self.expert_acts,
            d0: self.d0,
            ..self.training.draft()
        };
        Ok(flags.or(file).with_absolute_paths())
    }
}
