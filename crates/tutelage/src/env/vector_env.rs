//! A batch of environments behind one trait.

use crate::env::LaneError;
use crate::{Batch, Bounds, Element, Rng, Spaces, Step};

/// Several environments of one task, each at its own place in its own episode.
///
/// What happens in a lane depends on that lane's generator and actions alone. [`crate::SyncVectorEnv`] makes a batch of any
/// [`crate::Env`]; a simulator that steps many environments in one call implements this trait itself.
///
/// ```
/// use tutelage::{Batch, Bounds, Rng, Spaces, Step, Stream, VectorEnv};
/// use tutelage::env::LaneError;
///
/// /// Points that are pushed along a line, all in one call.
/// struct Points {
///     places: Vec<[f32; 1]>,
///     times: Vec<usize>,
///     bounds: Bounds,
/// }
///
/// impl VectorEnv for Points {
///     type State = f32;
///     type Action = f32;
///     fn count(&self) -> usize { self.places.len() }
///     fn spaces(&self) -> Spaces { Spaces { states: 1, actions: 1 } }
///     fn bounds(&self) -> &Bounds { &self.bounds }
///     fn horizon(&self) -> usize { 10 }
///     fn reset(&mut self, lane: usize, _: Rng) -> Result<(), LaneError> {
///         (self.places[lane], self.times[lane]) = ([1.0], 0);
///         Ok(())
///     }
///     fn state(&self, lane: usize) -> &[f32] { &self.places[lane] }
///     fn step(&mut self, lanes: &[usize], actions: &Batch<f32>) -> Result<(), LaneError> {
///         for (row, &lane) in lanes.iter().enumerate() {
///             self.places[lane][0] += 0.1 * actions.row(row)[0];
///             self.times[lane] += 1;
///         }
///         Ok(())
///     }
///     fn last_step(&self, lane: usize) -> Step {
///         Step { reward: -f64::from(self.places[lane][0].abs()), terminated: false, truncated: self.times[lane] == 10 }
///     }
/// }
///
/// let mut points = Points { places: vec![[0.0]; 3], times: vec![0; 3], bounds: Bounds::unit(1) };
/// points.reset(2, Stream::new(1).rng())?;
/// points.step(&[2], &Batch::from_vec(1, vec![-1.0])?)?;
/// assert_eq!(points.state(2), [0.9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait VectorEnv {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Element;

    /// How many lanes there are (at least one).
    fn count(&self) -> usize;

    /// The sizes of the task's spaces.
    fn spaces(&self) -> Spaces;

    /// The box that actions lie in, where they are vectors.
    fn bounds(&self) -> &Bounds;

    /// The task's time limit H: no episode has more steps.
    fn horizon(&self) -> usize;

    /// Begins an episode in one lane.
    fn reset(&mut self, lane: usize, rng: Rng) -> Result<(), LaneError>;

    /// The state that a lane is in.
    fn state(&self, lane: usize) -> &[Self::State];

    /// Steps some lanes: row `i` of `actions`, in the task's own units, is for `lanes[i]`. Where several fail, the lowest
    /// is reported.
    fn step(&mut self, lanes: &[usize], actions: &Batch<Self::Action>) -> Result<(), LaneError>;

    /// What the last step of a lane brought.
    fn last_step(&self, lane: usize) -> Step;
}

/// A boxed batch of environments is one too.
impl<W: VectorEnv + ?Sized> VectorEnv for Box<W> {
    type State = W::State;
    type Action = W::Action;

    fn count(&self) -> usize {
        (**self).count()
    }

    fn spaces(&self) -> Spaces {
        (**self).spaces()
    }

    fn bounds(&self) -> &Bounds {
        (**self).bounds()
    }

    fn horizon(&self) -> usize {
        (**self).horizon()
    }

    fn reset(&mut self, lane: usize, rng: Rng) -> Result<(), LaneError> {
        (**self).reset(lane, rng)
    }

    fn state(&self, lane: usize) -> &[Self::State] {
        (**self).state(lane)
    }

    fn step(&mut self, lanes: &[usize], actions: &Batch<Self::Action>) -> Result<(), LaneError> {
        (**self).step(lanes, actions)
    }

    fn last_step(&self, lane: usize) -> Step {
        (**self).last_step(lane)
    }
}
