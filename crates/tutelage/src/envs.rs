//! A batch of environments behind one trait.

use crate::{Action, Batch, Bounds, Element, LaneError, Rng, Spaces, Step};

/// Several environments of one task, each at its own place in its own episode.
///
/// What happens in a lane depends on that lane's generator and actions alone. [`crate::Lanes`] makes a batch of any
/// [`crate::Env`]; a simulator that steps many environments in one call implements this trait itself.
pub trait Envs {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Action;

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
impl<W: Envs + ?Sized> Envs for Box<W> {
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
