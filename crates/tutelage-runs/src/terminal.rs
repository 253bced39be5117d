//! An observer that prints to the terminal, for custom programs.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tutelage::evaluation::Evaluation;

use crate::RoundLine;
use crate::observer::{Observer, Stage};
use crate::store::TruncatedTail;

/// Prints a line per round to standard error, and stops the run at a safe point on Ctrl-C. If standard error is a terminal,
/// the last line shows the current stage.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut terminal = tutelage_runs::Terminal::new(20)?;
/// // run(participants, &config, &mut dir, &mut terminal)?;
/// # Ok(())
/// # }
/// ```
pub struct Terminal {
    rounds: usize,
    expert: Option<f64>,
    stops: Arc<AtomicUsize>,
    is_terminal: bool,
}

/// The handler for Ctrl-C could not be installed.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen for Ctrl-C")]
pub struct CtrlCError(#[from] ctrlc::Error);

impl Terminal {
    /// Prints a run of `rounds` rounds.
    pub fn new(rounds: usize) -> Result<Self, CtrlCError> {
        let (stops, is_terminal) = (stop_on_ctrl_c()?, std::io::stderr().is_terminal());
        Ok(Self { rounds, expert: None, stops, is_terminal })
    }

    /// Prints a line in place of the one that shows the stage.
    fn line(&self, text: &str) {
        let clear = if self.is_terminal { CLEAR } else { "" };
        eprintln!("{clear}{text}");
    }
}

/// Returns to the beginning of the line and erases it.
const CLEAR: &str = "\r\x1b[K";

impl Observer for Terminal {
    fn truncated(&mut self, tail: &TruncatedTail) {
        self.line(&tail.to_string());
    }

    fn stage(&mut self, round: usize, stage: Stage) {
        if self.is_terminal {
            eprint!("{CLEAR}round {round}: {stage} …");
        }
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.expert = Some(expert.mean_reward());
        self.line(&expert_text(expert));
    }

    fn round(&mut self, line: &RoundLine) {
        self.line(&round_text(line, self.rounds, self.expert));
    }

    fn wants_stop(&mut self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}

/// Describes the expert's reward.
pub fn expert_text(expert: &Evaluation) -> String {
    let (mean, sd) = (expert.mean_reward(), expert.sd_reward());
    let digits = digits(mean);
    format!("the expert's reward is {mean:.digits$} ± {sd:.digits$} (mean action)")
}

/// Describes a round that just finished, with an estimate of the remaining time, in at most 80 columns.
pub fn round_text(line: &RoundLine, rounds: usize, expert: Option<f64>) -> String {
    // Rounds get longer as D grows, so the last round's pace is a better estimate than the mean.
    let seconds = line.seconds.unwrap_or_default() * rounds.saturating_sub(line.round) as f64;
    format!("{}  {} left", line_text(line, rounds, expert), rough(seconds))
}

/// Describes a round. If the expert drives, its steps replace the loss, for which there is no room.
pub fn line_text(line: &RoundLine, rounds: usize, expert: Option<f64>) -> String {
    let share = match expert {
        Some(expert) if expert > 0.0 => format!(" ({:>3.0} %)", 100.0 * line.reward / expert),
        _ => String::new(),
    };
    let (steps, loss) = match (line.driven(), line.imitation_loss) {
        (Some(steps), _) => (format!(", {steps:>5} steps"), String::new()),
        (None, Some(loss)) => (String::new(), format!("  loss {loss:.3}")),
        (None, None) => Default::default(),
    };
    let width = rounds.to_string().len();
    format!(
        "round {:>width$}/{rounds}  {:>4} annotations{steps}  reward {:>5.*}{share}{loss}",
        line.round,
        line.annotations,
        digits(line.reward),
        line.reward,
    )
}

/// The number of decimals to print for a reward of this size.
pub fn digits(reward: f64) -> usize {
    match reward.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    }
}

/// Formats a duration as `12 s`, `3 min` or `2 h`.
pub fn rough(seconds: f64) -> String {
    match seconds as u64 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

/// Counts Ctrl-C, termination requests (SIGTERM) and closed terminals (SIGHUP).
///
/// The first one asks runs to stop at a safe point; the second ends the process, which loses nothing either. All callers
/// share one counter.
pub fn stop_on_ctrl_c() -> Result<Arc<AtomicUsize>, CtrlCError> {
    static STOPS: Mutex<Option<Arc<AtomicUsize>>> = Mutex::new(None);
    let mut counter = STOPS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stops) = &*counter {
        return Ok(Arc::clone(stops));
    }
    let stops = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&stops);
    ctrlc::set_handler(move || {
        if seen.fetch_add(1, Ordering::SeqCst) > 0 {
            std::process::exit(130);
        }
        hint("stopping at the next safe point; press Ctrl-C again to stop at once");
    })?;
    Ok(counter.insert(stops).clone())
}

type Hint = Box<dyn Fn(&str) + Send>;

static HINTS: Mutex<Option<Hint>> = Mutex::new(None);

/// Passes the hints of [`stop_on_ctrl_c`] to this function, so that a progress display does not overwrite them.
pub fn show_hints_with(show: impl Fn(&str) + Send + 'static) {
    *HINTS.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(show));
}

fn hint(text: &str) {
    match &*HINTS.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(show) => show(text),
        // The terminal may have been closed.
        None => drop(writeln!(std::io::stderr(), "{text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_terminals_share_one_counter() {
        let [first, second] = [Terminal::new(1).unwrap(), Terminal::new(2).unwrap()];
        assert!(Arc::ptr_eq(&first.stops, &second.stops));
    }

    #[test]
    fn hints_go_to_the_progress_display() {
        let shown = Arc::new(Mutex::new(Vec::new()));
        let board = Arc::clone(&shown);
        show_hints_with(move |text| board.lock().unwrap().push(text.to_owned()));
        hint("stopping");
        assert_eq!(*shown.lock().unwrap(), ["stopping"]);
    }

    #[test]
    fn durations_are_rounded_down() {
        assert_eq!([12.9, 150.0, 8000.0].map(rough), ["12 s", "2 min", "2 h"]);
    }

    #[test]
    fn a_round_fits_in_80_columns() {
        let line = RoundLine {
            round: 3,
            annotations: 150,
            reward: 1234.5,
            imitation_loss: Some(0.25),
            seconds: Some(70.5),
            ..RoundLine::default()
        };
        assert_eq!(
            round_text(&line, 20, Some(2600.0)),
            "round  3/20   150 annotations  reward  1234 ( 47 %)  loss 0.250  19 min left"
        );
        let driven = RoundLine { expert_steps: Some(12_345), ..line.clone() };
        assert_eq!(
            round_text(&driven, 20, Some(2600.0)),
            "round  3/20   150 annotations, 12345 steps  reward  1234 ( 47 %)  19 min left"
        );
        let long = RoundLine { round: 100, annotations: 10_000, reward: -1352.0, ..line.clone() };
        let long_driven = RoundLine { expert_steps: Some(123_456), ..long.clone() };
        for text in [round_text(&long, 200, Some(2600.0)), round_text(&long_driven, 200, None)] {
            assert!(text.chars().count() <= 80, "{text}");
        }
        let small = RoundLine { reward: 0.125, imitation_loss: None, ..line };
        assert!(round_text(&small, 20, Some(-1.0)).contains("reward  0.12  19 min"));
    }
}
