//! A safe wrapper over the articulated bodies of the Bullet physics engine.
//!
//! A [`World`] is one tree of links above a floor, stepped with Bullet's articulated-body and contact algorithms to the same bits as
//! Bullet's own physics server. Worlds share nothing: make one per environment and send them to any thread.

mod body;
mod error;
mod ffi;
mod world;

pub use body::{Articulation, Base, Geometry, Joint, Link, LinkId, Settings, Shape};
pub use error::Error;
pub use world::{JointState, Snapshot, World};
