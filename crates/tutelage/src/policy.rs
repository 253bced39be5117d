//! Policies: ensembles of E members.

use crate::{Action, Batch, Element};

/// A policy π made of E members h₁ … h_E; a single function is the case E = 1.
///
/// The paper's πₙ(a | s) = (1/E) Σₑ I(hₑ(s) = a) acts with a member drawn anew at every step; its deployed policy is the
/// members' mean. Both are built from the two methods here; who draws, and when, is the choice [`crate::Acting`].
///
/// ```
/// use tutelage::{Batch, Policy, PolicyError};
///
/// /// Member e pushes with a force of its own, wherever it is.
/// struct Pushes(Vec<f32>);
///
/// impl Policy for Pushes {
///     type State = f32;
///     type Action = f32;
///     fn members(&self) -> usize { self.0.len() }
///     fn act_members(&self, _: &Batch<f32>, members: &[u32], actions: &mut Batch<f32>) -> Result<(), PolicyError> {
///         for (row, &member) in members.iter().enumerate() {
///             actions.row_mut(row)[0] = self.0[member as usize].clamp(-1.0, 1.0);
///         }
///         Ok(())
///     }
///     fn act_mean(&self, _: &Batch<f32>, actions: &mut Batch<f32>) -> Result<(), PolicyError> {
///         let sum: f32 = self.0.iter().map(|push| push.clamp(-1.0, 1.0)).sum();
///         actions.as_mut_slice().fill(sum / self.0.len() as f32);
///         Ok(())
///     }
/// }
/// ```
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
    ) -> Result<(), PolicyError>;

    /// The mean of the members' (clipped) actions; where actions are indices, the one most members choose, the lowest of
    /// several such.
    fn act_mean(
        &self,
        states: &Batch<Self::State>,
        actions: &mut Batch<Self::Action>,
    ) -> Result<(), PolicyError>;
}

/// Why a policy did not act.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The rows are not of the policy's task.
    #[error("the policy takes {what} of width {expected}, not {found}")]
    Width {
        /// "states" or "actions".
        what: &'static str,
        /// The width that the policy takes.
        expected: usize,
        /// The width that was found.
        found: usize,
    },
    /// There is no such member.
    #[error("the policy has {members} members, there is no member {member}")]
    Member {
        /// The member asked for, counted from 0.
        member: u32,
        /// E.
        members: usize,
    },
    /// Something specific to this policy.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl PolicyError {
    /// Checks that rows have the width that a policy takes.
    pub fn check_width(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::Width { what, expected, found }) }
    }
}

/// (1/E) Σₑ ℓ(hₑ(s), h̄(s)) in each state: how much the members differ from what they say together.
pub fn disagreement<P: Policy>(
    policy: &P,
    states: &Batch<P::State>,
    mean: &Batch<P::Action>,
) -> Result<Vec<f64>, PolicyError> {
    let members = policy.members();
    let mut sums = vec![0.0; states.len()];
    let mut actions = Batch::zeros(states.len(), mean.width());
    for member in 0..members as u32 {
        policy.act_members(states, &vec![member; states.len()], &mut actions)?;
        for (row, sum) in sums.iter_mut().enumerate() {
            *sum += P::Action::loss(actions.row(row), mean.row(row)) / members as f64;
        }
    }
    Ok(sums)
}
