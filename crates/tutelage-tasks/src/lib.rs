//! Tasks for imitation learning: environments, their experts and their drawings.
//!
//! | module | contents |
//! | --- | --- |
//! | [`bullet`] | Hopper, Walker2D, HalfCheetah and Ant, with the same bits as `pybullet_envs` |
//! | [`worlds`] | cart-pole, pendulum, drive and grid, each with a scripted expert |
//! | [`experts`] | Gaussian network experts for the robots: shipped, imported, or trained with TRPO |

#![forbid(unsafe_code)]

pub mod bullet;
pub mod experts;
pub mod worlds;
