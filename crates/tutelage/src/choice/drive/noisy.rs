//! DART: a ~ π^E(s) + noise (Laskey et al. 2017).
//!
//! The covariance is that of the learner's error in the previous round, diagonal and scaled by α. It pushes the expert's
//! trajectories to states that the learner's own mistakes would lead to.

use crate::actor::ExpertActor;
use crate::actor::{Actor, RolloutError};
use crate::{Batch, Element, Rng};

pub(super) struct NoisyExpert<'a, S, A> {
    expert: ExpertActor<'a, S, A>,
    /// The variance of each coordinate, or the share of random indices.
    variance: Vec<f64>,
}

impl<'a, S: Element, A: Element> NoisyExpert<'a, S, A> {
    pub(super) fn new(expert: ExpertActor<'a, S, A>, alpha: f64, errors: &[f64]) -> Self {
        Self { expert, variance: errors.iter().map(|error| alpha * error).collect() }
    }
}

impl<S: Element, A: Element> Actor<S, A> for NoisyExpert<'_, S, A> {
    fn act(
        &mut self,
        _lanes: &[usize],
        states: &Batch<S>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), RolloutError> {
        self.expert.actions(states, rngs, actions)?;
        for (row, rng) in rngs.iter_mut().enumerate() {
            A::add_noise(actions.row_mut(row), &self.variance, self.expert.size(), rng);
        }
        A::clip(actions.as_mut_slice());
        Ok(())
    }

    fn expert_drove(&self, _lane: usize) -> bool {
        true
    }
}
