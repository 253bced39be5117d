//! Experts that drive: asked for actions while the environment waits.

use crate::{Batch, Expert, ExpertActs, ExpertError, Rng};

/// Somebody who can drive.
///
/// Every [`Expert`] drives as it answers. Where the teacher only annotates, perhaps days later, [`Nobody`] drives, and
/// algorithms in which the expert acts are refused in words.
pub trait Driver<S, A> {
    /// The action in each of these states, in the task's own units; row i draws from `rngs[i]` alone.
    fn drive(
        &mut self,
        acts: ExpertActs,
        states: &Batch<S>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), ExpertError>;

    /// Where the expert itself decides when to drive ([`crate::Gate::Hand`]): in which of these states it has the controls in
    /// its hands, and there, what it does. `intended` is what the learner would do; all in the task's own units.
    fn step_in(
        &mut self,
        states: &Batch<S>,
        intended: &Batch<A>,
        actions: &mut Batch<A>,
    ) -> Result<Vec<bool>, ExpertError> {
        let _ = (states, intended, actions);
        Err(ExpertError::NoHands)
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
pub struct Nobody;

impl<S, A> Driver<S, A> for Nobody {
    fn drive(
        &mut self,
        _: ExpertActs,
        _: &Batch<S>,
        _: &mut [Rng],
        _: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        Err(ExpertError::CannotDrive)
    }
}
