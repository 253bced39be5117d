//! Small worlds to learn and teach in, each with a scripted expert and a drawing.
//!
//! | world | a state | an action | the expert |
//! | --- | --- | --- | --- |
//! | [`CartPoleEnv`] | place and speed of a cart, angle and speed of its pole | push left or right | balances and returns to the middle |
//! | [`PendulumEnv`] | cosine and sine of an angle, its speed | a torque of at most 2 | pumps energy, then balances |
//! | [`DriveEnv`] | what range sensors on a car see, its speed | steering and throttle | follows the open road |
//! | [`DriveFiveEnv`] | the same | one of five keys | the same, by keys |
//! | [`GridEnv`] | a place in a maze, the walls around it, the goal | a step in one of four directions | takes the shortest way |
//!
//! They are quick, they need no other software, and nothing is hidden: an expert's answer is a function of the state that
//! the learner sees. States are of unit size, rewards are never negative, and every episode starts elsewhere.
//!
//! ```
//! use tutelage::{Env, Stream};
//! use tutelage_worlds::{Draw, PendulumEnv, World};
//!
//! let mut pendulum = PendulumEnv::default();
//! let mut state = [0.0; 3];
//! pendulum.reset(Stream::new(1).rng(), &mut state)?;
//! let step = pendulum.step(&[2.0], &mut state)?;
//! assert!((0.0..=1.0).contains(&step.reward));
//! assert!(!pendulum.picture().marks.is_empty());
//! assert_eq!(PendulumEnv::NAME, "pendulum");
//! # Ok::<(), tutelage::EnvError>(())
//! ```

#![forbid(unsafe_code)]

mod cart_pole;
mod check;
mod clock;
mod drive;
mod grid;
mod pendulum;
#[cfg(test)]
mod play;
mod scripted;
mod world;

pub use cart_pole::{BalancePole, CartPoleEnv, CartPoleParameters};
pub use check::ParameterError;
pub use drive::{DriveEnv, DriveFiveEnv, DriveParameters, FollowRoad, FollowRoadDiscrete, SENSORS};
pub use grid::{GridEnv, GridParameters, ShortestPath};
pub use pendulum::{PendulumEnv, PendulumParameters, SwingUp};
pub use scripted::{ScriptedExpert, ScriptedRule};
pub use world::{Defaults, Draw, World};
