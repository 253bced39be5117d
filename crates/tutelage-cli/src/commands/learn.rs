//! `tutelage learn`: the main job.

use std::path::{Path, PathBuf};

use tutelage_lab::spec::{Draft, RunSpec};
use tutelage_lab::{Report, check_cast, learn_in, learning_curve};
use tutelage_runs::terminal::digits;
use tutelage_runs::{Ending, RoundLine, peak_memory};

use super::learn_many::learn_many;
use super::spec_args::SpecArgs;
use crate::arguments::{Seeds, algorithm_help};
use crate::live_reporter::{LiveReporter, Unread};
use crate::output::{Interrupted, Output, Row, reward};
use crate::shell::command;

/// Learn a task from an expert.
#[derive(clap::Args)]
pub(crate) struct Learn {
    /// What to learn; `tutelage tasks` lists them
    task: Option<String>,
    #[arg(long, short, value_name = "ALGORITHM", help = algorithm_help(
        "bc, dagger, bd-E, mp-E(X), …; `tutelage algorithms` lists and explains them all; several times for several of them",
    ))]
    algorithm: Vec<String>,
    /// Learn once with each of these seeds, as many at a time as there are threads: 1-5 or 1,2,7
    #[arg(long, conflicts_with = "seed")]
    seeds: Option<Seeds>,
    #[command(flatten)]
    spec: SpecArgs,
    /// The run's folder, or of several runs the folder that theirs go into; a run that was begun there with the same spec is
    /// continued [default: runs/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Check everything, print the complete spec as TOML, and stop
    #[arg(long)]
    dry_run: bool,
    /// Stop when nobody reads the results any more
    #[arg(long, hide = true)]
    stop_unread: bool,
}

impl Learn {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let unread = if self.stop_unread { Unread::Stop } else { Unread::GoOn };
        let is_one = self.seeds.is_none() && self.algorithm.len() < 2;
        let typed =
            self.spec.typed().and(&[(!self.algorithm.is_empty(), "algorithm", "--algorithm")]);
        let draft = self.spec.draft(self.task)?;
        let specs = specs(&draft, &self.algorithm, self.seeds.as_ref());
        let specs = specs.map_err(|error| typed.explain(error))?;
        specs.iter().try_for_each(check_cast).map_err(|error| typed.explain(error))?;
        if self.dry_run {
            let texts: Vec<String> = specs.iter().map(RunSpec::to_toml).collect();
            return output.verbatim(&texts.join("\n# the next run\n"));
        }
        match &specs[..] {
            [spec] if is_one => carry_out(&folder(self.out, spec), spec, output, unread),
            _ => learn_many(&specs, self.out, output, unread),
        }
    }
}

/// A spec for each algorithm and seed.
fn specs(
    draft: &Draft,
    algorithms: &[String],
    seeds: Option<&Seeds>,
) -> anyhow::Result<Vec<RunSpec>> {
    let algorithms: Vec<Option<String>> = match algorithms {
        [] => vec![draft.algorithm.clone()],
        named => named.iter().cloned().map(Some).collect(),
    };
    let seeds: Vec<Option<i64>> = match seeds {
        None => vec![draft.seed],
        Some(seeds) => seeds.0.iter().map(|&seed| i64::try_from(seed).ok()).collect(),
    };
    let mut specs: Vec<RunSpec> = Vec::new();
    for algorithm in &algorithms {
        for &seed in &seeds {
            let draft = Draft { algorithm: algorithm.clone(), seed, ..draft.clone() };
            draft.refuse_ignored()?;
            let spec = draft.check()?;
            if !specs.contains(&spec) {
                specs.push(spec);
            }
        }
    }
    Ok(specs)
}

/// The folder asked for, or one of its own for every spec.
pub(super) fn folder(out: Option<PathBuf>, spec: &RunSpec) -> PathBuf {
    out.unwrap_or_else(|| Path::new("runs").join(spec.folder()))
}

/// Learns, and shows how it goes and what came out.
pub(super) fn carry_out(
    dir: &Path,
    spec: &RunSpec,
    output: &Output,
    unread: Unread,
) -> anyhow::Result<()> {
    refuse_to_overwrite_curve(dir)?;
    let mut progress = LiveReporter::new(spec, dir, output, unread)?;
    let report = learn_in(dir, spec, &mut progress);
    progress.end();
    let report = report?;
    if report.ending == Ending::Stopped {
        return Err(Interrupted(format!(
            "stopped after {} annotations, all of them safe; continue with: {}",
            report.history.annotations(),
            command(&[&"tutelage", &"resume", &dir])
        ))
        .into());
    }
    save_curve(dir, spec, &report)?;
    conclude(dir, spec, &report, progress.has_shown_rounds(), output)
}

/// A folder without a run may hold a curve of somebody else's.
pub(super) fn refuse_to_overwrite_curve(dir: &Path) -> anyhow::Result<()> {
    let is_in_the_way = |file: &&&str| dir.join(file).exists();
    if let Some(file) = CURVE.iter().find(is_in_the_way).filter(|_| !dir.join("log.bin").exists()) {
        let dir = dir.display();
        anyhow::bail!(
            "{dir} holds no run, but a {file}, which would be replaced; name another folder, or move it away"
        );
    }
    Ok(())
}

/// The learning curve's files.
const CURVE: [&str; 3] = ["learning-curve.svg", "learning-curve.png", "learning-curve.csv"];

/// Puts the learning curve into the run's folder.
pub(super) fn save_curve(dir: &Path, spec: &RunSpec, report: &Report) -> anyhow::Result<()> {
    let expert = report.history.expert().map(tutelage::evaluation::Evaluation::mean_reward);
    let title =
        format!("{} learns {} ({}, seed {})", spec.algorithm, spec.task, spec.class, spec.seed);
    let figure = learning_curve(&title, &report.lines(spec, dir), expert);
    let [svg, png, csv] = CURVE.map(|file| dir.join(file));
    figure.save_svg(svg)?;
    figure.save_png(png)?;
    figure.save_csv(csv)?;
    Ok(())
}

/// The closing table, unless the rounds have been seen, and where everything is.
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
