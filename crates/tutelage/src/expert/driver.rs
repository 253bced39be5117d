//! Experts that drive.

use crate::choice::ExpertActs;
use crate::{Batch, Expert, ExpertError, Rng};

/// Acts while states are collected: when the algorithm asks for it, or by intervening on its own. The defaults refuse both.
///
/// Every [`Expert`] drives by labeling. If the labels come later, pass [`NoDriver`].
///
/// ```
/// use tutelage::expert::Driver;
/// use tutelage::{Batch, ExpertError};
///
/// /// Intervenes when the learner drifts away, and steers back.
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
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Driver<S, A> {
    /// Acts in each state, in the task's units; row i draws from `rngs[i]` only.
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

    /// Returns in which states the expert holds the controls, and writes its actions there. Used by
    /// [`Gate::Human`](crate::choice::Gate::Human). `intended` is what the learner would do; both are in the task's units.
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

/// A driver that always refuses, for experts that only label states.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDriver;

impl<S, A> Driver<S, A> for NoDriver {}
