//! How a run shows itself: a live line on a terminal, calm lines in a log, JSON lines for programs.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tutelage::Evaluation;
use tutelage_lab::spec::RunSpec;
use tutelage_runs::store::{Cut, RoundResult, Seconds, read_any, read_times};
use tutelage_runs::terminal::{cut_text, expert_text, round_text, stop_on_ctrl_c};
use tutelage_runs::{Reporter, RoundLine, Stage};

use crate::output::{Output, note};

/// A run's reporter on the command line.
pub(crate) struct Progress<'a> {
    output: &'a Output,
    /// The live line, where standard error is a terminal.
    bar: Option<ProgressBar>,
    rounds: usize,
    expert: Option<f64>,
    stops: Arc<AtomicUsize>,
}

impl<'a> Progress<'a> {
    /// Reports a run of this spec, after what was done before it was last interrupted.
    pub(crate) fn new(spec: &RunSpec, dir: &Path, output: &'a Output) -> anyhow::Result<Self> {
        let bar = live_line(spec.rounds, "rounds");
        let progress =
            Self { output, bar, rounds: spec.rounds, expert: None, stops: stop_on_ctrl_c()? };
        progress.line(&format!("{} learns {} in {}", spec.algorithm, spec.task, dir.display()));
        if let Ok(history) = read_any(dir) {
            progress.earlier(&history.lines(spec.states_per_round, &read_times(dir)))?;
        }
        Ok(progress)
    }

    /// What an earlier process has done: in JSON all of its rounds, otherwise how many.
    fn earlier(&self, lines: &[RoundLine]) -> anyhow::Result<()> {
        if self.output.is_json() {
            self.output.rows(lines)?;
        }
        match lines.len() {
            0 => {}
            n if n == self.rounds => {
                self.line("all rounds were done before; this is what they came to")
            }
            n => self.line(&format!("{n} of {} rounds were done before", self.rounds)),
        }
        if let Some(bar) = &self.bar {
            bar.set_position(lines.len() as u64);
        }
        Ok(())
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
}

impl Reporter for Progress<'_> {
    fn stage(&mut self, round: usize, stage: Stage) {
        let what = match stage {
            Stage::Expert => "the expert plays",
            Stage::Collect => "collecting states",
            Stage::Annotate => "asking the expert",
            Stage::Train => "training",
            Stage::Evaluate => "evaluating",
        };
        if let Some(bar) = &self.bar {
            bar.set_message(format!("round {round}: {what}"));
        }
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.expert = Some(expert.mean_reward());
        self.line(&expert_text(expert));
    }

    fn cut(&mut self, cut: &Cut) {
        self.line(&cut_text(cut));
    }

    fn round(&mut self, result: &RoundResult, annotations: usize, seconds: &Seconds) {
        let line = RoundLine::new(result, annotations, Some(seconds));
        self.line(&round_text(&line, self.rounds, self.expert, seconds));
        if let Some(bar) = &self.bar {
            bar.set_position(line.round as u64);
        }
        if self.output.is_json()
            && let Err(error) = self.output.rows(&[line])
        {
            // Nobody reads any more: stop at a safe point, as for Ctrl-C.
            self.line(&format!("cannot write results: {error}"));
            self.stops.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn wants_stop(&mut self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}

/// A line that stays below all others and shows how far it is, where standard error is a terminal.
pub(crate) fn live_line(total: usize, what: &str) -> Option<ProgressBar> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::new(total as u64);
    let template = format!("{{bar:24}} {{pos}}/{{len}} {what}  {{wide_msg}}  {{elapsed}}");
    let style = ProgressStyle::with_template(&template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    Some(bar)
}
