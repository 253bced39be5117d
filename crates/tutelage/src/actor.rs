//! Who acts in the environments: a policy, an expert, or both in turns.

mod deployed_policy;
mod expert_actor;
pub(crate) mod rollout;

pub use deployed_policy::DeployedPolicy;
pub use expert_actor::ExpertActor;
pub use rollout::{RolloutError, Steps};

use std::ops::Range;

use crate::{Batch, Rng, Stream};

/// Chooses actions in several lanes at once. Vectors lie in [-1, 1]ⁿ.
///
/// Row i belongs to `lanes[i]` and draws from `rngs[i]` only, so lanes do not affect each other.
///
/// ```
/// use tutelage::actor::{Actor, RolloutError};
/// use tutelage::{Batch, Rng};
///
/// /// Always pushes to the right.
/// struct Push;
///
/// impl Actor<f32, f32> for Push {
///     fn act(&mut self, _: &[usize], _: &Batch<f32>, _: &mut [Rng], actions: &mut Batch<f32>) -> Result<(), RolloutError> {
///         actions.as_mut_slice().fill(1.0);
///         Ok(())
///     }
/// }
/// ```
pub trait Actor<S, A> {
    /// Starts an episode in a lane.
    fn begin(&mut self, _lane: usize, _episode: Stream) {}

    /// Acts in every state.
    fn act(
        &mut self,
        lanes: &[usize],
        states: &Batch<S>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), RolloutError>;

    /// Whether the expert chose the last action in this lane.
    fn expert_drove(&self, _lane: usize) -> bool {
        false
    }

    /// The time steps of this lane's episode that matter; the rollout may stop after them.
    fn window(&self, _lane: usize) -> Range<usize> {
        0..usize::MAX
    }
}
