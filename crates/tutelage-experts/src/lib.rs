//! Experts: stochastic Gaussian policies, TRPO to train them, files to keep them in, and those that
//! ship.
//!
//! A [`GaussianExpert`] answers the core loop's questions. It carries its view of the task's states
//! ([`GaussianExpert::observation`]), and learners see the task as it does
//! ([`tutelage_envs::Robot::env`]).

#![forbid(unsafe_code)]

mod checkpoint;
mod expert;
mod files;
mod gaussian;
mod shipped;
mod training;
pub mod trpo;

pub use expert::GaussianExpert;
pub use files::{Card, FileError, Format, Problem, Score};
pub use gaussian::GaussianPolicy;
pub use shipped::{SHIPPED, Shipped};
pub use training::{JUDGED_BY, Training, TrainingError, Trial};
pub use tutelage_envs::TimeFeature;
