//! What can go wrong in a lesson.

use crate::actor::RolloutError;
use crate::choice::TrainOnError;
use crate::space::SpaceError;
use crate::{ExpertError, OracleError};

/// Why learning could not begin or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// An invalid number in the algorithm.
    #[error("{what} is {value}; allowed is {allowed}")]
    Number {
        /// Its symbol.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What would have been allowed.
        allowed: &'static str,
    },
    /// Members cannot dispute if there is only one.
    #[error("asking about the most disputed states needs at least 2 members, not {members}")]
    NoDispute {
        /// E.
        members: usize,
    },
    /// Only where the expert drives now and then can it be asked where it drove.
    #[error("asking where the expert drove needs an expert that drives now and then")]
    NeverDrives,
    /// The training set is invalid.
    #[error(transparent)]
    TrainOn(#[from] TrainOnError),
    /// What was done already is not of this task.
    #[error("round {round} of the lesson to continue: {source}")]
    Progress {
        /// The round.
        round: usize,
        /// What is wrong with it.
        source: SpaceError,
    },
    /// More was done already than is to be done.
    #[error("the lesson to continue has {found} rounds, which is more than {rounds}")]
    TooManyRounds {
        /// How many rounds are closed.
        found: usize,
        /// N.
        rounds: usize,
    },
    /// The stored examples are not of this task.
    #[error("stored round {round}, {what}: {source}")]
    Stored {
        /// Which of the stored rounds.
        round: usize,
        /// "states" or "actions".
        what: &'static str,
        /// What is wrong with them.
        source: SpaceError,
    },
    /// There are fewer stored rounds than rounds.
    #[error("rounds is {rounds}, but only {stored} rounds are stored")]
    StoredTooShort {
        /// N.
        rounds: usize,
        /// How many are stored.
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
    /// The expert gave invalid answers.
    #[error("round {round}: the expert's answers: {source}")]
    InvalidLabel {
        /// The round.
        round: usize,
        /// What is wrong with them.
        source: SpaceError,
    },
    /// An answer came where nothing was asked.
    #[error("round {round}: no question waits for an answer")]
    NothingAsked {
        /// The round.
        round: usize,
    },
    /// The oracle returned no policy.
    #[error("round {round}: {source}")]
    Train {
        /// The round that the policy was for.
        round: usize,
        /// Why.
        source: OracleError,
    },
}
