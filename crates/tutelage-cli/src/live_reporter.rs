//! Progress of a run: a live line on a terminal, plain lines in a log, JSON lines for programs.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tutelage::evaluation::Evaluation;
use tutelage_runs::store::TruncatedTail;
use tutelage_runs::terminal::{
    expert_text, line_text, round_text, show_hints_with, stop_on_ctrl_c,
};
use tutelage_runs::{Observer, RoundLine, Stage};
use tutelage_spec::spec::RunSpec;

use crate::output::{Output, is_quiet, note};

/// The observer of a run on the command line.
pub(crate) struct LiveReporter<'a> {
    output: &'a Output,
    spec: &'a RunSpec,
    dir: PathBuf,
    /// The live line, if standard error is a terminal.
    bar: Option<ProgressBar>,
    expert: Option<f64>,
    unread: Unread,
    stops: Arc<AtomicUsize>,
}

/// What to do when the reader of the results is gone, as after `| head`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// Keep learning: the run is on disk.
    GoOn,
    /// Stop at a safe point.
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
        let (dir, stops) = (dir.to_owned(), stop_on_ctrl_c()?);
        Ok(Self { output, spec, dir, bar: None, expert: None, unread, stops })
    }

    /// Whether standard output is a terminal that has shown every round.
    pub(crate) fn has_shown_rounds(&self) -> bool {
        self.bar.is_some() && std::io::stdout().is_terminal() && !self.output.is_json()
    }

    /// The number of requests to stop.
    pub(crate) fn stops(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.stops)
    }

    /// Removes the live line.
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

    /// Prints a round as a JSON line, if requested.
    fn print(&self, line: &RoundLine) {
        let labelled = Labelled::new(self.spec, &self.dir, self.expert, line);
        if let Err(error) = self.output.json(&labelled)
            && self.unread == Unread::Stop
        {
            self.line(&format!("cannot write results: {error}"));
            self.stops.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Observer for LiveReporter<'_> {
    fn started(&mut self, expert: Option<&Evaluation>, finished: &[RoundLine]) {
        let RunSpec { rounds, algorithm, .. } = self.spec;
        self.bar = live_line(*rounds, "rounds");
        self.expert = expert.map(Evaluation::mean_reward);
        self.line(&format!("{algorithm} learns {} in {}", self.spec.task, self.dir.display()));
        finished.iter().for_each(|line| self.print(line));
        match finished.len() {
            0 => {}
            n if n == *rounds => self.line("the run is already finished"),
            n => self.line(&format!("resuming after {n} of {rounds} rounds")),
        }
        if let Some(bar) = &self.bar {
            finished.iter().for_each(|line| bar.println(line_text(line, *rounds, self.expert)));
            bar.set_position(finished.len() as u64);
        }
    }

    fn truncated(&mut self, tail: &TruncatedTail) {
        self.line(&tail.to_string());
    }

    fn stage(&mut self, round: usize, stage: Stage) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("round {round}: {stage}"));
        }
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.expert = Some(expert.mean_reward());
        self.line(&expert_text(expert));
    }

    fn round(&mut self, line: &RoundLine) {
        self.line(&round_text(line, self.spec.rounds, self.expert));
        if let Some(bar) = &self.bar {
            bar.set_position(line.round as u64);
        }
        self.print(line);
    }

    fn wants_stop(&mut self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}

/// A round with its run, so that lines of several runs can be distinguished.
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

/// A progress line below all others, if standard error is a terminal.
///
/// Hints appear above it.
pub(crate) fn live_line(total: usize, what: &str) -> Option<ProgressBar> {
    if is_quiet() || !std::io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::new(total as u64);
    let template = format!("{{bar:16}} {{pos}}/{{len}} {what}  {{wide_msg}}  {{elapsed}}");
    let style = ProgressStyle::with_template(&template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    let shown = bar.clone();
    show_hints_with(move |hint| shown.println(hint));
    Some(bar)
}
