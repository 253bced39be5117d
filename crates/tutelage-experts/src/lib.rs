//! Experts: stochastic Gaussian policies, TRPO to train them, files to keep them in, and the four that ship.
//!
//! A [`GaussianExpert`] answers the core loop's questions. It carries the statistics that states are normalised by, and
//! [`GaussianExpert::env`] is its task as it sees it: learners see the same.

#![forbid(unsafe_code)]

mod checkpoint;
mod clock;
mod expert;
mod files;
mod gaussian;
mod shipped;
mod training;
pub mod trpo;

pub use clock::{Clock, Clocked};
pub use expert::{ExpertEnv, GaussianExpert};
pub use files::{Card, FileError, Format, Problem, Score};
pub use gaussian::GaussianPolicy;
pub use training::{Training, TrainingError, Trial};
