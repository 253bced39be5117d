//! Policies: ensembles of E members.

use crate::{Action, Batch, Element};

/// A policy π made of E members h₁ … h_E; a single function is the case E = 1.
///
/// The paper's πₙ(a | s) = (1/E) Σₑ I(hₑ(s) = a) acts with a member drawn anew at every step; its deployed policy is the
/// members' mean. Both are built from the two methods here; who draws, and when, is the choice [`crate::Acting`].
pub trait Policy: Send + Sync {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Action;

    /// E, at least 1.
    fn members(&self) -> usize;

    /// Row i acts with member `members[i]`: `actions[i]` = h(`states[i]`), clipped to [-1, 1] where actions are vectors.
    fn act_members(
        &self,
        states: &Batch<Self::State>,
        members: &[u32],
        actions: &mut Batch<Self::Action>,
    );

    /// The mean of the members' (clipped) actions; where actions are indices, the one most members choose, the lowest of
    /// several such.
    fn act_mean(&self, states: &Batch<Self::State>, actions: &mut Batch<Self::Action>);
}
