//! Articulated bodies above a floor, with bit-identical results to Bullet 3.
//!
//! A [`World`] simulates one multibody above the plane z = 0. It has one or several lanes, which
//! are independent copies of the body that share each vector instruction.
//!
//! The algorithms, constants and order of operations are those of the Bullet physics library (Erwin
//! Coumans and others, zlib license, <https://github.com/bulletphysics/bullet3>). Each function
//! names the Bullet function that it mirrors. Floating-point addition is not associative, so a
//! comment marks each place at which another order of operations would change the last bit.
//! This is an independent implementation for one body and one floor: do not attribute its errors
//! to Bullet.
//!
//! ```
//! use articulated::{
//!     Articulation, Base, CollisionShape, Geometry, LinkId, World, WorldSettings,
//! };
//!
//! let settings = WorldSettings {
//!     gravity: -9.8,
//!     time_step: 0.01,
//!     substeps: 4,
//!     iterations: 20,
//!     contact_erp: 0.2,
//!     floor_friction: 0.8,
//! };
//! let ball = CollisionShape {
//!     geometry: Geometry::Sphere { radius: 0.1 },
//!     position: [0.0; 3],
//!     rotation: [0.0, 0.0, 0.0, 1.0],
//! };
//! let base = Base { position: [0.0, 0.0, 1.0], mass: 2.0, friction: 0.5, shapes: vec![ball] };
//! let mut world = World::new(&settings, &Articulation { base, links: Vec::new() })?;
//! for _ in 0..200 {
//!     world.step(1); // bit 0: step lane 0
//! }
//! assert!((world.position(0, LinkId::Base)[2] - 0.1).abs() < 1e-3, "the ball lies on the floor");
//! # Ok::<(), articulated::Error>(())
//! ```

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
