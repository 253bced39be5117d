//! Expert and learner take turns.

use std::collections::HashSet;

use crate::actor::ExpertActor;
use crate::actor::{Actor, DeployedPolicy, RolloutError};
use crate::{Batch, Policy, Rng};

/// The expert, the learner, and who acted last.
pub(super) struct Turns<'a, P: Policy> {
    expert: ExpertActor<'a, P::State, P::Action>,
    learner: DeployedPolicy<'a, P>,
    /// The lanes in which the expert acted last.
    by_expert: HashSet<usize>,
}

impl<'a, P: Policy> Turns<'a, P> {
    pub(super) fn new(
        expert: ExpertActor<'a, P::State, P::Action>,
        learner: DeployedPolicy<'a, P>,
    ) -> Self {
        Self { expert, learner, by_expert: HashSet::new() }
    }

    /// Acts in every state: the expert in the lanes for which `expert_next` returns true.
    pub(super) fn act(
        &mut self,
        mut expert_next: impl FnMut(usize, &mut Rng) -> bool,
        lanes: &[usize],
        states: &Batch<P::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<P::Action>,
    ) -> Result<(), RolloutError> {
        self.by_expert.clear();
        for (&lane, rng) in lanes.iter().zip(rngs.iter_mut()) {
            if expert_next(lane, rng) {
                self.by_expert.insert(lane);
            }
        }
        match self.by_expert.len() {
            0 => self.learner.act(lanes, states, rngs, actions),
            all if all == lanes.len() => self.expert.act(lanes, states, rngs, actions),
            _ => self.act_apart(lanes, states, rngs, actions),
        }
    }

    /// Acts lane by lane, so that expert and learner see only their own rows.
    fn act_apart(
        &mut self,
        lanes: &[usize],
        states: &Batch<P::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<P::Action>,
    ) -> Result<(), RolloutError> {
        for (row, &lane) in lanes.iter().enumerate() {
            let mut one = Batch::zeros(1, actions.width());
            let (state, rng) = (states.slice(row, row + 1), &mut rngs[row..=row]);
            if self.by_expert.contains(&lane) {
                self.expert.act(&[lane], &state, rng, &mut one)?;
            } else {
                self.learner.act(&[lane], &state, rng, &mut one)?;
            }
            actions.row_mut(row).copy_from_slice(one.row(0));
        }
        Ok(())
    }

    pub(super) fn expert_drove(&self, lane: usize) -> bool {
        self.by_expert.contains(&lane)
    }
}
