//! The expert itself at the wheel.

use crate::{
    Act, Action, ActionSpace, Batch, Driver, Element, ExpertActs, Rng, RolloutError, SpaceError,
};

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
        self.to_unit(actions, states.len())
    }

    /// In which of these states the expert has the controls, and there, what it does.
    pub(super) fn step_in(
        &mut self,
        states: &Batch<S>,
        intended: &Batch<A>,
        actions: &mut Batch<A>,
    ) -> Result<Vec<bool>, RolloutError> {
        let mut own = intended.clone();
        A::from_unit(&self.space.bounds, &mut own);
        actions.as_mut_slice().copy_from_slice(own.as_slice());
        let taken = self.driver.step_in(states, &own, actions)?;
        self.to_unit(actions, states.len())?;
        match taken.len() == states.len() {
            true => Ok(taken),
            false => {
                let source = SpaceError::Rows { found: taken.len(), expected: states.len() };
                Err(RolloutError::Misfit { who: "the expert", source })
            }
        }
    }

    /// Checks what the expert did and brings it to [-1, 1]ⁿ.
    fn to_unit(&self, actions: &mut Batch<A>, count: usize) -> Result<(), RolloutError> {
        let misfit = |source| RolloutError::Misfit { who: "the expert", source };
        self.space.check(actions, count).map_err(misfit)?;
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
