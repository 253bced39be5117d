//! `tutelage expert train`: TRPO with progress, checkpoints and a learning curve.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::bail;
use serde::Serialize;
use tutelage_runs::terminal::stop_on_ctrl_c;
use tutelage_spec::training_curve;
use tutelage_tasks::bullet::Robot;
use tutelage_tasks::experts::trpo::{Iteration, OPTIONS, TrpoOption, TrpoSettings};
use tutelage_tasks::experts::{Training, WRITABLE_EXTENSIONS};

use crate::arguments::{Force, check_ending, robot};
use crate::output::{Interrupted, Output, note};
use crate::shell::command;

/// The minimum time between lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

/// Train an expert by TRPO
#[derive(clap::Args)]
pub(crate) struct Train {
    /// The task
    #[arg(value_parser = robot)]
    task: Robot,

    /// The seed of all randomness
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The expert's file; the checkpoint and the learning curve are next to it [default: TASK.safetensors]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Resume from the checkpoint next to the expert's file; the result is bit-identical
    #[arg(long, conflicts_with_all = OPTIONS.iter().map(|option| option.name).chain(["seed"]))]
    resume: bool,

    #[command(flatten)]
    settings: Settings,

    #[command(flatten)]
    force: Force,
}

/// The settings that differ from the task's defaults.
struct Settings(Vec<(&'static TrpoOption, String)>);

impl clap::Args for Settings {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(OPTIONS.iter().map(|option| {
            // The type of a value depends on the option, so parse it into some settings.
            let parse = |text: &str| match (option.set)(&mut TrpoSettings::default(), text) {
                true => Ok(text.to_owned()),
                false => Err("not a number of the right kind"),
            };
            let help = format!("{} [default: by task]", option.help);
            let argument = clap::Arg::new(option.name).long(option.name).value_name("N");
            argument.help(help).value_parser(parse).allow_negative_numbers(true)
        }))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Settings {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
        let given = |option: &'static TrpoOption| {
            Some((option, matches.get_one::<String>(option.name)?.clone()))
        };
        Ok(Self(OPTIONS.iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Settings {
    fn over(&self, mut settings: TrpoSettings) -> TrpoSettings {
        for (option, text) in &self.0 {
            (option.set)(&mut settings, text);
        }
        settings
    }
}

impl Train {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let out = self.out.clone().unwrap_or_else(|| format!("{}.safetensors", self.task).into());
        check_ending(&out, &WRITABLE_EXTENSIONS)?;
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
            pace.report(&training, &iteration, output)?;
            if stops.load(Ordering::SeqCst) > 0 && !training.is_done() {
                return Err(self.interrupted(out, iteration.steps).into());
            }
        }
        let expert = training.outcome()?;
        expert.write(out)?;
        training_curve(&training).save(&out.with_extension(""))?;
        output.rows(&expert.card().scores)?;
        output.say(&format!(
            "wrote {}, and its learning curve next to it as .svg, .png and .csv",
            out.display()
        ))
    }

    /// Reports how to resume from the checkpoint, which stores everything but the file's name.
    fn interrupted(&self, out: &Path, steps: u64) -> Interrupted {
        let task = self.task.to_string();
        let words: [&dyn AsRef<Path>; 7] =
            [&"tutelage", &"expert", &"train", &task, &"--resume", &"--out", &out];
        Interrupted(format!(
            "stopped after {steps} steps, all of them saved; continue with: {}",
            command(&words)
        ))
    }

    fn begin(&self, checkpoint: &Path) -> anyhow::Result<Training> {
        if self.resume {
            let training = Training::resume(checkpoint)?;
            if training.robot() != self.task {
                let (file, found) = (checkpoint.display(), training.robot());
                bail!("{file} is a checkpoint for {found}, not for {}", self.task);
            }
            return Ok(training);
        }
        if checkpoint.exists() {
            let file = checkpoint.display();
            bail!("{file} exists: continue with --resume, or remove it to start again");
        }
        let settings = self.settings.over(TrpoSettings::for_robot(self.task));
        Ok(Training::new(self.task, settings, self.seed)?)
    }
}

/// Reports progress on standard error every few seconds.
struct Pace {
    start: Instant,
    steps_before: u64,
    reported: Option<Instant>,
}

impl Pace {
    fn new(training: &Training) -> Self {
        Self { start: Instant::now(), steps_before: training.learner().steps(), reported: None }
    }

    fn report(
        &mut self,
        training: &Training,
        iteration: &Iteration,
        output: &Output,
    ) -> anyhow::Result<()> {
        let now = Instant::now();
        output.json(&Timed { iteration, seconds: (now - self.start).as_secs_f64() })?;
        let soon = self.reported.is_some_and(|last| now - last < PROGRESS_EVERY);
        if soon && !training.is_done() {
            return Ok(());
        }
        self.reported = Some(now);
        let rate = (iteration.steps - self.steps_before) as f64 / (now - self.start).as_secs_f64();
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

/// An iteration, and the time since training started or resumed.
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

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        train: Train,
    }

    fn parse(command: &str) -> Result<Train, clap::Error> {
        Cli::try_parse_from(command.split_whitespace().skip(2)).map(|cli| cli.train)
    }

    #[test]
    fn commands_do_not_depend_on_defaults() {
        for task in Robot::ALL {
            let settings = TrpoSettings::for_robot(task);
            let command = Training::new(task, settings.clone(), 7).unwrap().command();
            let Ok(train) = parse(&command) else { panic!("{task}") };
            let mut other = settings.clone();
            OPTIONS.iter().for_each(|option| assert!((option.set)(&mut other, "1")));
            assert_eq!((train.task, train.seed), (task, 7));
            assert_eq!(train.settings.over(other), settings);
        }
    }

    #[test]
    fn documented_defaults_are_correct() {
        // A packaged crate has no project documentation.
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        if !docs.is_dir() {
            return;
        }
        let text = std::fs::read_to_string(docs.join("EXPERTS.md")).unwrap().replace('−', "-");
        let defaults = Robot::ALL.map(TrpoSettings::for_robot);
        for TrpoOption { name, get, .. } in &OPTIONS {
            let row = format!("| `--{name}` | {} |", defaults.each_ref().map(get).join(" | "));
            assert!(text.contains(&row), "{row}");
        }
    }

    #[test]
    fn resume_conflicts_with_every_setting() {
        assert!(parse("tutelage expert train hopper --resume").is_ok());
        for option in OPTIONS.iter().map(|option| option.name).chain(["seed"]) {
            let command = format!("tutelage expert train hopper --resume --{option} 7");
            assert!(parse(&command).is_err(), "{command}");
        }
    }
}
