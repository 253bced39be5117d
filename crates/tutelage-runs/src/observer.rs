//! Progress events of a run.

use std::fmt;

use tutelage::evaluation::Evaluation;

use crate::line::RoundLine;
use crate::store::TruncatedTail;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Evaluates the expert, before the first round.
    Expert,
    /// Collects states.
    Collect,
    /// Asks the expert.
    Annotate,
    /// Trains the next policy.
    Train,
    /// Evaluates the next policy.
    Evaluate,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Expert => "evaluating the expert",
            Self::Collect => "collecting states",
            Self::Annotate => "asking the expert",
            Self::Train => "training",
            Self::Evaluate => "evaluating",
        })
    }
}

/// Receives the progress events of a run. All methods default to doing nothing.
///
/// ```
/// use tutelage_runs::{Observer, RoundLine};
///
/// /// Stops when the learner's reward is high enough.
/// struct StopAtReward {
///     reward: f64,
///     reached: bool,
/// }
///
/// impl Observer for StopAtReward {
///     fn round(&mut self, line: &RoundLine) {
///         println!("{} annotations: {:.1}", line.annotations, line.reward);
///         self.reached |= line.reward >= self.reward;
///     }
///     fn wants_stop(&mut self) -> bool {
///         self.reached
///     }
/// }
/// ```
pub trait Observer {
    /// The run starts or resumes. The run directory already holds `finished` rounds and possibly the expert's evaluation.
    ///
    /// This is the first event.
    fn started(&mut self, _expert: Option<&Evaluation>, _finished: &[RoundLine]) {}

    /// An interrupted write had left an incomplete record at the end of the log.
    fn truncated(&mut self, _tail: &TruncatedTail) {}

    /// A stage of a round begins.
    fn stage(&mut self, _round: usize, _stage: Stage) {}

    /// The expert's own evaluation is known.
    fn expert(&mut self, _expert: &Evaluation) {}

    /// A round is finished.
    fn round(&mut self, _line: &RoundLine) {}

    /// Returns whether the run should stop at the next safe point.
    fn wants_stop(&mut self) -> bool {
        false
    }
}

/// An [`Observer`] that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
