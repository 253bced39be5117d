//! A policy that acts as an algorithm deploys it.

use rand::RngExt;

use crate::actor::{Actor, RolloutError};
use crate::choice::Deploy;
use crate::{Batch, Policy, Rng};

/// A policy whose members act together as [`Deploy`] says.
///
/// ```
/// use tutelage::actor::{Actor, DeployedPolicy};
/// use tutelage::choice::Deploy;
/// use tutelage::testing::LinearPolicy;
/// use tutelage::{Batch, Stream};
///
/// let policy = LinearPolicy(vec![[0.0, 0.0], [1.0, 0.0]]);
/// let (states, mut actions) = (Batch::from_vec(2, vec![0.5, 0.0])?, Batch::zeros(1, 1));
/// let mut rngs = [Stream::new(1).rng()];
/// DeployedPolicy::new(&policy, Deploy::Mean).act(&[0], &states, &mut rngs, &mut actions)?;
/// assert_eq!(actions.row(0), [0.25]);
/// DeployedPolicy::new(&policy, Deploy::UniformMember).act(&[0], &states, &mut rngs, &mut actions)?;
/// assert!(actions.row(0) == [0.0] || actions.row(0) == [0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DeployedPolicy<'a, P> {
    policy: &'a P,
    deploy: Deploy,
    members: Vec<u32>,
}

impl<'a, P: Policy> DeployedPolicy<'a, P> {
    /// Returns an actor that follows the policy.
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
