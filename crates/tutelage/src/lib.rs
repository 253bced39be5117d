//! Interactive imitation learning: one loop, four choices.
//!
//! A learner acts, an expert labels the states that the learner reached, and an oracle trains a policy on the labels.
//! Every algorithm of *Agnostic Interactive Imitation Learning: New Theory and Practical Algorithms* (Li & Zhang, ICML
//! 2024), and several others, are a [`Lesson`] with four choices filled in:
//!
//! 1. who acts while states are collected ([`choice::Drive`]),
//! 2. which of these states the expert labels ([`choice::Ask`]),
//! 3. what each member of the ensemble trains on ([`choice::TrainOn`]),
//! 4. which policy is returned ([`choice::Deploy`]).
//!
//! An [`Algorithm`] is a plain value of these choices; [`algorithm::FAMILIES`] lists the named ones.
//!
//! [`learn`] runs an algorithm with an [`Expert`] that answers at once. If answers arrive later or from another process,
//! drive a [`Lesson`] yourself.
//!
//! States and actions are indices (`u32`, 0–1 loss) or real vectors (`f32`, clipped squared loss), in any combination.
//! They travel in batches of rows ([`Batch`]). This crate does no I/O.

#![forbid(unsafe_code)]

pub mod actor;
pub mod algorithm;
mod boxed;
pub mod check;
pub mod choice;
pub mod cover;
pub mod data;
pub mod env;
pub mod evaluation;
pub mod expert;
pub mod lesson;
pub mod oracle;
pub mod policy;
pub mod space;
pub mod stream;
#[doc(hidden)]
pub mod suggest;
pub mod testing;

pub use algorithm::{Algorithm, AlgorithmName, Schedule};
pub use choice::Sampling;
pub use data::{Batch, Dataset};
pub use env::{Env, EnvError, Step, SyncVectorEnv, VectorEnv};
pub use expert::{Expert, ExpertError};
pub use lesson::{Inputs, Lesson, Participants, learn};
pub use oracle::{Oracle, OracleError};
pub use policy::{Policy, PolicyError};
/// The traits of random generators, for environments and experts that draw: `use tutelage::rand::RngExt`.
pub use rand;
pub use space::{ActionSpace, Bounds, Element, SpaceKind, Spaces};
pub use stream::{Rng, Stream};
