//! Articulated bodies above a floor, with the physics of Bullet 3, to the same bits.
//!
//! A [`World`] is one multibody of links above the plane z = 0, in one or several lanes that are stepped with the same instructions. Its
//! algorithms, constants and order of operations are those of the Bullet physics library (Erwin Coumans and others, zlib licence,
//! <https://github.com/bulletphysics/bullet3>): `btMultiBody`, `btPersistentManifold`, `btMultiBodyConstraintSolver` and the shapes that
//! they work on. This is another program, written from those algorithms for one body and one floor; do not take its faults for Bullet's.

mod algebra;
mod body;
mod check;
mod contact;
mod damping;
mod dynamics;
mod error;
mod instructions;
mod lane_group;
mod limit;
mod manifold;
mod multibody;
mod plane;
mod response;
mod rotation;
mod row;
mod shape;
mod simd;
mod solver;
mod sort;
mod space;
mod state;
mod trigonometry;
mod vector;
mod world;

pub use body::{Articulation, Base, CollisionShape, Geometry, Joint, Link, LinkId, WorldSettings};
pub use error::Error;
pub use instructions::InstructionSet;
pub use trigonometry::Trigonometry;
pub use world::{JointState, LaneSnapshot, LinkMotion, World};
