//! Experts for the robots: stochastic Gaussian policies, TRPO to train them, and their files.
//!
//! A [`GaussianExpert`] labels states for the core loop. It includes its normalization of the task's
//! states ([`GaussianExpert::observation`]), and learners see the same normalized states
//! ([`crate::bullet::Robot::env`]).
//!
//! ```
//! use tutelage::choice::ExpertActs;
//! use tutelage_tasks::bullet::Robot;
//! use tutelage_tasks::experts::GaussianExpert;
//!
//! let expert = GaussianExpert::shipped(Robot::Hopper)?;
//! let evaluation = expert.play(ExpertActs::Mean, 1, 7)?;
//! assert!(evaluation.mean_reward() > 500.0);
//! assert_eq!(expert.card().scores[0].act, "mean");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod expert;
mod files;
mod gaussian;
mod shipped;
mod training;
pub mod trpo;

pub use crate::bullet::TimeFeature;
pub use expert::GaussianExpert;
pub use files::{Card, ContentError, FileError, Score, WRITABLE_EXTENSIONS};
pub use gaussian::GaussianPolicy;
pub use shipped::{SHIPPED, Shipped};
pub use training::{JUDGED_BY, Training, TrainingError, Trial};
