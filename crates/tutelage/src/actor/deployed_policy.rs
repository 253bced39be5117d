//! A policy that acts as an algorithm deploys it.

use rand::RngExt;

use crate::actor::{Actor, RolloutError};
use crate::choice::Deploy;
use crate::{Batch, Policy, Rng};

/// A policy whose members act in the way chosen.
///
/// ```
/// use tutelage::{Batch, Policy, PolicyError, Stream};
/// use tutelage::actor::{Actor, DeployedPolicy};
/// use tutelage::choice::Deploy;
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
/// # Ok::<(), tutelage::actor::RolloutError>(())
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
