//! An ensemble of networks as a policy.

use std::marker::PhantomData;

use tutelage::{Batch, Policy};

use super::head::Head;
use crate::net::{AlignedVec, Network, Tape};

/// E networks of one shape: h_e(s) is the clipped output (vectors) or the index of the largest output.
#[derive(Debug, Clone)]
pub struct Ensemble<A> {
    network: Network,
    members: Vec<AlignedVec>,
    action: PhantomData<fn() -> A>,
}

/// Networks whose actions are vectors.
pub type MlpPolicy = Ensemble<f32>;
/// Networks whose actions are indices.
pub type MlpClassifierPolicy = Ensemble<u32>;

impl<A: Head> Ensemble<A> {
    /// `members` must be parameters of the network's layout, at least one of them.
    pub(crate) fn new(network: Network, members: Vec<AlignedVec>) -> Self {
        Self { network, members, action: PhantomData }
    }

    /// The shape that all members share.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The parameters of each member.
    #[must_use]
    pub fn parameters(&self) -> &[AlignedVec] {
        &self.members
    }
}

impl<A: Head> Policy for Ensemble<A> {
    type State = f32;
    type Action = A;

    fn members(&self) -> usize {
        self.members.len()
    }

    fn act_members(&self, states: &Batch<f32>, members: &[u32], actions: &mut Batch<A>) {
        let _ = (states, members, actions, Tape::new(self.network.layout(), 0));
    }

    fn act_mean(&self, states: &Batch<f32>, actions: &mut Batch<A>) {
        let _ = (states, actions);
    }
}
