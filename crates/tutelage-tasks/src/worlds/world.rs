//! Worlds and their experts.

use tutelage::expert::ExpertError;
use tutelage::{Batch, Element, EnvError, Expert, Rng, Spaces};
use tutelage_draw::render::Render;

/// An environment that can be drawn and has an expert.
///
/// Clone the default value to get several lanes.
///
/// ```
/// use tutelage::{Batch, Expert};
/// use tutelage_tasks::worlds::{CartPoleEnv, World};
///
/// let mut expert = CartPoleEnv::default().expert();
/// let leans_right = Batch::from_vec(4, vec![0.0, 0.0, 0.5, 0.0])?;
/// let mut actions = Batch::zeros(1, 1);
/// expert.mean(&leans_right, &mut actions)?;
/// assert_eq!(actions.row(0), [1]); // push right
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait World: Render + Clone + Default {
    /// Returns the expert of this environment.
    fn expert(&self) -> ScriptedExpert<Self::Action>;
}

/// An expert whose action is a function of the state.
pub struct ScriptedExpert<A> {
    spaces: Spaces,
    rule: Box<dyn Fn(&[f32], &mut [A]) + Send>,
}

impl<A: Element> ScriptedExpert<A> {
    /// Creates an expert from a rule that writes the action for a finite state.
    pub fn new(spaces: Spaces, rule: impl Fn(&[f32], &mut [A]) + Send + 'static) -> Self {
        Self { spaces, rule: Box::new(rule) }
    }

    fn check(&self, states: &Batch<f32>, actions: &Batch<A>) -> Result<(), EnvError> {
        let Spaces { states: width, actions: size } = self.spaces;
        EnvError::check_width("state", states.width(), width)?;
        EnvError::check_width("action", actions.width(), A::width(size))?;
        EnvError::check_width("column of actions", actions.len(), states.len())?;
        EnvError::check_values("state", states.as_slice(), "a finite number", |value| {
            value.is_finite()
        })
    }
}

impl<A: Element> Expert for ScriptedExpert<A> {
    type State = f32;
    type Action = A;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        self.mean(states, actions)
    }

    fn mean(&mut self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), ExpertError> {
        self.check(states, actions).map_err(|error| ExpertError::Other(Box::new(error)))?;
        for (i, state) in states.rows().enumerate() {
            (self.rule)(state, actions.row_mut(i));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_labeled_and_wrong_shapes_rejected() {
        let spaces = Spaces { states: 2, actions: 3 };
        let mut expert = ScriptedExpert::new(spaces, |state, action: &mut [u32]| {
            action[0] = state[1] as u32;
        });
        let mut actions = Batch::zeros(2, 1);
        let states = |values: [f32; 4]| Batch::from_vec(2, values.into()).unwrap();
        expert.mean(&states([0.0, 2.0, 0.0, 1.0]), &mut actions).unwrap();
        assert_eq!(actions.as_slice(), [2, 1]);
        assert!(expert.mean(&Batch::zeros(2, 3), &mut actions).is_err(), "three values, not two");
        assert!(expert.mean(&Batch::zeros(3, 2), &mut actions).is_err(), "three states, two rows");
        assert!(expert.mean(&states([f32::NAN; 4]), &mut actions).is_err());
    }
}
