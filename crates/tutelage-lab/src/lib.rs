//! The laboratory: specs → durable runs → statistics → figures.
//!
//! - [`spec`]: what a run is, in one TOML form.
//! - [`store`]: a run directory with an append-only log, from which everything about a run is derived.
//! - [`run()`]: the core's loop with that log, an evaluation after every round, and exact continuation after a crash.
//! - [`stats`]: curves over seeds with bootstrap bands.
//!
//! Nothing here prints: what a run does leaves through a [`Reporter`].

mod bench;
mod curve;
mod durable;
pub mod export;
mod lab;
mod line;
mod memory;
mod report;
mod run;
pub mod spec;
pub mod stats;
pub mod store;

pub use bench::{Bench, BenchError, ClassOracle, fingerprint, lanes, load_expert};
pub use curve::learning_curve;
pub use durable::{Durable, LoadError, PolicyError, load_policy};
pub use lab::{
    LabError, Pupil, Report, annotated_rounds, evaluate_run, learn_in, pupil_of, spec_of,
};
pub use line::RoundLine;
pub use memory::peak_memory;
pub use report::{Reporter, Silent, Stage};
pub use run::{Ending, Job, Keep, RunError, run};
