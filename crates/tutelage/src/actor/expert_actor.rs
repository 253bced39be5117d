//! An expert that drives.

use crate::actor::{Actor, RolloutError};
use crate::choice::ExpertActs;
use crate::expert::Driver;
use crate::space::SpaceError;
use crate::{ActionSpace, Batch, Element, Rng};

/// An expert that drives. Its vectors are mapped from the task's units to [-1, 1]ⁿ, and clipped if the task clips.
pub struct ExpertActor<'a, S, A> {
    driver: &'a mut dyn Driver<S, A>,
    acts: ExpertActs,
    space: &'a ActionSpace,
}

impl<'a, S: Element, A: Element> ExpertActor<'a, S, A> {
    /// Creates an actor that asks the driver.
    pub fn new(driver: &'a mut dyn Driver<S, A>, acts: ExpertActs, space: &'a ActionSpace) -> Self {
        Self { driver, acts, space }
    }

    /// The size of the action space.
    pub(crate) fn size(&self) -> usize {
        self.space.size
    }

    /// The expert's action in each state.
    pub(crate) fn actions(
        &mut self,
        states: &Batch<S>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), RolloutError> {
        self.driver.drive(self.acts, states, rngs, actions)?;
        self.to_unit(actions, states.len())
    }

    /// Returns in which states the expert intervenes, and writes its actions there.
    pub(crate) fn intervene(
        &mut self,
        states: &Batch<S>,
        intended: &Batch<A>,
        actions: &mut Batch<A>,
    ) -> Result<Vec<bool>, RolloutError> {
        let mut own = intended.clone();
        A::from_unit(&self.space.bounds, &mut own);
        actions.as_mut_slice().copy_from_slice(own.as_slice());
        let taken = self.driver.intervene(states, &own, actions)?;
        self.to_unit(actions, states.len())?;
        match taken.len() == states.len() {
            true => Ok(taken),
            false => {
                let source = SpaceError::Rows { found: taken.len(), expected: states.len() };
                Err(RolloutError::InvalidActions { who: "the expert", source })
            }
        }
    }

    /// Checks the expert's actions and maps them to [-1, 1]ⁿ.
    fn to_unit(&self, actions: &mut Batch<A>, count: usize) -> Result<(), RolloutError> {
        let misfit = |source| RolloutError::InvalidActions { who: "the expert", source };
        self.space.check(actions, count).map_err(misfit)?;
        A::to_unit(&self.space.bounds, actions);
        A::clip(actions.as_mut_slice());
        Ok(())
    }
}

impl<S: Element, A: Element> Actor<S, A> for ExpertActor<'_, S, A> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bounds, ExpertError};

    /// Intervenes in this many rows.
    struct Hands(usize);

    impl Driver<f32, f32> for Hands {
        fn intervene(
            &mut self,
            _: &Batch<f32>,
            intended: &Batch<f32>,
            actions: &mut Batch<f32>,
        ) -> Result<Vec<bool>, ExpertError> {
            assert_eq!(intended.as_slice(), [4.0]);
            actions.as_mut_slice().fill(0.0);
            Ok(vec![true; self.0])
        }
    }

    fn intervene(rows: usize) -> Result<(Vec<bool>, Vec<f32>), RolloutError> {
        let bounds = Bounds::new(vec![-2.0], vec![6.0]).expect("a box");
        let (space, mut hands) = (ActionSpace { size: 1, bounds }, Hands(rows));
        let mut expert = ExpertActor::new(&mut hands, ExpertActs::Mean, &space);
        let intended = Batch::from_vec(1, vec![0.5]).expect("a row");
        let mut actions = Batch::zeros(1, 1);
        let taken = expert.intervene(&Batch::zeros(1, 2), &intended, &mut actions)?;
        Ok((taken, actions.as_slice().to_vec()))
    }

    #[test]
    fn interventions_use_the_tasks_units() {
        assert_eq!(intervene(1).expect("it fits"), (vec![true], vec![-0.5]));
    }

    #[test]
    fn interventions_need_one_row_per_state() {
        assert!(matches!(
            intervene(2),
            Err(RolloutError::InvalidActions { who: "the expert", .. })
        ));
    }
}
