//! How a run shows itself: a live line on a terminal, calm lines in a log, JSON lines for programs.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tutelage::Evaluation;
use tutelage_lab::spec::{Choices, RunSpec};
use tutelage_runs::store::{RoundResult, RoundTimings, TruncatedTail, read_any, read_times};
use tutelage_runs::terminal::{
    expert_text, line_text, round_text, show_hints_with, stop_on_ctrl_c, truncated_text,
};
use tutelage_runs::{Observer, RoundLine, Stage};

use crate::output::{Output, is_quiet, note};

/// A run's reporter on the command line.
///
/// It says nothing before the run itself does, and so not before everything has been checked.
pub(crate) struct LiveReporter<'a> {
    output: &'a Output,
    spec: &'a RunSpec,
    dir: PathBuf,
    /// The live line, where standard error is a terminal.
    bar: Option<ProgressBar>,
    has_begun: bool,
    expert: Option<f64>,
    expert_steps: u64,
    unread: Unread,
    stops: Arc<AtomicUsize>,
}

/// What to do when nobody reads the results any more, as after `| head`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// Learn on: the run is on disk.
    GoOn,
    /// Stop at a safe point: whoever began the run has gone.
    Stop,
}

impl<'a> LiveReporter<'a> {
    /// Reports a run of this spec.
    pub(crate) fn new(
        spec: &'a RunSpec,
        dir: &Path,
        output: &'a Output,
        unread: Unread,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            output,
            spec,
            dir: dir.to_owned(),
            bar: None,
            has_begun: false,
            expert: None,
            expert_steps: 0,
            unread,
            stops: stop_on_ctrl_c()?,
        })
    }

    /// Whether every round has been shown on the terminal that results go to.
    pub(crate) fn has_shown_rounds(&self) -> bool {
        self.bar.is_some() && std::io::stdout().is_terminal() && !self.output.is_json()
    }

    /// Says what run this is, and what was done of it before, when it first has something to say.
    fn begin(&mut self) {
        if std::mem::replace(&mut self.has_begun, true) {
            return;
        }
        let (task, Choices { rounds, states_per_round, algorithm, .. }) =
            (self.spec.task, &self.spec.choices);
        self.bar = live_line(*rounds, "rounds");
        self.line(&format!("{algorithm} learns {task} in {}", self.dir.display()));
        let Ok(history) = read_any(&self.dir) else { return };
        self.expert = history.expert().map(Evaluation::mean_reward);
        let lines = history.lines(*states_per_round, &read_times(&self.dir));
        lines.iter().for_each(|line| self.print(line));
        match lines.len() {
            0 => {}
            n if n == *rounds => {
                self.line("all rounds were done before; this is what they came to")
            }
            n => self.line(&format!("{n} of {rounds} rounds were done before")),
        }
        if let Some(bar) = &self.bar {
            lines.iter().for_each(|line| bar.println(line_text(line, *rounds, self.expert)));
            bar.set_position(lines.len() as u64);
        }
    }

    /// How often the run was asked to stop.
    pub(crate) fn stops(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.stops)
    }

    /// Takes the live line away.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => note(text),
        }
    }

    /// A round as a JSON line, where programs read.
    fn print(&mut self, line: &RoundLine) {
        let labelled = Labelled::new(self.spec, &self.dir, self.expert, line);
        if let Err(error) = self.output.json(&labelled) {
            match self.unread {
                Unread::GoOn => {}
                Unread::Stop => {
                    self.line(&format!("cannot write results: {error}"));
                    self.stops.fetch_add(1, Ordering::SeqCst);
                }
            }
        }
    }
}

impl Observer for LiveReporter<'_> {
    fn stage(&mut self, round: usize, stage: Stage) {
        self.begin();
        if let Some(bar) = &self.bar {
            bar.set_message(format!("round {round}: {}", stage.in_words()));
        }
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.begin();
        self.expert = Some(expert.mean_reward());
        self.line(&expert_text(expert));
    }

    fn truncated(&mut self, tail: &TruncatedTail) {
        self.begin();
        self.line(&truncated_text(tail));
    }

    fn expert_steps(&mut self, steps: u64) {
        self.expert_steps = steps;
    }

    fn round(&mut self, result: &RoundResult, annotations: usize, seconds: &RoundTimings) {
        self.begin();
        let line = RoundLine::new(result, annotations, Some(self.expert_steps), Some(seconds));
        self.line(&round_text(&line, self.spec.rounds, self.expert, seconds));
        if let Some(bar) = &self.bar {
            bar.set_position(line.round as u64);
        }
        self.print(&line);
    }

    fn wants_stop(&mut self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}

/// A round and which run it is of, so that lines of several runs can be told apart.
#[derive(Serialize)]
pub(crate) struct Labelled<'a> {
    task: String,
    algorithm: String,
    class: String,
    seed: u64,
    folder: String,
    expert_reward: Option<f64>,
    #[serde(flatten)]
    line: &'a RoundLine,
}

impl<'a> Labelled<'a> {
    pub(crate) fn new(
        spec: &RunSpec,
        dir: &Path,
        expert_reward: Option<f64>,
        line: &'a RoundLine,
    ) -> Self {
        Self {
            task: spec.task.to_string(),
            algorithm: spec.algorithm.to_string(),
            class: spec.class.to_string(),
            seed: spec.seed,
            folder: dir.display().to_string(),
            expert_reward,
            line,
        }
    }
}

/// A line that stays below all others and shows how far it is, where standard error is a terminal.
pub(crate) fn live_line(total: usize, what: &str) -> Option<ProgressBar> {
    still_line(total, what).inspect(begin)
}

/// The same, not drawn until it [begins](begin): for a place among other lines.
pub(crate) fn still_line(total: usize, what: &str) -> Option<ProgressBar> {
    if is_quiet() || !std::io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::new(total as u64);
    let template = format!("{{bar:16}} {{pos}}/{{len}} {what}  {{wide_msg}}  {{elapsed}}");
    let style = ProgressStyle::with_template(&template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    Some(bar)
}

/// Draws the line from now on; hints appear above it.
pub(crate) fn begin(bar: &ProgressBar) {
    bar.enable_steady_tick(Duration::from_millis(200));
    let shown = bar.clone();
    show_hints_with(move |hint| shown.println(hint));
}
