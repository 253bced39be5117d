//! The length and randomness of a lesson.

use crate::Stream;

/// The number of rounds, the states per round, and the source of randomness.
///
/// ```
/// use tutelage::{Schedule, Stream};
/// let schedule = Schedule { rounds: 20, states_per_round: 50, stream: Stream::new(1) };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// N, the number of rounds.
    pub rounds: usize,
    /// K, the number of states that the expert labels in a round.
    pub states_per_round: usize,
    /// The source of all randomness.
    pub stream: Stream,
}

impl Schedule {
    /// The randomness of round n.
    pub(crate) fn round(&self, round: usize) -> Stream {
        self.stream.fork("round", round as u64)
    }
}
