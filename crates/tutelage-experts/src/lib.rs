//! Experts: stochastic Gaussian policies, TRPO to train them, files to keep them in.

mod gaussian;
pub mod trpo;

pub use gaussian::GaussianPolicy;
