//! How the runs of a figure show themselves: a live line on a terminal, calm lines in a log.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::ProgressBar;
use tutelage_reproduce::{JobObserver, RunOutcome};

use crate::output::note;
use tutelage_runs::terminal::{rough, stop_on_ctrl_c};

use crate::live_reporter::live_line;

/// So many of the runs under way are named.
const NAMED: usize = 16;

/// Tells a person how it goes.
pub(super) struct ProgressDisplay {
    /// How often a stop was asked for.
    stops: Arc<AtomicUsize>,
    runs: usize,
    /// The live line, where standard error is a terminal.
    bar: Option<ProgressBar>,
    /// What is under way: its name, the rounds that are over, and all its rounds.
    running: Mutex<Vec<(String, usize, usize)>>,
}

impl ProgressDisplay {
    /// Tells of so many runs, until Ctrl-C.
    pub(super) fn new(runs: usize) -> anyhow::Result<Self> {
        let (stops, bar) = (stop_on_ctrl_c()?, live_line(runs, "runs"));
        Ok(Self { stops, runs, bar, running: Mutex::default() })
    }

    /// Changes what is under way, and shows it.
    fn update(&self, change: impl FnOnce(&mut Vec<(String, usize, usize)>)) {
        let Some(bar) = &self.bar else { return };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        let named = running.iter().take(NAMED);
        let runs = named.map(|(name, round, rounds)| format!("{name} {round}/{rounds}"));
        let mut message = runs.collect::<Vec<_>>().join(", ");
        if running.len() > NAMED {
            message += &format!(" and {} more", running.len() - NAMED);
        }
        bar.set_message(message);
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => note(text),
        }
    }

    /// Takes the live line away.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl JobObserver for ProgressDisplay {
    fn began(&self, run: &str, rounds: usize) {
        self.update(|running| running.push((run.to_owned(), 0, rounds)));
    }

    fn round(&self, run: &str, round: usize) {
        self.update(|running| {
            running.iter_mut().filter(|other| other.0 == run).for_each(|it| it.1 = round);
        });
    }

    fn finished(&self, run: &str, outcome: &RunOutcome, left: usize, seconds: f64) {
        let RunOutcome { reward, expert_reward, .. } = *outcome;
        let share = expert_reward.map_or(String::new(), |expert| {
            format!(" ({:.0} % of the expert)", 100.0 * reward / expert)
        });
        self.update(|running| running.retain(|other| other.0 != run));
        if let Some(bar) = &self.bar {
            bar.set_position((self.runs - left) as u64);
        }
        self.line(&format!(
            "{:>4}/{}  {run}  reward {reward:.0}{share}  {:.0} s  about {} left",
            self.runs - left,
            self.runs,
            outcome.seconds,
            rough(seconds),
        ));
    }

    fn waits(&self, run: &str) {
        self.line(&format!("{run} waits: another process still has its folder"));
    }

    fn lost(&self, run: &str, why: &str) {
        self.update(|running| running.retain(|other| other.0 != run));
        self.line(&format!("{run}: {why}; it is taken up again"));
    }

    fn failed(&self, run: &str, why: &str) {
        self.update(|running| running.retain(|other| other.0 != run));
        self.line(&format!("{run} failed: {why}"));
    }

    fn wants_stop(&self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}
