//! Experts that follow a fixed rule.

use tutelage::{Batch, Element, EnvError, Expert, ExpertError, Rng, Spaces};

use crate::check::{check_width, check_within};

/// A deterministic policy, written as a function of the state.
///
/// ```
/// use tutelage::Spaces;
/// use tutelage_worlds::ScriptedRule;
///
/// /// Moves toward the origin.
/// struct Back;
///
/// impl ScriptedRule for Back {
///     type Action = f32;
///     fn spaces(&self) -> Spaces { Spaces { states: 1, actions: 1 } }
///     fn act(&self, state: &[f32], action: &mut [f32]) { action[0] = (-state[0]).clamp(-1.0, 1.0); }
/// }
/// ```
pub trait ScriptedRule {
    /// The element type of actions.
    type Action: Element;

    /// Returns the sizes of the spaces.
    fn spaces(&self) -> Spaces;

    /// Writes the action for a state. Both rows have the widths of the spaces; the state is finite.
    fn act(&self, state: &[f32], action: &mut [Self::Action]);
}

/// The expert that follows a rule. Its labels are deterministic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScriptedExpert<R>(pub R);

impl<R: ScriptedRule> Expert for ScriptedExpert<R> {
    type State = f32;
    type Action = R::Action;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<R::Action>,
    ) -> Result<(), ExpertError> {
        self.mean(states, actions)
    }

    fn mean(
        &mut self,
        states: &Batch<f32>,
        actions: &mut Batch<R::Action>,
    ) -> Result<(), ExpertError> {
        self.check(states, actions).map_err(|error| ExpertError::Other(Box::new(error)))?;
        for (i, state) in states.rows().enumerate() {
            self.0.act(state, actions.row_mut(i));
        }
        Ok(())
    }
}

impl<R: ScriptedRule> ScriptedExpert<R> {
    fn check(&self, states: &Batch<f32>, actions: &Batch<R::Action>) -> Result<(), EnvError> {
        let Spaces { states: width, actions: size } = self.0.spaces();
        check_width("state", states.width(), width)?;
        check_width("action", actions.width(), R::Action::width(size))?;
        check_width("column of actions", actions.len(), states.len())?;
        check_within("state", states.as_slice(), f64::from(f32::MAX), "finite")
    }
}
