//! Experts: who says what they would have done.

mod driver;

pub use driver::{Driver, NoDriver};

use crate::{Batch, Element, Rng, Spaces};

/// An expert π^E: a trained network, a planner, or a person.
///
/// An answer is precious: each state is asked about once, in batches. An expert may be slow and may fail; then nothing that
/// it said before is lost. Answers are in the task's own units ([`crate::Env::bounds`]).
///
/// Row i draws from `rngs[i]` alone (a deterministic expert ignores it), so answers do not depend on how rows are batched.
///
/// ```
/// use tutelage::{Batch, Expert, ExpertError, Rng};
///
/// /// Steers back to the origin.
/// struct Back;
///
/// impl Expert for Back {
///     type State = f32;
///     type Action = f32;
///     fn annotate(&mut self, states: &Batch<f32>, _: &mut [Rng], actions: &mut Batch<f32>) -> Result<(), ExpertError> {
///         for i in 0..states.len() {
///             actions.row_mut(i)[0] = -states.row(i)[0];
///         }
///         Ok(())
///     }
/// }
/// ```
pub trait Expert {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Element;

    /// What the expert does in each of these states: a ~ π^E(· | s), a row each.
    fn annotate(
        &mut self,
        states: &Batch<Self::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<Self::Action>,
    ) -> Result<(), ExpertError>;

    /// The expert's mean action in each of these states, which the imitation loss is measured against.
    ///
    /// An expert that cannot tell (a person, say) keeps the default and returns [`ExpertError::NoMean`].
    fn mean(
        &mut self,
        states: &Batch<Self::State>,
        actions: &mut Batch<Self::Action>,
    ) -> Result<(), ExpertError> {
        let _ = (states, actions);
        Err(ExpertError::NoMean)
    }

    /// Whether the expert has a mean action, found out by asking for that of an empty batch.
    fn has_mean(&mut self, spaces: Spaces) -> Result<bool, ExpertError> {
        let states = Batch::new(Self::State::width(spaces.states));
        match self.mean(&states, &mut Batch::new(Self::Action::width(spaces.actions))) {
            Ok(()) => Ok(true),
            Err(ExpertError::NoMean) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What tells this expert from another of the same kind, in a line: a run that is continued with another is refused.
    /// Somebody who cannot be told, such as a person, says nothing.
    fn describe(&self) -> String {
        String::new()
    }

    /// How many states the expert wants to see at once. What one call answers becomes durable together, so a person is
    /// best asked one at a time.
    fn batch(&self) -> usize {
        usize::MAX
    }
}

/// A boxed expert is one too.
impl<X: Expert + ?Sized> Expert for Box<X> {
    type State = X::State;
    type Action = X::Action;

    fn annotate(
        &mut self,
        states: &Batch<X::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<X::Action>,
    ) -> Result<(), ExpertError> {
        (**self).annotate(states, rngs, actions)
    }

    fn mean(
        &mut self,
        states: &Batch<X::State>,
        actions: &mut Batch<X::Action>,
    ) -> Result<(), ExpertError> {
        (**self).mean(states, actions)
    }

    fn describe(&self) -> String {
        (**self).describe()
    }

    fn batch(&self) -> usize {
        (**self).batch()
    }
}

/// Why an expert gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpertError {
    /// The expert only annotates.
    #[error("this expert only annotates: it cannot drive, as this algorithm asks of it")]
    CannotDrive,
    /// The expert does not say when it would step in.
    #[error(
        "this expert does not step in by itself, as this algorithm asks of it; in hg-dagger a distance decides for it"
    )]
    CannotIntervene,
    /// The expert has no mean action.
    #[error("this expert cannot tell its mean action")]
    NoMean,
    /// The expert has left: what it said is kept, and the lesson can go on when it comes back.
    #[error("the expert has left; the lesson can go on when it comes back")]
    Left,
    /// Something specific to this expert.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}
