//! The four Bullet locomotion tasks, to the same bits as `pybullet_envs`.
//!
//! ```
//! use tutelage::{Env, Stream};
//! use tutelage_envs::{Locomotion, Task};
//!
//! let mut env = Locomotion::new(Task::Hopper)?;
//! let mut state = [0.0; 15];
//! env.reset(Stream::new(1).rng(), &mut state)?;
//! let step = env.step(&[0.5, -0.5, 0.0], &mut state)?;
//! assert!(!step.is_last());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod clock;
mod herd;
mod locomotion;
mod mechanism;
mod model;
mod normalise;
mod observe;
mod replay;
mod robot;
mod robots;
mod scene;
mod task;
mod view;

pub use clock::{Clock, Clocked};
pub use herd::Herd;
pub use locomotion::{Locomotion, POSE_RANGE};
pub use mechanism::{Mechanism, Motor};
pub use model::Colour;
pub use normalise::{Normalised, Normaliser, NormaliserError};
pub use replay::{Replay, ReplayError, replay};
pub use scene::{Body, Form, Pose, Sight};
pub use task::{HORIZON, Task, UnknownTask};
pub use view::{View, ViewedEnv};

/// Whose sine and cosine this process computes with, as a word: states have the same bits where it is the same.
///
/// ```
/// assert!(!tutelage_envs::trigonometry().is_empty()); // "glibc-fma" on a common server
/// ```
pub fn trigonometry() -> String {
    articulated::Trigonometry::of_this_platform().to_string()
}
