//! Runs by name: tasks, specs, and the exports of runs.
//!
//! - [`Task`]: the registry of tasks with their defaults and experts.
//! - [`spec`]: what a run is.
//! - [`learn_in`]: executes a spec in a directory, or resumes it there.
//! - [`export`]: annotations, policies and learning curves for other programs.
//!
//! The runner and the store are in [`tutelage_runs`], which knows no tasks.

#![forbid(unsafe_code)]

mod curve;
mod expert;
pub mod export;
mod kind;
mod lab;
mod learner;
mod parts;
mod registry;
pub mod spec;

pub use curve::{learning_curve, training_curve};
pub use expert::{PERSON, fingerprint, load_expert};
pub use kind::{Teachers, oracle, same_type, stage, teachers};
pub use lab::{LabError, PreparedRun, Report, learn_in, learn_taught, spec_of};
pub use learner::{Learner, evaluate_expert, evaluate_run, learner_of};
pub use parts::{BoxOracle, PartsError, RunParts, robot_envs};
pub use registry::{BoxEnvs, BoxExpert, Defaults, Task, UnknownTask, ValueNames};
