//! The laboratory: tasks by name, specs → durable runs → exports and curves.
//!
//! - [`Task`]: the registry of tasks, with their defaults, experts and pictures.
//! - [`spec`]: what a run is, in one TOML form.
//! - [`learn_in`]: carries out a spec in a folder, from wherever it got to.
//! - [`export`]: a run's annotations for other programs.
//!
//! Runs themselves, their store and statistics are in [`tutelage_runs`], which knows nothing of these tasks.

#![forbid(unsafe_code)]

mod cast;
mod curve;
pub mod export;
mod kind;
mod lab;
mod noise;
mod person;
mod registry;
pub mod spec;

pub use cast::{BoxOracle, Cast, CastError, fingerprint, load_expert, robot_envs};
pub use curve::{learning_curve, training_curve};
pub use kind::{Teachers, oracle, stage, teachers};
pub use lab::{
    LabError, Learner, Report, check_cast, evaluate_expert, evaluate_run, learn_in, learn_taught,
    learner_of, round_sizes, spec_of,
};
pub use person::PERSON;
pub use registry::{BoxEnvs, BoxExpert, Defaults, Task, UnknownTask, Words};
