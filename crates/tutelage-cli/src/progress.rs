//! How a run shows itself: a live line on a terminal, calm lines in a log, JSON lines for programs.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use tutelage::Evaluation;
use tutelage_lab::spec::RunSpec;
use tutelage_lab::store::{RoundResult, Seconds, read_history, read_times};
use tutelage_lab::{Reporter, RoundLine, Stage};

use crate::output::{Output, note};

/// A run's reporter on the command line.
pub(crate) struct Progress<'a> {
    output: &'a Output,
    /// The live line, where standard error is a terminal.
    bar: Option<ProgressBar>,
    rounds: usize,
    states_per_round: usize,
    expert: Option<f64>,
    stops: Arc<AtomicUsize>,
}

impl<'a> Progress<'a> {
    /// Reports a run of this spec, after what was done before it was last interrupted.
    pub(crate) fn new(spec: &RunSpec, dir: &Path, output: &'a Output) -> anyhow::Result<Self> {
        let bar = live_line(spec.rounds, "rounds");
        let progress = Self {
            output,
            bar,
            rounds: spec.rounds,
            states_per_round: spec.states_per_round,
            expert: None,
            stops: stop_on_ctrl_c()?,
        };
        progress.line(&format!("{} learns {} in {}", spec.algorithm, spec.task, dir.display()));
        if let Ok(history) = read_history::<f32, f32>(dir) {
            progress.earlier(&RoundLine::all(&history, spec.states_per_round, &read_times(dir)))?;
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

    /// The rest at the last round's pace; rounds get longer as D grows, so the pace so far would promise too much.
    fn time_left(&self, round: usize, last: &Seconds) -> Duration {
        Duration::from_secs_f64(last.total() * (self.rounds - round) as f64)
    }

    fn share(&self, reward: f64) -> String {
        match self.expert {
            Some(expert) => {
                format!(" ({:.0} % of the expert's {expert:.0})", 100.0 * reward / expert)
            }
            None => String::new(),
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
        let (mean, sd) = (expert.mean_reward(), expert.sd_reward());
        self.line(&format!("the expert earns {mean:.0} ± {sd:.0} with its mean action"));
    }

    fn round(&mut self, result: &RoundResult, seconds: &Seconds) {
        let line = RoundLine::new(result, self.states_per_round, Some(seconds));
        let steps =
            |evaluation: &Evaluation| evaluation.episodes.iter().map(|e| e.length).sum::<usize>();
        let steps = steps(&result.mean) + result.random.as_ref().map_or(0, steps);
        let loss = line.imitation_loss.map_or(String::new(), |loss| format!("  loss {loss:.4}"));
        self.line(&format!(
            "round {:>2}/{}  {:>4} annotations  reward {:>6.0}{}{loss}  {:.1} s  {:.0} steps/s  {} left",
            line.round,
            self.rounds,
            line.annotations,
            line.reward,
            self.share(line.reward),
            seconds.total(),
            steps as f64 / seconds.evaluate.max(1e-9),
            rough(self.time_left(line.round, seconds)),
        ));
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

/// 12 s, 3 min, 2 h.
pub(crate) fn rough(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
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

/// The first Ctrl-C asks the run to stop at a safe point; the second ends the process, which loses nothing either.
pub(crate) fn stop_on_ctrl_c() -> anyhow::Result<Arc<AtomicUsize>> {
    let stops = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&stops);
    ctrlc::set_handler(move || {
        if seen.fetch_add(1, Ordering::SeqCst) > 0 {
            std::process::exit(130);
        }
        note("stopping at the next safe point; press Ctrl-C again to stop at once");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stops)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rough() {
        let rough = |seconds| rough(Duration::from_secs(seconds));
        assert_eq!([rough(12), rough(150), rough(8000)], ["12 s", "2 min", "2 h"]);
    }
}
