//! Find the way to a goal in a maze.

mod env;
mod expert;
mod maze;
mod picture;

pub use env::GridEnv;
