//! `tutelage expert train`: TRPO with progress, checkpoints and a learning curve.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::bail;
use serde::Serialize;
use tutelage_envs::Robot;
use tutelage_experts::trpo::{Iteration, TrpoSettings};
use tutelage_experts::{Format, Training};
use tutelage_lab::training_curve;
use tutelage_runs::terminal::stop_on_ctrl_c;

use crate::arguments::{Force, check_ending, robot};
use crate::output::{Interrupted, Output, note};
use crate::shell::command;

/// A line of progress at least this far apart.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// Train an expert by TRPO
#[derive(clap::Args)]
pub(crate) struct Train {
    /// The task
    #[arg(value_parser = robot)]
    task: Robot,

    /// Where all randomness comes from
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The expert's file; checkpoint and learning curve go beside it [default: TASK.safetensors]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Go on from the checkpoint beside the expert's file, to the same bits
    #[arg(long, conflicts_with_all = SETTINGS)]
    resume: bool,

    #[command(flatten)]
    settings: Settings,

    #[command(flatten)]
    force: Force,
}

/// The options that a checkpoint has answered.
const SETTINGS: [&str; 11] = [
    "seed",
    "steps",
    "batch",
    "episode",
    "stumble",
    "max_kl",
    "entropy",
    "initial_log_std",
    "min_log_std",
    "min_state_std",
    "gamma",
];

/// What differs from the task's defaults.
#[derive(clap::Args)]
struct Settings {
    /// Environment steps in all [default: by task]
    #[arg(long)]
    steps: Option<u64>,

    /// Environment steps per update [default: by task]
    #[arg(long)]
    batch: Option<usize>,

    /// Steps after which a training episode is cut [default: by task]
    #[arg(long)]
    episode: Option<usize>,

    /// Now and then the policy is not obeyed for up to so many steps (0: never) [default: by task]
    #[arg(long)]
    stumble: Option<usize>,

    /// The largest mean KL divergence of an update [default: by task]
    #[arg(long)]
    max_kl: Option<f64>,

    /// Weight of the entropy in the objective [default: by task]
    #[arg(long)]
    entropy: Option<f64>,

    /// log σ of the actions' noise at the beginning [default: by task]
    #[arg(long, allow_negative_numbers = true)]
    initial_log_std: Option<f32>,

    /// log σ never falls below this [default: by task]
    #[arg(long, allow_negative_numbers = true)]
    min_log_std: Option<f32>,

    /// Coordinates of states are divided by no less than this [default: by task]
    #[arg(long)]
    min_state_std: Option<f64>,

    /// Discount [default: by task]
    #[arg(long)]
    gamma: Option<f32>,
}

impl Settings {
    fn over(&self, mut settings: TrpoSettings) -> TrpoSettings {
        fn set<T: Copy>(to: &mut T, from: Option<T>) {
            *to = from.unwrap_or(*to);
        }
        set(&mut settings.steps, self.steps);
        set(&mut settings.batch, self.batch);
        set(&mut settings.episode, self.episode);
        set(&mut settings.stumble, self.stumble);
        set(&mut settings.region.max_kl, self.max_kl);
        set(&mut settings.region.entropy, self.entropy);
        set(&mut settings.initial_log_std, self.initial_log_std);
        set(&mut settings.region.min_log_std, self.min_log_std);
        set(&mut settings.min_state_std, self.min_state_std);
        set(&mut settings.gamma, self.gamma);
        settings
    }
}

impl Train {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let out = self.out.clone().unwrap_or_else(|| format!("{}.safetensors", self.task).into());
        check_ending(&out, &Format::WRITABLE)?;
        for ending in [None, Some("svg"), Some("png"), Some("csv")] {
            let file = ending.map_or(out.clone(), |ending| out.with_extension(ending));
            self.force.check(&file)?;
        }
        let checkpoint = out.with_extension("checkpoint");
        self.train(&out, &checkpoint, output)
    }

    fn train(&self, out: &Path, checkpoint: &Path, output: &Output) -> anyhow::Result<()> {
        let mut training = self.begin(checkpoint)?;
        let (mut pace, stops) = (Pace::new(&training), stop_on_ctrl_c()?);
        while !training.is_done() {
            let iteration = training.advance()?;
            training.save(checkpoint)?;
            pace.tell(&training, &iteration, output)?;
            if stops.load(Ordering::SeqCst) > 0 && !training.is_done() {
                return Err(self.interrupted(out, iteration.steps).into());
            }
        }
        let expert = training.outcome()?;
        expert.write(out)?;
        let curve = training_curve(&training);
        curve.save_svg(out.with_extension("svg"))?;
        curve.save_png(out.with_extension("png"))?;
        curve.save_csv(out.with_extension("csv"))?;
        output.rows(&expert.card().scores)?;
        output.say(&format!(
            "wrote {}, its learning curve beside it as .svg, .png and .csv",
            out.display()
        ))
    }

    /// How to go on from the checkpoint, which says all but the seed and the file.
    fn interrupted(&self, out: &Path, steps: u64) -> Interrupted {
        let task = self.task.to_string();
        let words: [&dyn AsRef<Path>; 7] =
            [&"tutelage", &"expert", &"train", &task, &"--resume", &"--out", &out];
        Interrupted(format!(
            "stopped after {steps} steps, all of them safe; continue with: {}",
            command(&words)
        ))
    }

    fn begin(&self, checkpoint: &Path) -> anyhow::Result<Training> {
        if self.resume {
            let training = Training::resume(checkpoint)?;
            if training.robot() != self.task {
                bail!(
                    "{} is a checkpoint for {}, not for {}",
                    checkpoint.display(),
                    training.robot(),
                    self.task
                );
            }
            return Ok(training);
        }
        if checkpoint.exists() {
            bail!(
                "{} exists: go on with --resume, or remove it to begin anew",
                checkpoint.display()
            );
        }
        Ok(Training::new(
            self.task,
            self.settings.over(TrpoSettings::for_robot(self.task)),
            self.seed,
        )?)
    }
}

/// Lines on standard error, a few seconds apart.
struct Pace {
    begun: Instant,
    steps_before: u64,
    told: Option<Instant>,
}

impl Pace {
    fn new(training: &Training) -> Self {
        Self { begun: Instant::now(), steps_before: training.learner().steps(), told: None }
    }

    fn tell(
        &mut self,
        training: &Training,
        iteration: &Iteration,
        output: &Output,
    ) -> anyhow::Result<()> {
        let now = Instant::now();
        output.json(&Timed { iteration, seconds: (now - self.begun).as_secs_f64() })?;
        let soon = self.told.is_some_and(|told| now - told < PROGRESS_EVERY);
        if soon && !training.is_done() {
            return Ok(());
        }
        self.told = Some(now);
        let rate = (iteration.steps - self.steps_before) as f64 / (now - self.begun).as_secs_f64();
        let left =
            training.learner().settings().steps.saturating_sub(iteration.steps) as f64 / rate;
        let best = training.best().map_or("–".to_owned(), |trial| format!("{:.0}", trial.score));
        note(&format!(
            "{:>9} steps  return {:>5.0}  length {:>4.0}  best {best:>5}  KL {:.3}  {} left",
            iteration.steps,
            iteration.reward,
            iteration.length,
            iteration.kl,
            minutes(left),
        ));
        Ok(())
    }
}

/// An iteration, and the time since training began or went on.
#[derive(Serialize)]
struct Timed<'a> {
    #[serde(flatten)]
    iteration: &'a Iteration,
    seconds: f64,
}

fn minutes(seconds: f64) -> String {
    format!("{}:{:02}", seconds as u64 / 60, seconds as u64 % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use tutelage_experts::trpo::TrustRegion;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        train: Train,
    }

    fn parse(command: &str) -> Result<Train, clap::Error> {
        Cli::try_parse_from(command.split_whitespace().skip(2)).map(|cli| cli.train)
    }

    #[test]
    fn a_command_means_the_same_whatever_the_defaults() {
        for task in Robot::ALL {
            let settings = TrpoSettings::for_robot(task);
            let command = Training::new(task, settings.clone(), 7).unwrap().command();
            let Ok(train) = parse(&command) else { panic!("{task}") };
            let other = TrpoSettings {
                steps: 1,
                batch: 1,
                episode: 1,
                stumble: 1,
                initial_log_std: 1.0,
                min_state_std: 1.0,
                gamma: 0.1,
                region: TrustRegion {
                    max_kl: 1.0,
                    entropy: 1.0,
                    min_log_std: 1.0,
                    ..settings.region
                },
                ..settings.clone()
            };
            assert_eq!((train.task, train.seed), (task, 7));
            assert_eq!(train.settings.over(other), settings);
        }
    }

    #[test]
    fn the_documented_defaults_are_the_tasks() {
        // A packaged crate comes without the project's documentation.
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        if !docs.is_dir() {
            return;
        }
        let text = std::fs::read_to_string(docs.join("EXPERTS.md")).unwrap().replace('−', "-");
        let defaults = Robot::ALL.map(|task| TrpoSettings::for_robot(task).options());
        for option in 0..defaults[0].len() {
            let values = defaults.each_ref().map(|options| options[option].1.as_str()).join(" | ");
            let row = format!("| `--{}` | {values} |", defaults[0][option].0);
            assert!(text.contains(&row), "{row}");
        }
    }

    #[test]
    fn a_checkpoint_has_answered_every_setting() {
        assert!(parse("tutelage expert train hopper --resume").is_ok());
        for (option, value) in
            TrpoSettings::default().options().iter().chain(&[("seed", "7".into())])
        {
            let command = format!("tutelage expert train hopper --resume --{option} {value}");
            assert!(parse(&command).is_err(), "{command}");
        }
    }
}
