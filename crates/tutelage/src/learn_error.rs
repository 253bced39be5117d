//! What can go wrong in the loop.

use crate::{ExpertError, ObserverError, OracleError, RolloutError, TrainOnError};

/// Why learning could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// N = 0.
    #[error("rounds is 0; at least 1 is needed")]
    NoRounds,
    /// K = 0.
    #[error("states_per_round is 0; at least 1 is needed")]
    NoStates,
    /// A stride of 0.
    #[error("the stride is 0; at least 1 is needed")]
    NoStride,
    /// E = 0.
    #[error("the ensemble has 0 members; at least 1 is needed")]
    NoMembers,
    /// The training set makes no sense.
    #[error(transparent)]
    TrainOn(#[from] TrainOnError),
    /// What was done already does not fit the plan.
    #[error("the progress to continue from has {found} {what}, which does not fit {expected}")]
    Progress {
        /// What does not fit.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// What would fit.
        expected: String,
    },
    /// Examples that come from outside are not of this task.
    #[error("{what} has {found} values; in this task it has {expected}")]
    Width {
        /// Which rows.
        what: &'static str,
        /// How many values they have.
        found: usize,
        /// How many the task's have.
        expected: usize,
    },
    /// The stored dataset ends before the rounds do.
    #[error("all rounds together need {needed} stored examples, but there are {stored}")]
    StoredTooShort {
        /// N·K.
        needed: usize,
        /// The rows stored.
        stored: usize,
    },
    /// States could not be collected.
    #[error("round {round}: {source}")]
    Collect {
        /// The round.
        round: usize,
        /// Why.
        source: RolloutError,
    },
    /// The expert gave no answer.
    #[error("round {round}: the expert failed: {source}")]
    Annotate {
        /// The round.
        round: usize,
        /// Why.
        source: ExpertError,
    },
    /// The expert did not answer row by row.
    #[error("round {round}: the expert was asked about {asked} states and gave {given} answers")]
    Answers {
        /// The round.
        round: usize,
        /// How many states it was asked about.
        asked: usize,
        /// How many answers it gave.
        given: usize,
    },
    /// The expert gave answers of another task.
    #[error(
        "round {round}: the expert gave answers of {found} values, where actions have {expected}"
    )]
    AnswerWidth {
        /// The round.
        round: usize,
        /// How many values its answers have.
        found: usize,
        /// How many the task's actions have.
        expected: usize,
    },
    /// The expert gave an answer that is no action.
    #[error(
        "round {round}: the expert answered {value} at state {row}, place {index}, which is not in an action space of size {size}"
    )]
    Label {
        /// The round.
        round: usize,
        /// Which of the round's states.
        row: usize,
        /// The place in the action.
        index: usize,
        /// The answer.
        value: String,
        /// The size of the action space.
        size: usize,
    },
    /// The oracle returned no policy.
    #[error("round {round}: {source}")]
    Train {
        /// The round that the policy was for.
        round: usize,
        /// Why.
        source: OracleError,
    },
    /// The observer failed.
    #[error("round {round}: {source}")]
    Observer {
        /// The round.
        round: usize,
        /// Why.
        source: ObserverError,
    },
}
