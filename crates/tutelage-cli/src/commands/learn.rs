//! `tutelage learn`: the main job.

use std::path::{Path, PathBuf};

use tutelage_lab::spec::RunSpec;
use tutelage_lab::{Report, learn_in, learning_curve};
use tutelage_runs::terminal::digits;
use tutelage_runs::{Ending, RoundLine, peak_memory};

use super::spec_args::SpecArgs;
use crate::output::{Output, Row};
use crate::progress::Progress;

/// Learn a task from an expert.
#[derive(clap::Args)]
pub(crate) struct Learn {
    /// What to learn; `tutelage tasks` lists them
    task: Option<String>,
    #[command(flatten)]
    spec: SpecArgs,
    /// The run's folder; a run that was begun there with the same spec is continued [default: runs/NAME]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the complete spec as TOML and stop
    #[arg(long)]
    dry_run: bool,
}

impl Learn {
    pub(crate) fn run(self, output: &Output) -> anyhow::Result<()> {
        let spec = self.spec.draft(self.task)?.check()?;
        if self.dry_run {
            return output.verbatim(&spec.to_toml());
        }
        carry_out(&folder(self.out, &spec), &spec, output)
    }
}

/// The folder asked for, or one of its own for every spec.
pub(super) fn folder(out: Option<PathBuf>, spec: &RunSpec) -> PathBuf {
    out.unwrap_or_else(|| Path::new("runs").join(spec.folder()))
}

/// Learns, and shows how it goes and what came out.
pub(super) fn carry_out(dir: &Path, spec: &RunSpec, output: &Output) -> anyhow::Result<()> {
    let mut progress = Progress::new(spec, dir, output)?;
    let report = learn_in(dir, spec, &mut progress);
    progress.end();
    let report = report?;
    if report.ending == Ending::Stopped {
        anyhow::bail!(
            "stopped after {} annotations, all of them safe; continue with: tutelage resume {}",
            report.history.annotations(),
            dir.display()
        );
    }
    conclude(dir, spec, &report, output)
}

/// The closing table, the learning curve, and where everything is.
fn conclude(dir: &Path, spec: &RunSpec, report: &Report, output: &Output) -> anyhow::Result<()> {
    let lines = report.lines(spec, dir);
    let expert = report.history.expert().map(tutelage::Evaluation::mean_reward);
    let title =
        format!("{} learns {} ({}, seed {})", spec.algorithm, spec.task, spec.class, spec.seed);
    let figure = learning_curve(&title, &lines, expert);
    figure.save_svg(dir.join("learning-curve.svg"))?;
    figure.save_png(dir.join("learning-curve.png"))?;
    figure.save_csv(dir.join("learning-curve.csv"))?;
    if output.is_json() {
        return Ok(()); // the rounds went out one by one
    }
    output.rows(&lines)?;
    if let (Some(expert), Some(last)) = (expert, lines.last()) {
        let share = 100.0 * last.reward / expert;
        output.say(&format!(
            "\nThe policy earns {:.*}, {share:.0} % of the expert's {expert:.*}, after {} annotations.",
            digits(last.reward),
            last.reward,
            digits(expert),
            last.annotations
        ))?;
    }
    if let Some(bytes) = peak_memory() {
        output.say(&format!("Peak memory: {} MB.", bytes / 1_000_000))?;
    }
    let dir = dir.display();
    output.say(&format!(
        "\nEverything is in {dir}: learning-curve.svg and .png, the annotations (log.bin), the policies.\n\
         Next:  tutelage evaluate {dir}\n       tutelage watch {dir} --out run.gif\n       tutelage export {dir} --out annotations.npz"
    ))
}

impl Row for RoundLine {
    const HEADINGS: &'static [&'static str] =
        &["round", "annotations", "reward", "random member", "imitation loss", "seconds"];

    fn cells(&self) -> Vec<String> {
        let optional = |value: Option<f64>, digits: usize| {
            value.map_or("–".into(), |value| format!("{value:.digits$}"))
        };
        vec![
            self.round.to_string(),
            self.annotations.to_string(),
            format!("{:.1}", self.reward),
            optional(self.reward_random, 1),
            optional(self.imitation_loss, 4),
            optional(self.seconds, 1),
        ]
    }
}
