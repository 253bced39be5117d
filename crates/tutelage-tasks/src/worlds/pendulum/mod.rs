//! Swing up a pendulum with a weak motor and keep it upright.

mod env;
mod expert;
mod picture;

pub use env::PendulumEnv;
