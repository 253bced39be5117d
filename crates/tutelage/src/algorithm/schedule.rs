//! How long to learn.

use crate::Stream;

/// How many rounds of how many states, and where the randomness comes from.
///
/// ```
/// use tutelage::{Schedule, Stream};
/// let schedule = Schedule { rounds: 20, states_per_round: 50, stream: Stream::new(1) };
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// N.
    pub rounds: usize,
    /// K.
    pub states_per_round: usize,
    /// The source of all randomness.
    pub stream: Stream,
}

impl Schedule {
    /// The source of round n's randomness.
    pub(crate) fn round(&self, round: usize) -> Stream {
        self.stream.fork("round", round as u64)
    }
}
