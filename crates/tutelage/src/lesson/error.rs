//! Why a lesson fails.

use crate::actor::RolloutError;
use crate::choice::TrainOnError;
use crate::space::SpaceError;
use crate::{ExpertError, OracleError};

/// Why learning could not start or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A number of the schedule or the algorithm is out of range.
    #[error("{what} is {value}, expected {expected}")]
    Number {
        /// The field or symbol.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The accepted values.
        expected: &'static str,
    },
    /// A single member cannot disagree with itself.
    #[error("asking for the most disputed states needs at least 2 members, not {members}")]
    NoDispute {
        /// E.
        members: usize,
    },
    /// The algorithm asks for states in which the expert drove, but the expert never drives.
    #[error("asking where the expert drove needs an algorithm in which the expert drives")]
    NeverDrives,
    /// Training sets cannot be drawn.
    #[error(transparent)]
    TrainOn(#[from] TrainOnError),
    /// An earlier round does not belong to this task.
    #[error("round {round} of the lesson to resume")]
    Progress {
        /// The round.
        round: usize,
        /// The cause.
        source: SpaceError,
    },
    /// The lesson to resume has too many rounds.
    #[error("the lesson to resume has {found} rounds, more than {rounds}")]
    TooManyRounds {
        /// The number of closed rounds.
        found: usize,
        /// N.
        rounds: usize,
    },
    /// A stored round does not belong to this task.
    #[error("stored round {round}, {what}")]
    Stored {
        /// The round.
        round: usize,
        /// "states" or "actions".
        what: &'static str,
        /// The cause.
        source: SpaceError,
    },
    /// Too few rounds are stored.
    #[error("rounds is {rounds}, but only {stored} rounds are stored")]
    StoredTooShort {
        /// N.
        rounds: usize,
        /// The number of stored rounds.
        stored: usize,
    },
    /// States could not be collected.
    #[error("round {round}")]
    Collect {
        /// The round.
        round: usize,
        /// The cause.
        source: RolloutError,
    },
    /// The expert failed.
    #[error("round {round}: the expert failed")]
    Annotate {
        /// The round.
        round: usize,
        /// The cause.
        source: ExpertError,
    },
    /// Labels are invalid.
    #[error("round {round}: invalid labels")]
    InvalidLabel {
        /// The round.
        round: usize,
        /// The cause.
        source: SpaceError,
    },
    /// No round is open.
    #[error("round {round}: no state needs a label")]
    NothingAsked {
        /// The round.
        round: usize,
    },
    /// The oracle failed.
    #[error("round {round}")]
    Train {
        /// The round that the policy was for.
        round: usize,
        /// The cause.
        source: OracleError,
    },
}

impl LearnError {
    /// A number is 0 that must be at least 1.
    pub fn zero(what: &'static str) -> Self {
        Self::Number { what, value: 0.0, expected: "at least 1" }
    }
}
