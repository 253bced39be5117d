//! The four Bullet locomotion tasks, bit-identical to `pybullet_envs`.
//!
//! ```
//! use tutelage::{Env, Stream};
//! use tutelage_tasks::bullet::{Locomotion, Robot};
//!
//! let mut env = Locomotion::new(Robot::Hopper)?;
//! let mut state = [0.0; 15];
//! env.reset(Stream::new(1).rng(), &mut state)?;
//! let step = env.step(&[0.5, -0.5, 0.0], &mut state)?;
//! assert!(!step.is_last());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod locomotion;
mod mechanism;
mod model;
mod normalize;
mod observation;
mod observe;
mod render;
mod replay;
mod robot;
mod robots;
mod task;
mod vec_env;

pub use locomotion::{Locomotion, POSE_RANGE};
pub use mechanism::{Mechanism, Motor};
pub use normalize::{Normalizer, NormalizerError};
pub use observation::{ObservationConfig, ObservedEnv, TimeFeature};
pub use replay::{Replay, ReplayError, replay};
pub use robot::{HORIZON, Robot, UnknownRobot};
pub use vec_env::LocomotionVecEnv;

/// Returns the name of the sine and cosine that this process uses. Equal names give bit-identical states.
///
/// ```
/// assert!(!tutelage_tasks::bullet::trigonometry().is_empty()); // "glibc-fma" on a common server
/// ```
pub fn trigonometry() -> String {
    articulated::Trigonometry::of_this_platform().to_string()
}
