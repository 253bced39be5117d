//! The state of a lesson.

use crate::lesson::Round;

/// What a lesson starts from: nothing, or the state of an interrupted lesson.
#[derive(Clone, Debug)]
pub struct Progress<S, A, P> {
    /// The closed rounds, in order.
    pub rounds: Vec<Round<S, A>>,
    /// The current round, if its states were collected.
    pub open: Option<Round<S, A>>,
    /// The policy trained after the last closed round. If `None`, it is trained again, with identical bits.
    pub policy: Option<P>,
    /// π_n̂, if a random round is deployed and has passed.
    pub random_round: Option<P>,
}

impl<S, A, P> Progress<S, A, P> {
    /// A new lesson: D = ∅.
    pub fn none() -> Self {
        Self { rounds: vec![], open: None, policy: None, random_round: None }
    }
}
