//! The four Bullet locomotion tasks, to the same bits as `pybullet_envs`.

mod error;
mod locomotion;
mod model;
mod observe;
mod robots;
mod task;

pub use error::TaskError;
pub use locomotion::{Locomotion, Outcome, POSE_RANGE};
pub use task::{HORIZON, Task, UnknownTask};
