//! Policies: ensembles of E members.

use crate::{Batch, Element};

/// A policy π made of E members h₁ … h_E; a single function is the case E = 1.
///
/// The paper's πₙ(a | s) = (1/E) Σₑ I(hₑ(s) = a) draws a member at every step, while the deployed policy is the members'
/// mean ([`Deploy`](crate::choice::Deploy)).
///
/// ```
/// use tutelage::{Batch, Policy, PolicyError};
///
/// /// Member e always pushes with force `self.0[e]`.
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
/// }
///
/// let (states, mut actions) = (Batch::zeros(1, 2), Batch::zeros(1, 1));
/// Pushes(vec![0.5, -0.25]).act_mean(&states, &mut actions)?;
/// assert_eq!(actions.row(0), [0.125]);
/// # Ok::<(), PolicyError>(())
/// ```
pub trait Policy: Send + Sync {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Element;

    /// E, at least 1.
    fn members(&self) -> usize;

    /// Acts in row i with member `members[i]`. Vector actions are clipped to [-1, 1].
    fn act_members(
        &self,
        states: &Batch<Self::State>,
        members: &[u32],
        actions: &mut Batch<Self::Action>,
    ) -> Result<(), PolicyError>;

    /// Acts with the members' mean action or majority vote in each state ([`Element::aggregate`]).
    ///
    /// Override this if there is a faster way than asking every member.
    fn act_mean(
        &self,
        states: &Batch<Self::State>,
        actions: &mut Batch<Self::Action>,
    ) -> Result<(), PolicyError> {
        PolicyError::check_rows("actions", states.len(), actions.len())?;
        let mut each = Batch::new(actions.width());
        self.act_each(states, &mut each)?;
        let of_state = each.as_slice().chunks_exact((self.members() * actions.width()).max(1));
        for (i, members) in of_state.enumerate() {
            Self::Action::aggregate(members, actions.row_mut(i));
        }
        Ok(())
    }

    /// Acts with every member in every state: resizes `actions`, and row i·E + e becomes hₑ(`states[i]`).
    ///
    /// Override this if all members can act at once; the actions must equal those of [`Policy::act_members`].
    fn act_each(
        &self,
        states: &Batch<Self::State>,
        actions: &mut Batch<Self::Action>,
    ) -> Result<(), PolicyError> {
        let members = self.members();
        let mut of_member = Batch::zeros(states.len(), actions.width());
        actions.resize(states.len() * members);
        for e in 0..members {
            self.act_members(states, &vec![e as u32; states.len()], &mut of_member)?;
            for (i, action) in of_member.rows().enumerate() {
                actions.row_mut(i * members + e).copy_from_slice(action);
            }
        }
        Ok(())
    }
}

/// Why a policy failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// Rows have the wrong width.
    #[error("{what} of width {found}, but the policy takes width {expected}")]
    Width {
        /// "states" or "actions".
        what: &'static str,
        /// The expected width.
        expected: usize,
        /// The width found.
        found: usize,
    },
    /// The number of members or actions is not that of the states.
    #[error("{states} states but {found} {what}, expected one for each state")]
    Rows {
        /// "members" or "actions".
        what: &'static str,
        /// The number of states.
        states: usize,
        /// The number of members or actions.
        found: usize,
    },
    /// The member does not exist.
    #[error("no member {member}: the policy has {members} members")]
    Member {
        /// The index of the member.
        member: u32,
        /// E.
        members: usize,
    },
    /// An error specific to this policy.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl PolicyError {
    /// Checks the width of rows.
    pub fn check_width(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::Width { what, expected, found }) }
    }

    /// Checks the number of rows.
    pub fn check_rows(what: &'static str, states: usize, found: usize) -> Result<(), Self> {
        if found == states { Ok(()) } else { Err(Self::Rows { what, states, found }) }
    }
}

/// The members' mean distance from their mean action in each state: (1/E) Σₑ ℓ(hₑ(s), h̄(s)).
pub(crate) fn disagreement<P: Policy>(
    policy: &P,
    states: &Batch<P::State>,
    mean: &Batch<P::Action>,
) -> Result<Vec<f64>, PolicyError> {
    let members = policy.members();
    let mut actions = Batch::new(mean.width());
    policy.act_each(states, &mut actions)?;
    let of_state = |row: usize| {
        let each = (0..members).map(|e| actions.row(row * members + e));
        each.map(|action| P::Action::loss(action, mean.row(row))).sum::<f64>() / members as f64
    };
    Ok((0..states.len()).map(of_state).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Member e plays 10·state + e.
    struct Numbered;

    impl Policy for Numbered {
        type State = u32;
        type Action = u32;

        fn members(&self) -> usize {
            3
        }

        fn act_members(
            &self,
            states: &Batch<u32>,
            members: &[u32],
            actions: &mut Batch<u32>,
        ) -> Result<(), PolicyError> {
            PolicyError::check_rows("members", states.len(), members.len())?;
            PolicyError::check_rows("actions", states.len(), actions.len())?;
            for (i, member) in members.iter().enumerate() {
                actions.row_mut(i)[0] = 10 * states.row(i)[0] + member;
            }
            Ok(())
        }
    }

    #[test]
    fn each_member_acts_in_each_state() {
        let mut actions = Batch::new(1);
        Numbered.act_each(&Batch::from_vec(1, vec![5, 7]).unwrap(), &mut actions).unwrap();
        assert_eq!(actions.as_slice(), [50, 51, 52, 70, 71, 72]);
        Numbered.act_each(&Batch::new(1), &mut actions).unwrap();
        assert!(actions.is_empty());
    }

    #[test]
    fn members_act_together_by_vote_or_mean() {
        let (states, mut actions) = (Batch::from_vec(1, vec![5, 7]).unwrap(), Batch::zeros(2, 1));
        Numbered.act_mean(&states, &mut actions).unwrap();
        assert_eq!(actions.as_slice(), [50, 70], "the lowest wins a tie");
        let vote = |members: &[u32]| {
            let mut action = [0];
            u32::aggregate(members, &mut action);
            action[0]
        };
        assert_eq!([vote(&[2, 1, 2]), vote(&[3, 1, 1, 3, 2]), vote(&[4])], [2, 1, 4]);
        let mut action = [9.0; 2];
        f32::aggregate(&[1.0, 0.5, -0.5, 0.25], &mut action);
        assert_eq!(action, [0.25, 0.375]);
        assert!(Numbered.act_mean(&states, &mut Batch::zeros(3, 1)).is_err());
    }
}
