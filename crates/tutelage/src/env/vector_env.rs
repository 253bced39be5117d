//! Several environments behind one trait.

use crate::env::LaneError;
use crate::{Batch, Bounds, Element, Rng, Spaces, Step};

/// Several environments of one task, stepped together. Each lane is in its own episode.
///
/// What happens in a lane depends on its generator and actions only. [`SyncVectorEnv`](crate::SyncVectorEnv) makes lanes of
/// any [`Env`](crate::Env); a simulator that steps many environments in one call implements this trait itself.
///
/// ```
/// use tutelage::testing::point_masses;
/// use tutelage::{Batch, Stream, VectorEnv};
///
/// let mut envs = point_masses(3);
/// envs.reset(2, Stream::new(1).rng())?;
/// let position = envs.state(2)[0];
/// envs.step(&[2], &Batch::from_vec(1, vec![-1.0])?)?; // the other lanes rest
/// assert!(envs.state(2)[0] < position + 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait VectorEnv {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Element;

    /// The number of lanes, at least 1.
    fn count(&self) -> usize;

    /// The sizes of the task's spaces.
    fn spaces(&self) -> Spaces;

    /// The box of vector actions.
    fn bounds(&self) -> &Bounds;

    /// The time limit H of an episode.
    fn horizon(&self) -> usize;

    /// Starts an episode in one lane.
    fn reset(&mut self, lane: usize, rng: Rng) -> Result<(), LaneError>;

    /// The current state of a lane.
    fn state(&self, lane: usize) -> &[Self::State];

    /// Steps some lanes: row `i` of `actions`, in the task's units, is for `lanes[i]`. If several fail, the error is that of
    /// the lowest lane.
    fn step(&mut self, lanes: &[usize], actions: &Batch<Self::Action>) -> Result<(), LaneError>;

    /// The result of a lane's last step.
    fn last_step(&self, lane: usize) -> Step;
}
