//! The task of these tests: steer a point mass, with a noisy expert and a linear ensemble.

#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod attempts;
pub(crate) mod failing;

use tutelage::testing::{Damper, PointMass, point_masses};
use tutelage::{Schedule, Spaces, Stream, SyncVectorEnv};

pub(crate) const SPACES: Spaces = Spaces { states: 2, actions: 1 };

/// An expert that labels at most `batch` states at once.
pub(crate) fn damper(batch: usize) -> Damper {
    Damper { batch, ..Damper::default() }
}

pub(crate) fn lanes() -> SyncVectorEnv<PointMass> {
    point_masses(4)
}

pub(crate) fn schedule(seed: u64) -> Schedule {
    Schedule { rounds: 4, states_per_round: 6, stream: Stream::new(seed) }
}
