//! A observer for the terminal, for programs of one's own.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tutelage::Evaluation;

use crate::RoundLine;
use crate::observer::{Observer, Stage};
use crate::store::{RoundResult, RoundTimings, TruncatedTail};

/// Tells how a run goes on standard error, a line a round, and stops it at a safe point on Ctrl-C. Where standard error is a
/// terminal, the last line says what the run is busy with.
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
    expert_steps: u64,
    stops: Arc<AtomicUsize>,
    /// Whether somebody is looking who sees a line change.
    is_watched: bool,
}

/// Ctrl-C could not be listened for.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen for Ctrl-C: {0}")]
pub struct CtrlCError(#[from] ctrlc::Error);

impl Terminal {
    /// A observer for a run of `rounds` rounds.
    pub fn new(rounds: usize) -> Result<Self, CtrlCError> {
        let (stops, is_watched) = (stop_on_ctrl_c()?, std::io::stderr().is_terminal());
        Ok(Self { rounds, expert: None, expert_steps: 0, stops, is_watched })
    }

    /// A line that stays, in place of the one that says what the run is busy with.
    fn line(&self, text: &str) {
        let clear = if self.is_watched { CLEAR } else { "" };
        eprintln!("{clear}{text}");
    }
}

/// Back to the beginning of the line, and what is on it goes.
const CLEAR: &str = "\r\x1b[K";

impl Observer for Terminal {
    fn stage(&mut self, round: usize, stage: Stage) {
        if self.is_watched {
            eprint!("{CLEAR}round {round}: {} …", stage.in_words());
        }
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.expert = Some(expert.mean_reward());
        self.line(&expert_text(expert));
    }

    fn expert_steps(&mut self, steps: u64) {
        self.expert_steps = steps;
    }

    fn round(&mut self, result: &RoundResult, annotations: usize, seconds: &RoundTimings) {
        let line = RoundLine::new(result, annotations, Some(self.expert_steps), Some(seconds));
        self.line(&round_text(&line, self.rounds, self.expert, seconds));
    }

    fn truncated(&mut self, tail: &TruncatedTail) {
        self.line(&truncated_text(tail));
    }

    fn wants_stop(&mut self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}

/// What the expert is worth, in a line.
pub fn expert_text(expert: &Evaluation) -> String {
    let (mean, sd) = (expert.mean_reward(), expert.sd_reward());
    format!("the expert earns {mean:.*} ± {sd:.*} with its mean action", digits(mean), digits(mean))
}

/// What a round came to and how long the rest will take, in a line that fits on a terminal of 80 columns.
pub fn round_text(
    line: &RoundLine,
    rounds: usize,
    expert: Option<f64>,
    seconds: &RoundTimings,
) -> String {
    let left = rough(time_left(line.round, rounds, seconds));
    format!("{}  {left} left", line_text(line, rounds, expert))
}

/// What a round came to, in a line. Where the expert drives, its steps stand in place of the loss, for which there is no room.
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

/// What was cut off a log, in a line.
pub fn truncated_text(cut: &TruncatedTail) -> String {
    format!(
        "the log ended in {} bytes of a record that was never finished; they are kept in {}",
        cut.bytes,
        cut.kept.display()
    )
}

/// The rest at the last round's pace; rounds get longer as D grows, so the pace so far would promise too much.
fn time_left(round: usize, rounds: usize, last: &RoundTimings) -> Duration {
    let seconds = last.total() * rounds.saturating_sub(round) as f64;
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// How many digits behind the point a reward of this size wants.
pub fn digits(reward: f64) -> usize {
    match reward.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    }
}

/// 12 s, 3 min, 2 h.
pub fn rough(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

/// Counts Ctrl-C, and like it requests to end (SIGTERM) and closed terminals (SIGHUP): the first asks a run to stop at a safe
/// point; the second ends the process, which loses nothing either.
///
/// A process has one count: who asks again, for a second run, gets the same.
pub fn stop_on_ctrl_c() -> Result<Arc<AtomicUsize>, CtrlCError> {
    static STOPS: Mutex<Option<Arc<AtomicUsize>>> = Mutex::new(None);
    let mut counted = STOPS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stops) = &*counted {
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
    Ok(counted.insert(stops).clone())
}

type Hint = Box<dyn Fn(&str) + Send>;

static HINTS: Mutex<Option<Hint>> = Mutex::new(None);

/// From now on the hints of [`stop_on_ctrl_c`] go through this function, so that a progress display does not overwrite them.
pub fn show_hints_with(show: impl Fn(&str) + Send + 'static) {
    *HINTS.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(show));
}

fn hint(text: &str) {
    match &*HINTS.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(show) => show(text),
        // Whoever closed the terminal reads no hints, and loses nothing by that.
        None => drop(writeln!(std::io::stderr(), "{text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_may_run_several_times() {
        let [first, second] = [Terminal::new(1).unwrap(), Terminal::new(2).unwrap()];
        assert!(Arc::ptr_eq(&first.stops, &second.stops));
    }

    #[test]
    fn whoever_draws_shows_the_hints() {
        let shown = Arc::new(Mutex::new(Vec::new()));
        let board = Arc::clone(&shown);
        show_hints_with(move |text| board.lock().unwrap().push(text.to_owned()));
        hint("stopping");
        assert_eq!(*shown.lock().unwrap(), ["stopping"]);
    }

    #[test]
    fn times_are_rough() {
        let rough = |seconds| rough(Duration::from_secs(seconds));
        assert_eq!([rough(12), rough(150), rough(8000)], ["12 s", "2 min", "2 h"]);
    }

    #[test]
    fn a_round_fits_on_a_line_of_the_terminal() {
        let line = RoundLine {
            round: 3,
            annotations: 150,
            expert_steps: None,
            reward: 1234.5,
            reward_sd: 10.0,
            reward_random: None,
            imitation_loss: Some(0.25),
            seconds: None,
        };
        let seconds = RoundTimings { train: 70.5, ..RoundTimings::default() };
        let text = round_text(&line, 20, Some(2600.0), &seconds);
        let expected =
            "round  3/20   150 annotations  reward  1234 ( 47 %)  loss 0.250  19 min left";
        assert_eq!(text, expected);
        let long = RoundLine { round: 100, annotations: 10_000, reward: -1352.0, ..line.clone() };
        let seconds = RoundTimings { train: 71.5, ..seconds };
        let text = round_text(&long, 200, Some(2600.0), &seconds);
        assert!(text.chars().count() <= 80, "{text}");
        let driven = RoundLine { expert_steps: Some(12_345), ..line.clone() };
        let text = round_text(&driven, 20, Some(2600.0), &seconds);
        let expected =
            "round  3/20   150 annotations, 12345 steps  reward  1234 ( 47 %)  20 min left";
        assert_eq!(text, expected);
        let text =
            round_text(&RoundLine { expert_steps: Some(123_456), ..long }, 200, None, &seconds);
        assert!(text.chars().count() <= 80, "{text}");
        let small = RoundLine { reward: 0.125, imitation_loss: None, ..line };
        assert!(round_text(&small, 20, Some(-1.0), &seconds).contains("reward  0.12  20 min"));
    }
}
