//! `tutelage learn`.

use std::path::{Path, PathBuf};

use tutelage::AlgorithmName;
use tutelage_runs::terminal::digits;
use tutelage_runs::{Ending, RoundLine, error_text, peak_memory};
use tutelage_spec::spec::{RunSpec, SpecError, SpecInput, TextValue};
use tutelage_spec::{PreparedRun, Report, Task, learning_curve};

use super::learn_many::learn_many;
use super::spec_args::{SpecArgs, with_flag};
use crate::arguments::{Seeds, algorithm_help};
use crate::live_reporter::{LiveReporter, Unread};
use crate::output::{Interrupted, Output, Row, reward, usage};
use crate::shell::command;

/// Learn a task from an expert.
#[derive(clap::Args)]
pub(crate) struct Learn {
    /// The task; `tutelage tasks` lists all
    task: Option<Task>,
    #[arg(long, short, value_name = "ALGORITHM", value_parser = AlgorithmName::read, help = algorithm_help(
        "The algorithm: bc, dagger, bd-E, mp-E(X), …; `tutelage algorithms` lists all; repeatable",
    ))]
    algorithm: Vec<AlgorithmName>,
    /// Learn once with each of these seeds, such as 1-5 or 1,2,7; runs are executed in parallel
    #[arg(long, conflicts_with = "seed")]
    seeds: Option<Seeds>,
    #[command(flatten)]
    spec: SpecArgs,
    /// The run directory, or the parent of several run directories; an existing run with the same spec is resumed
    /// [default: runs/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Check everything, print the complete spec as TOML, and stop
    #[arg(long)]
    dry_run: bool,
    /// Stop when nothing reads the results any more
    #[arg(long, hide = true)]
    stop_unread: bool,
}

impl Learn {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let unread = if self.stop_unread { Unread::Stop } else { Unread::GoOn };
        let is_one = self.seeds.is_none() && self.algorithm.len() < 2;
        let input = self.spec.input(self.task)?;
        let specs = self.specs(&input).map_err(|error| with_flag(error, &self.spec.flags))?;
        let root = self.out.clone().unwrap_or_else(|| "runs".into());
        let prepared = specs.into_iter().map(|spec| {
            let dir =
                if is_one { folder(self.out.clone(), &spec) } else { root.join(spec.folder()) };
            PreparedRun::new(spec, &dir).map_err(|error| match self.spec.flags.expert {
                Some(_) => usage(error_text(&error)),
                None => error.into(),
            })
        });
        let mut runs: Vec<PreparedRun> = prepared.collect::<anyhow::Result<_>>()?;
        if self.dry_run {
            let texts: Vec<String> = runs.iter().map(|run| run.spec().to_toml()).collect();
            return output.verbatim(&texts.join("\n# the next run\n"));
        }
        match runs.pop() {
            Some(run) if is_one => carry_out(run, output, unread),
            last => learn_many(runs.into_iter().chain(last).collect(), &root, output, unread),
        }
    }

    /// Returns a spec for each algorithm and seed.
    fn specs(&self, input: &SpecInput) -> Result<Vec<RunSpec>, SpecError> {
        let algorithms: Vec<Option<AlgorithmName>> = match &self.algorithm[..] {
            [] => vec![input.algorithm],
            named => named.iter().copied().map(Some).collect(),
        };
        let seeds: Vec<Option<u64>> = match &self.seeds {
            None => vec![input.seed],
            Some(seeds) => seeds.0.iter().copied().map(Some).collect(),
        };
        let mut specs: Vec<RunSpec> = Vec::new();
        for &algorithm in &algorithms {
            for &seed in &seeds {
                let input = SpecInput { algorithm, seed, ..input.clone() };
                input.check_new()?;
                let spec = input.complete()?.with_absolute_paths();
                if !specs.contains(&spec) {
                    specs.push(spec);
                }
            }
        }
        Ok(specs)
    }
}

/// Returns the requested directory, or the default directory of this spec.
pub(super) fn folder(out: Option<PathBuf>, spec: &RunSpec) -> PathBuf {
    out.unwrap_or_else(|| Path::new("runs").join(spec.folder()))
}

/// Executes a run, and shows its progress and its result.
pub(super) fn carry_out(run: PreparedRun, output: &Output, unread: Unread) -> anyhow::Result<()> {
    let (spec, dir) = (run.spec().clone(), run.dir().to_owned());
    refuse_to_overwrite_curve(&dir)?;
    let mut progress = LiveReporter::new(&spec, &dir, output, unread)?;
    let report = run.learn(&mut progress);
    progress.end();
    let report = report?;
    if report.ending == Ending::Stopped {
        return Err(Interrupted(format!(
            "stopped after {} annotations, all of them saved; resume with: {}",
            report.history.annotations(),
            command(&[&"tutelage", &"resume", &dir])
        ))
        .into());
    }
    save_curve(&dir, &spec, &report)?;
    conclude(&dir, &spec, &report, progress.has_shown_rounds(), output)
}

/// Refuses to replace learning curves in a directory that holds no run.
pub(super) fn refuse_to_overwrite_curve(dir: &Path) -> anyhow::Result<()> {
    let is_in_the_way = |file: &&&str| dir.join(file).exists();
    if let Some(file) = CURVE.iter().find(is_in_the_way).filter(|_| !dir.join("log.bin").exists()) {
        let dir = dir.display();
        anyhow::bail!(
            "{dir} holds no run, but a {file}, which would be replaced; use another directory or move the file"
        );
    }
    Ok(())
}

/// The learning curve's files.
const CURVE: [&str; 3] = ["learning-curve.svg", "learning-curve.png", "learning-curve.csv"];

/// Saves the learning curve in the run directory.
pub(super) fn save_curve(dir: &Path, spec: &RunSpec, report: &Report) -> anyhow::Result<()> {
    let expert = report.history.expert().map(tutelage::evaluation::Evaluation::mean_reward);
    let title =
        format!("{} learns {} ({}, seed {})", spec.algorithm, spec.task, spec.class, spec.seed);
    let figure = learning_curve(&title, &report.lines(spec, dir), expert);
    Ok(figure.save(&dir.join("learning-curve"))?)
}

/// Prints the table of rounds, unless it was shown, and the next steps.
fn conclude(
    dir: &Path,
    spec: &RunSpec,
    report: &Report,
    rounds_are_shown: bool,
    output: &Output,
) -> anyhow::Result<()> {
    if output.is_json() {
        return Ok(()); // the rounds went out one by one
    }
    let lines = report.lines(spec, dir);
    let expert = report.history.expert().map(tutelage::evaluation::Evaluation::mean_reward);
    if !rounds_are_shown {
        output.rows(&lines)?;
    }
    if let (Some(expert), Some(last)) = (expert, lines.last()) {
        let share = match expert > 0.0 {
            true => format!("{:.0} % of the expert's", 100.0 * last.reward / expert),
            false => "the expert".into(),
        };
        output.say(&format!(
            "\nThe policy earns {:.*}, {share} {expert:.*}, after {}.",
            digits(last.reward),
            last.reward,
            digits(expert),
            last.effort()
        ))?;
    }
    if let Some(bytes) = peak_memory() {
        output.remark(&format!("Peak memory: {} MB.", bytes / 1_000_000))?;
    }
    output.remark(&format!(
        "\nEverything is in {}:\nlearning-curve.svg and .png, rounds.csv, the annotations (log.bin), the policies.\n\
         Next:  {}\n       {}\n       {}",
        dir.display(),
        command(&[&"tutelage", &"evaluate", &dir]),
        command(&[&"tutelage", &"watch", &dir, &"--out", &"run.gif"]),
        command(&[&"tutelage", &"export", &dir, &"--out", &"annotations.npz"]),
    ))
}

impl Row for RoundLine {
    const HEADINGS: &'static [&'static str] = &[
        "round",
        "annotations",
        "expert steps",
        "reward",
        "sd",
        "random member",
        "imitation loss",
        "seconds",
    ];

    fn cells(&self) -> Vec<String> {
        let optional = |value: Option<f64>, digits: usize| {
            value.map_or("–".into(), |value| format!("{value:.digits$}"))
        };
        vec![
            self.round.to_string(),
            self.annotations.to_string(),
            self.expert_steps.map_or("–".into(), |steps| steps.to_string()),
            reward(self.reward),
            reward(self.reward_sd),
            self.reward_random.map_or("–".into(), reward),
            optional(self.imitation_loss, 4),
            optional(self.seconds, 1),
        ]
    }
}
