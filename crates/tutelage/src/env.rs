//! Environments: where the learner acts.

mod sync_vector_env;
mod vector_env;

pub use sync_vector_env::{LaneError, SyncVectorEnv};
pub use vector_env::VectorEnv;

use crate::{Bounds, Element, Rng, Spaces};

/// What a step brought, besides the next state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// The reward of the step (a cost c counts as −c). It is reported, never learned from.
    pub reward: f64,
    /// The task ended in this state: it succeeded or failed.
    pub terminated: bool,
    /// The time limit cut the episode here.
    pub truncated: bool,
}

impl Step {
    /// Whether the episode is over, for either reason.
    pub fn is_last(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// A task that an agent acts in, one episode at a time.
///
/// Randomness enters through [`Env::reset`] alone: an episode is a function of the generator given there and of the actions.
/// States are written into the caller's row, so a step need not allocate. [`crate::check::check_env`] tests an implementation
/// against this contract.
///
/// ```
/// use tutelage::{Env, EnvError, Rng, Spaces, Step};
///
/// /// A point on a line that should stay near the origin.
/// struct Line { x: f32, t: usize }
///
/// impl Env for Line {
///     type State = f32;
///     type Action = f32;
///     fn spaces(&self) -> Spaces { Spaces { states: 1, actions: 1 } }
///     fn horizon(&self) -> usize { 100 }
///     fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
///         use rand::RngExt;
///         (self.x, self.t) = (rng.random_range(-1.0..1.0), 0);
///         state[0] = self.x;
///         Ok(())
///     }
///     fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
///         self.x += 0.1 * action[0].clamp(-1.0, 1.0);
///         self.t += 1;
///         state[0] = self.x;
///         Ok(Step { reward: -f64::from(self.x.abs()), terminated: self.x.abs() > 2.0, truncated: self.t == 100 })
///     }
/// }
/// tutelage::check::check_env(|| Line { x: 0.0, t: 0 }, tutelage::Stream::new(1)).unwrap();
/// ```
pub trait Env: Send {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Element;

    /// The sizes of the state and action spaces; constant over the environment's life.
    fn spaces(&self) -> Spaces;

    /// The time limit H: no episode has more steps.
    fn horizon(&self) -> usize;

    /// The box that actions lie in, where they are vectors: [`Env::step`] gets them in these units. By default [-1, 1]ⁿ,
    /// and an expert's answer outside is an error; a task that clips says so ([`Bounds::clipping`]).
    fn bounds(&self) -> Bounds {
        Bounds::unit(Self::Action::width(self.spaces().actions))
    }

    /// Begins an episode and writes its first state.
    fn reset(&mut self, rng: Rng, state: &mut [Self::State]) -> Result<(), EnvError>;

    /// Takes an action and writes the state that it led to.
    fn step(
        &mut self,
        action: &[Self::Action],
        state: &mut [Self::State],
    ) -> Result<Step, EnvError>;
}

/// A boxed environment is one too.
impl<E: Env + ?Sized> Env for Box<E> {
    type State = E::State;
    type Action = E::Action;

    fn spaces(&self) -> Spaces {
        (**self).spaces()
    }

    fn horizon(&self) -> usize {
        (**self).horizon()
    }

    fn bounds(&self) -> Bounds {
        (**self).bounds()
    }

    fn reset(&mut self, rng: Rng, state: &mut [E::State]) -> Result<(), EnvError> {
        (**self).reset(rng, state)
    }

    fn step(&mut self, action: &[E::Action], state: &mut [E::State]) -> Result<Step, EnvError> {
        (**self).step(action, state)
    }
}

/// Why an environment could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvError {
    /// A row had the wrong number of values.
    #[error("{what} has {found} values, but this task takes {expected}")]
    Width {
        /// Which row: "action", "state", "pose", …
        what: &'static str,
        /// How many values the task takes.
        expected: usize,
        /// How many there were.
        found: usize,
    },
    /// A value lies outside its space.
    #[error("{what}[{index}] is {value}, which is not allowed ({allowed})")]
    Value {
        /// Which row: "action", "state", "pose", …
        what: &'static str,
        /// The place in the row.
        index: usize,
        /// The value found.
        value: f64,
        /// What would have been allowed.
        allowed: &'static str,
    },
    /// The episode is over, or never began.
    #[error("step without an episode under way: reset the environment first")]
    NoEpisode,
    /// Something specific to this environment.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl EnvError {
    /// Returns an error unless a row has the expected width.
    pub fn check_width(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        if found == expected { Ok(()) } else { Err(Self::Width { what, expected, found }) }
    }

    /// Returns an error unless every value of a row is allowed.
    ///
    /// ```
    /// use tutelage::EnvError;
    ///
    /// let check = |action: &[f32]| EnvError::check_values("action", action, "finite", |x| x.is_finite());
    /// assert!(check(&[0.5]).is_ok());
    /// assert!(matches!(check(&[0.5, f32::NAN]), Err(EnvError::Value { index: 1, .. })));
    /// ```
    pub fn check_values<T: Copy + Into<f64>>(
        what: &'static str,
        row: &[T],
        allowed: &'static str,
        is_allowed: impl Fn(T) -> bool,
    ) -> Result<(), Self> {
        match row.iter().position(|&value| !is_allowed(value)) {
            None => Ok(()),
            Some(index) => Err(Self::Value { what, index, value: row[index].into(), allowed }),
        }
    }
}
