//! Environments, one or several at a time.

mod sync_vector_env;
mod vector_env;

pub use sync_vector_env::{LaneError, SyncVectorEnv};
pub use vector_env::VectorEnv;

use crate::{Bounds, Element, Rng, Spaces};

/// The result of a step, besides the next state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// The reward of the step (a cost c counts as −c). It is reported; learning ignores it.
    pub reward: f64,
    /// Whether the task ended in this state, in success or failure.
    pub terminated: bool,
    /// Whether the time limit ended the episode.
    pub truncated: bool,
}

impl Step {
    /// Whether the episode is over.
    pub fn is_last(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// A task that an agent acts in, one episode at a time.
///
/// An episode is a function of the generator given to [`Env::reset`] and of the actions. States are written into the
/// caller's row, so a step need not allocate. [`check_env`](crate::check::check_env) tests an implementation.
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

    /// The sizes of the state and action spaces, which never change.
    fn spaces(&self) -> Spaces;

    /// The time limit H of an episode.
    fn horizon(&self) -> usize;

    /// The box of vector actions, in the units that [`Env::step`] takes. The default is [-1, 1]ⁿ, without clipping: an
    /// expert's action outside is an error.
    fn bounds(&self) -> Bounds {
        Bounds::unit(Self::Action::width(self.spaces().actions))
    }

    /// Starts an episode and writes its first state.
    fn reset(&mut self, rng: Rng, state: &mut [Self::State]) -> Result<(), EnvError>;

    /// Takes an action and writes the next state.
    fn step(
        &mut self,
        action: &[Self::Action],
        state: &mut [Self::State],
    ) -> Result<Step, EnvError>;
}

/// Why an environment failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvError {
    /// A row has the wrong number of values.
    #[error("{what} has {found} values, expected {expected}")]
    Width {
        /// The row: "action", "state", "pose", …
        what: &'static str,
        /// The expected number of values.
        expected: usize,
        /// The number of values found.
        found: usize,
    },
    /// A value is outside its space.
    #[error("{what}[{index}] is {value}, expected {allowed}")]
    Value {
        /// The row: "action", "state", "pose", …
        what: &'static str,
        /// The position in the row.
        index: usize,
        /// The value found.
        value: f64,
        /// The accepted values.
        allowed: &'static str,
    },
    /// No episode is in progress.
    #[error("no episode is in progress: reset the environment first")]
    NoEpisode,
    /// An error specific to this environment.
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
