//! The four Bullet locomotion tasks, to the same bits as `pybullet_envs`.
//!
//! ```
//! use tutelage::{Env, Stream};
//! use tutelage_envs::{Locomotion, Robot};
//!
//! let mut env = Locomotion::new(Robot::Hopper)?;
//! let mut state = [0.0; 15];
//! env.reset(Stream::new(1).rng(), &mut state)?;
//! let step = env.step(&[0.5, -0.5, 0.0], &mut state)?;
//! assert!(!step.is_last());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod locomotion;
mod mechanism;
mod model;
mod normalize;
mod observation;
mod observe;
mod replay;
mod robot;
mod robots;
mod snapshot;
mod task;
mod time_feature;
mod vec_env;

pub use locomotion::{Locomotion, POSE_RANGE};
pub use mechanism::{Mechanism, Motor};
pub use normalize::{Normalized, Normalizer, NormalizerError};
pub use observation::{ObservationConfig, ObservedEnv};
pub use replay::{Replay, ReplayError, replay};
pub use robot::{HORIZON, Robot, UnknownRobot};
pub use snapshot::Snapshot;
pub use time_feature::{TimeAware, TimeFeature};
pub use vec_env::LocomotionVecEnv;

/// Whose sine and cosine this process computes with, as a word: states have the same bits where it
/// is the same.
///
/// ```
/// assert!(!tutelage_envs::trigonometry().is_empty()); // "glibc-fma" on a common server
/// ```
pub fn trigonometry() -> String {
    articulated::Trigonometry::of_this_platform().to_string()
}
