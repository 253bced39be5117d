//! Durable runs: a lesson with a log, an evaluation after every round, and exact continuation after any interruption.
//!
//! - [`run`] drives the core's [`tutelage::Lesson`] and logs every label before it is used.
//! - [`store`] reads and writes run directories. Everything about a run derives from its append-only log.
//! - [`Observer`] receives progress events. [`Terminal`] prints them; nothing else here prints.
//! - [`RunConfig::open`] and [`RunConfig::table`] give a custom program a run directory and a learning curve; see `examples/`.

#![forbid(unsafe_code)]

mod error_text;
mod line;
mod memory;
mod observer;
mod run_config;
mod runner;
mod spec_text;

pub mod store;
mod teacher;
#[cfg(feature = "terminal")]
pub mod terminal;

pub use error_text::error_text;
pub use line::{RoundLine, table};
pub use memory::peak_memory;
pub use observer::{Observer, Silent, Stage};
pub use run_config::{Keep, RunConfig};
pub use runner::{Ending, RunError, run, run_with_teacher};
pub use spec_text::ChoiceTexts;
pub use teacher::{Immediate, LabelSink, Teacher};
#[cfg(feature = "terminal")]
pub use terminal::Terminal;
