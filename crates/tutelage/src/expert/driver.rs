//! Experts that drive: asked for actions while the environment waits.

use crate::choice::ExpertActs;
use crate::{Batch, Expert, ExpertError, Rng};

/// Somebody who may drive: when asked to, or of their own accord. What a type does not implement it refuses, in words.
///
/// Every [`Expert`] drives as it answers. Where the teacher only annotates, perhaps days later, [`NoDriver`] drives, and
/// algorithms in which the expert acts are refused in words.
///
/// ```
/// use tutelage::{Batch, ExpertError};
/// use tutelage::choice::ExpertActs;
/// use tutelage::expert::Driver;
///
/// /// Takes the controls where the learner runs away, steers back, and cannot drive on request.
/// struct Hands;
///
/// impl Driver<f32, f32> for Hands {
///     fn intervene(&mut self, states: &Batch<f32>, _: &Batch<f32>, actions: &mut Batch<f32>) -> Result<Vec<bool>, ExpertError> {
///         (0..states.len()).for_each(|i| actions.row_mut(i)[0] = -states.row(i)[0].signum());
///         Ok(states.rows().map(|state| state[0].abs() > 1.0).collect())
///     }
/// }
///
/// let (states, mut actions) = (Batch::from_vec(1, vec![0.5, -3.0])?, Batch::zeros(2, 1));
/// assert_eq!(Hands.intervene(&states, &Batch::zeros(2, 1), &mut actions)?, [false, true]);
/// let on_demand = Hands.drive(ExpertActs::Sampled, &states, &mut [], &mut actions);
/// assert!(matches!(on_demand, Err(ExpertError::CannotDrive)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Driver<S, A> {
    /// The action in each of these states, in the task's own units; row i draws from `rngs[i]` alone.
    fn drive(
        &mut self,
        acts: ExpertActs,
        states: &Batch<S>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        let _ = (acts, states, rngs, actions);
        Err(ExpertError::CannotDrive)
    }

    /// Where the expert itself decides when to drive ([`crate::choice::Gate::Human`]): in which of these states it has the controls in
    /// its hands, and there, what it does. `intended` is what the learner would do; all in the task's own units.
    fn intervene(
        &mut self,
        states: &Batch<S>,
        intended: &Batch<A>,
        actions: &mut Batch<A>,
    ) -> Result<Vec<bool>, ExpertError> {
        let _ = (states, intended, actions);
        Err(ExpertError::CannotIntervene)
    }
}

impl<X: Expert> Driver<X::State, X::Action> for X {
    fn drive(
        &mut self,
        acts: ExpertActs,
        states: &Batch<X::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<X::Action>,
    ) -> Result<(), ExpertError> {
        match acts {
            ExpertActs::Sampled => self.annotate(states, rngs, actions),
            ExpertActs::Mean => self.mean(states, actions),
        }
    }
}

/// Nobody who could drive: the teacher only annotates.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDriver;

impl<S, A> Driver<S, A> for NoDriver {}
