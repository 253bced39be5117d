//! Where a lesson stands.

use crate::lesson::Round;

/// What has been done already: nothing, or what an interrupted lesson had come to.
#[derive(Clone, Debug)]
pub struct Progress<S, A, P> {
    /// The rounds that are closed, in order.
    pub rounds: Vec<Round<S, A>>,
    /// The round under way, where its states were collected.
    pub open: Option<Round<S, A>>,
    /// The policy trained after the last closed round, where it was kept; otherwise it is trained again, to the same bits.
    pub policy: Option<P>,
    /// π_n̂, where a random round is deployed and it has passed.
    pub random_round: Option<P>,
}

impl<S, A, P> Progress<S, A, P> {
    /// Nothing done yet: D = ∅.
    pub fn none() -> Self {
        Self { rounds: vec![], open: None, policy: None, random_round: None }
    }
}
