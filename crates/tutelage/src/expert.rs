//! Experts: they label states, and may drive.

mod driver;

pub use driver::{Driver, NoDriver};

use crate::{Batch, Element, Rng, Spaces};

/// An expert π^E: a trained network, a planner, or a person.
///
/// Labels are expensive: each state is labeled once. An expert may be slow and may fail; earlier labels are kept. Labels
/// are in the task's units ([`Env::bounds`](crate::Env::bounds)).
///
/// Row i draws from `rngs[i]` only, so labels do not depend on the batching.
///
/// ```
/// use tutelage::{Batch, Expert, ExpertError, Rng};
///
/// /// Pushes back to the origin.
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

    /// Labels each state with the expert's action, a ~ π^E(· | s).
    fn annotate(
        &mut self,
        states: &Batch<Self::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<Self::Action>,
    ) -> Result<(), ExpertError>;

    /// The expert's mean action in each state, which the imitation loss refers to.
    ///
    /// An expert without one, such as a person, keeps the default, which returns [`ExpertError::NoMean`].
    fn mean(
        &mut self,
        states: &Batch<Self::State>,
        actions: &mut Batch<Self::Action>,
    ) -> Result<(), ExpertError> {
        let _ = (states, actions);
        Err(ExpertError::NoMean)
    }

    /// Whether the expert has a mean action. Tries an empty batch.
    fn has_mean(&mut self, spaces: Spaces) -> Result<bool, ExpertError> {
        let states = Batch::new(Self::State::width(spaces.states));
        match self.mean(&states, &mut Batch::new(Self::Action::width(spaces.actions))) {
            Ok(()) => Ok(true),
            Err(ExpertError::NoMean) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// One line that identifies the expert: a run cannot be resumed with a different one. Empty if it has no identity, as
    /// for a person.
    fn describe(&self) -> String {
        String::new()
    }

    /// The most states that the expert labels in one call. Labels become durable call by call, so a person should label one
    /// state at a time.
    fn batch(&self) -> usize {
        usize::MAX
    }
}

/// Why an expert returned no action.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpertError {
    /// The expert cannot drive.
    #[error("this expert only labels states; it cannot drive, which the algorithm needs")]
    CannotDrive,
    /// The expert cannot intervene.
    #[error(
        "this expert does not intervene on its own, which the algorithm needs; in hg-dagger a distance decides"
    )]
    CannotIntervene,
    /// The expert has no mean action.
    #[error("this expert has no mean action")]
    NoMean,
    /// The expert left. Its labels are kept, and the lesson can continue when it returns.
    #[error("the expert left; the lesson can continue when it returns")]
    Left,
    /// An error specific to this expert.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}
