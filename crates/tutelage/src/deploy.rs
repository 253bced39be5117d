//! Choice 4: what is returned and evaluated.

use rand::RngExt;

use crate::{Actor, Batch, Policy, Rng, RolloutError};

/// How the E members of an ensemble act as one policy when all is done.
///
/// While states are collected, the learner is always the paper's πₙ: a member drawn uniformly at every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Deploy {
    /// π(s) = (1/E) Σₑ hₑ(s): the mean of the last policy's members (a vote where actions are indices).
    Mean,
    /// π(a | s) = (1/E) Σₑ I(hₑ(s) = a): a member of the last policy, drawn uniformly at every step.
    UniformMember,
    /// π_n̂ with n̂ ~ Unif{1 … N}: the ensemble of a random round, its members drawn uniformly at every step.
    RandomRound,
}

impl Deploy {
    /// This choice in a few words, as tables show it.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::UniformMember => "a random member at every step",
            Self::RandomRound => "random round",
        }
    }
}

/// A policy whose members act in the way chosen.
///
/// ```
/// use tutelage::{Actor, Batch, Deploy, DeployedPolicy, Policy, PolicyError, Stream};
/// # struct Pair;
/// # impl Policy for Pair {
/// #     type State = f32;
/// #     type Action = f32;
/// #     fn members(&self) -> usize { 2 }
/// #     fn act_members(&self, _: &Batch<f32>, members: &[u32], actions: &mut Batch<f32>) -> Result<(), PolicyError> {
/// #         members.iter().enumerate().for_each(|(row, &e)| actions.row_mut(row)[0] = e as f32);
/// #         Ok(())
/// #     }
/// # }
/// let (states, mut actions) = (Batch::zeros(1, 3), Batch::zeros(1, 1));
/// let mut rngs = [Stream::new(1).rng()];
/// // A pair of members: one always plays 0, the other 1.
/// DeployedPolicy::new(&Pair, Deploy::Mean).act(&[0], &states, &mut rngs, &mut actions)?;
/// assert_eq!(actions.row(0), [0.5]);
/// DeployedPolicy::new(&Pair, Deploy::UniformMember).act(&[0], &states, &mut rngs, &mut actions)?;
/// assert!(actions.row(0) == [0.0] || actions.row(0) == [1.0]);
/// # Ok::<(), tutelage::RolloutError>(())
/// ```
pub struct DeployedPolicy<'a, P> {
    policy: &'a P,
    deploy: Deploy,
    members: Vec<u32>,
}

impl<'a, P: Policy> DeployedPolicy<'a, P> {
    /// This policy, acting in this way.
    pub fn new(policy: &'a P, deploy: Deploy) -> Self {
        Self { policy, deploy, members: Vec::new() }
    }
}

impl<P: Policy> Actor<P::State, P::Action> for DeployedPolicy<'_, P> {
    fn act(
        &mut self,
        _lanes: &[usize],
        states: &Batch<P::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<P::Action>,
    ) -> Result<(), RolloutError> {
        match self.deploy {
            Deploy::Mean => self.policy.act_mean(states, actions)?,
            Deploy::UniformMember | Deploy::RandomRound => {
                let count = self.policy.members().max(1) as u32;
                self.members.clear();
                self.members.extend(rngs.iter_mut().map(|rng| rng.random_range(0..count)));
                self.policy.act_members(states, &self.members, actions)?;
            }
        }
        Ok(())
    }
}
