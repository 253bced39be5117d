//! Those who act: a policy, an expert, or both by turns.

mod deployed_policy;
mod expert_actor;
pub(crate) mod rollout;

pub use deployed_policy::DeployedPolicy;
pub use expert_actor::ExpertActor;
pub use rollout::{RolloutError, Steps};

use std::ops::Range;

use crate::{Batch, Rng, Stream};

/// Somebody who acts in several lanes at once, in [-1, 1]ⁿ where actions are vectors.
///
/// Row i belongs to `lanes[i]` and draws from `rngs[i]` alone, so what happens in a lane does not depend on the others.
///
/// ```
/// use tutelage::{Batch, Rng};
/// use tutelage::actor::{Actor, RolloutError};
///
/// /// Always pushes to the right.
/// struct Rightwards;
///
/// impl Actor<f32, f32> for Rightwards {
///     fn act(&mut self, _: &[usize], _: &Batch<f32>, _: &mut [Rng], actions: &mut Batch<f32>) -> Result<(), RolloutError> {
///         actions.as_mut_slice().fill(1.0);
///         Ok(())
///     }
/// }
///
/// let mut actions = Batch::zeros(2, 1);
/// Rightwards.act(&[0, 1], &Batch::zeros(2, 3), &mut [], &mut actions)?;
/// assert_eq!(actions.as_slice(), [1.0, 1.0]);
/// # Ok::<(), RolloutError>(())
/// ```
pub trait Actor<S, A> {
    /// A lane begins this episode: whatever was remembered of its last one is over.
    fn begin(&mut self, lane: usize, episode: Stream) {
        let _ = (lane, episode);
    }

    /// Acts in every state.
    fn act(
        &mut self,
        lanes: &[usize],
        states: &Batch<S>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), RolloutError>;

    /// Whether the expert chose what this lane did last.
    fn expert_drove(&self, lane: usize) -> bool {
        let _ = lane;
        false
    }

    /// The times of a lane's episode that it is played for. Nobody needs it to go on after them.
    fn window(&self, lane: usize) -> Range<usize> {
        let _ = lane;
        0..usize::MAX
    }
}
