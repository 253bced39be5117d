//! Choice 3: how the members of an ensemble act as one policy.

use rand::RngExt;

use crate::{Action, Batch, Expert, ExpertActs, Policy, Rng, RolloutError};

/// How E members act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acting {
    /// π(a | s) = (1/E) Σₑ I(hₑ(s) = a): a member drawn uniformly at every step.
    UniformMember,
    /// π(s) = (1/E) Σₑ hₑ(s): the mean of the members' actions (a vote where actions are indices).
    Mean,
    /// π_n̂ with n̂ ~ Unif{1 … N}: the ensemble of a random round, its members drawn uniformly at every step.
    RandomRound,
}

/// Somebody who acts in a batch of states: a policy or the expert.
pub struct Actor<'a, P, X> {
    who: Who<'a, P, X>,
    members: Vec<u32>,
}

enum Who<'a, P, X> {
    Policy(&'a P, Acting),
    Expert(&'a mut X, ExpertActs),
}

impl<'a, P, X> Actor<'a, P, X>
where
    P: Policy,
    X: Expert<State = P::State, Action = P::Action>,
{
    /// A policy whose members act in this way.
    pub fn policy(policy: &'a P, acting: Acting) -> Self {
        Self { who: Who::Policy(policy, acting), members: Vec::new() }
    }

    /// The expert itself.
    pub fn expert(expert: &'a mut X, acts: ExpertActs) -> Self {
        Self { who: Who::Expert(expert, acts), members: Vec::new() }
    }

    /// Acts in every state; row i draws from `rngs[i]` alone.
    ///
    /// Where actions are vectors they lie in [-1, 1]: a policy's by its own contract ([`Policy::act_members`]); an expert's
    /// answer may lie outside, what it does is clipped here.
    pub fn act(
        &mut self,
        states: &Batch<P::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<P::Action>,
    ) -> Result<(), RolloutError> {
        match &mut self.who {
            Who::Expert(expert, acts) => {
                match acts {
                    ExpertActs::Sampled => expert.annotate(states, rngs, actions)?,
                    ExpertActs::Mean => expert.mean(states, actions)?,
                }
                X::Action::clip(actions.as_mut_slice());
            }
            Who::Policy(policy, Acting::Mean) => policy.act_mean(states, actions)?,
            Who::Policy(policy, Acting::UniformMember | Acting::RandomRound) => {
                let count = policy.members().max(1) as u32;
                self.members.clear();
                self.members.extend(rngs.iter_mut().map(|rng| rng.random_range(0..count)));
                policy.act_members(states, &self.members, actions)?;
            }
        }
        Ok(())
    }
}
