//! How a run tells what it is doing.

use tutelage::Evaluation;

use crate::store::{RoundResult, RoundTimings, TruncatedTail};

/// What a run is busy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Playing the expert's own episodes, before the first round.
    Expert,
    /// Rolling out whoever drives.
    Collect,
    /// Asking the expert.
    Annotate,
    /// Training the next policy.
    Train,
    /// Playing the next policy's episodes.
    Evaluate,
}

impl Stage {
    /// What the run is busy with, in a few words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Expert => "the expert plays",
            Self::Collect => "collecting states",
            Self::Annotate => "asking the expert",
            Self::Train => "training",
            Self::Evaluate => "evaluating",
        }
    }
}

/// Somebody who wants to know how a run goes on: a terminal, a page, nobody. Whatever is not implemented is not told.
///
/// ```
/// use tutelage_runs::Observer;
/// use tutelage_runs::store::{RoundResult, RoundTimings};
///
/// /// Has seen enough once the learner earns so much.
/// struct GoodEnough {
///     reward: f64,
///     reached: bool,
/// }
///
/// impl Observer for GoodEnough {
///     fn round(&mut self, result: &RoundResult, annotations: usize, _: &RoundTimings) {
///         println!("{annotations} answers: {:.1}", result.deployed.mean_reward());
///         self.reached |= result.deployed.mean_reward() >= self.reward;
///     }
///     fn wants_stop(&mut self) -> bool {
///         self.reached
///     }
/// }
/// ```
pub trait Observer {
    /// A stage of a round begins.
    fn stage(&mut self, round: usize, stage: Stage) {
        let _ = (round, stage);
    }

    /// What the expert itself is worth.
    fn expert(&mut self, expert: &Evaluation) {
        let _ = expert;
    }

    /// How many steps the expert has driven in all, told before a round's end.
    fn expert_steps(&mut self, steps: u64) {
        let _ = steps;
    }

    /// A round is over, with so many annotations in all.
    fn round(&mut self, result: &RoundResult, annotations: usize, seconds: &RoundTimings) {
        let _ = (result, annotations, seconds);
    }

    /// The end of the log had been torn by an interruption; it was cut off and kept.
    fn truncated(&mut self, tail: &TruncatedTail) {
        let _ = tail;
    }

    /// Whether the run should stop at the next safe point.
    fn wants_stop(&mut self) -> bool {
        false
    }
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
