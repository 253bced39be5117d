//! Balance a pole on a cart by pushing left or right.

mod env;
mod expert;
mod picture;

pub use env::CartPoleEnv;
