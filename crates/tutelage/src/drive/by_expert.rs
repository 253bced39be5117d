//! The expert itself at the wheel.

use crate::{Act, Action, ActionSpace, Batch, Driver, Element, ExpertActs, Rng, RolloutError};

/// An expert that acts; vectors are mapped from the task's units to [-1, 1]ⁿ, and clipped where the task clips.
pub struct ByExpert<'a, S, A> {
    driver: &'a mut dyn Driver<S, A>,
    acts: ExpertActs,
    space: &'a ActionSpace,
}

impl<'a, S: Element, A: Action> ByExpert<'a, S, A> {
    /// This expert, acting in this way.
    pub fn new(driver: &'a mut dyn Driver<S, A>, acts: ExpertActs, space: &'a ActionSpace) -> Self {
        Self { driver, acts, space }
    }

    /// |𝒜|, or the number of coordinates.
    pub(super) fn size(&self) -> usize {
        self.space.size
    }

    /// What the expert does in each of these states.
    pub(crate) fn actions(
        &mut self,
        states: &Batch<S>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), RolloutError> {
        self.driver.drive(self.acts, states, rngs, actions)?;
        let misfit = |source| RolloutError::Misfit { who: "the expert", source };
        self.space.check(actions, states.len()).map_err(misfit)?;
        A::to_unit(&self.space.bounds, actions);
        A::clip(actions.as_mut_slice());
        Ok(())
    }
}

impl<S: Element, A: Action> Act<S, A> for ByExpert<'_, S, A> {
    fn act(
        &mut self,
        _lanes: &[usize],
        states: &Batch<S>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), RolloutError> {
        self.actions(states, rngs, actions)
    }

    fn expert_drove(&self, _lane: usize) -> bool {
        true
    }
}
