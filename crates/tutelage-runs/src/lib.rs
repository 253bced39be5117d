//! Durable runs: a lesson with a log, an evaluation after every round, and exact continuation after any interruption.
//!
//! - [`run`]: the core's [`tutelage::Lesson`] with a log: every answer is on disk before it is used.
//! - [`store`]: a run directory with an append-only log, from which everything about a run is derived.
//! - [`Terminal`]: a reporter for programs of one's own.
//! - [`Job::open`] and [`Job::table`]: such a program's folder and its learning curve; `examples/` has three of them.
//!
//! Nothing here prints but [`Terminal`]: what a run does leaves through a [`Reporter`].

#![forbid(unsafe_code)]

mod job;
mod line;
mod memory;
mod reporter;
mod runner;

pub mod store;
mod teacher;
#[cfg(feature = "terminal")]
pub mod terminal;

pub use job::{Job, Keep};
pub use line::{RoundLine, table};
pub use memory::peak_memory;
pub use reporter::{Reporter, Silent, Stage};
pub use runner::{Ending, RunError, run, run_taught};
pub use teacher::{AtOnce, Desk, Teacher};
#[cfg(feature = "terminal")]
pub use terminal::Terminal;
