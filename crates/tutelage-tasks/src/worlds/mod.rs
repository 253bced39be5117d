//! Small environments to learn and teach in, each with a scripted expert and a drawing.
//!
//! | environment | state | action | expert |
//! | --- | --- | --- | --- |
//! | [`CartPoleEnv`] | position and velocity of a cart, angle and angular velocity of its pole | push left or right | balances and returns to the center |
//! | [`PendulumEnv`] | cosine and sine of an angle, angular velocity | a torque of at most 2 | pumps energy, then balances |
//! | [`DriveEnv`] | distances seen by range sensors, speed | steering and throttle | follows the open road |
//! | [`DriveFiveEnv`] | the same | one of five actions | the same, with five actions |
//! | [`GridEnv`] | position in a maze, walls around it, side of the goal | a step in one of four directions | takes the shortest path |
//!
//! They are fast and need no other software. The expert's label is a function of the state that the
//! learner sees. States are of order 1, rewards are never negative, and initial states are random.
//!
//! ```
//! use tutelage::{Env, Stream};
//! use tutelage_draw::render::{Drawing, Render};
//! use tutelage_tasks::worlds::PendulumEnv;
//!
//! let mut pendulum = PendulumEnv::default();
//! let mut state = [0.0; 3];
//! pendulum.reset(Stream::new(1).rng(), &mut state)?;
//! let step = pendulum.step(&[2.0], &mut state)?;
//! assert!((0.0..=1.0).contains(&step.reward));
//! assert!(matches!(pendulum.render(), Drawing::Picture(_)));
//! # Ok::<(), tutelage::EnvError>(())
//! ```

mod cart_pole;
mod clock;
mod drive;
mod grid;
mod pendulum;
#[cfg(test)]
mod play;
mod world;

pub use cart_pole::CartPoleEnv;
pub use drive::{DriveEnv, DriveFiveEnv};
pub use grid::GridEnv;
pub use pendulum::PendulumEnv;
pub use world::{ScriptedExpert, World};
