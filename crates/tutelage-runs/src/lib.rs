//! Durable runs: a lesson with a log, an evaluation after every round, and exact continuation after any interruption.
//!
//! - [`run`]: the core's [`tutelage::Lesson`] with a log: every answer is on disk before it is used.
//! - [`store`]: a run directory with an append-only log, from which everything about a run is derived.
//! - [`Terminal`]: a observer for programs of one's own.
//! - [`RunConfig::open`] and [`RunConfig::table`]: such a program's folder and its learning curve; `examples/` has three of them.
//!
//! Nothing here prints but [`Terminal`]: what a run does leaves through a [`Observer`].

#![forbid(unsafe_code)]

mod line;
mod memory;
mod observer;
mod run_config;
mod runner;

pub mod store;
mod teacher;
#[cfg(feature = "terminal")]
pub mod terminal;

pub use line::{RoundLine, table};
pub use memory::peak_memory;
pub use observer::{Observer, Silent, Stage};
pub use run_config::{Keep, RunConfig};
pub use runner::{Ending, RunError, run, run_with_teacher};
pub use teacher::{Immediate, LabelSink, Teacher};
#[cfg(feature = "terminal")]
pub use terminal::Terminal;
