//! Every figure of the paper from one command.
//!
//! - [`Experiment`]: one file per figure, `experiments/*.toml`, says what is compared on what.
//! - [`Plan`]: the runs behind a figure, each once, those first whose data others need.
//! - [`Archive`]: what is finished: a small record of every run, and the run directories themselves.
//! - [`conduct`]: carries out what is missing, on all cores, until it is done or told to stop.
//! - [`draw`]: the figure, from the records.

#![forbid(unsafe_code)]

mod archive;
mod conduct;
mod cost;
pub mod draw;
mod estimate;
mod experiment;
mod gather;
mod paper;
mod plan;
mod profile;
mod record;
mod seeds;
mod summary;
pub mod theory;

pub use archive::{Archive, ArchiveError};
pub use conduct::{ConductError, Conducted, Launch, Watcher, conduct};
pub use cost::{Cost, costs};
pub use estimate::Estimator;
pub use experiment::{Draw, Experiment, ExperimentError, PerturbFrom, Row, Series, Show};
pub use gather::GatherError;
pub use paper::{authors_seconds, task_name};
pub use plan::{Plan, PlanError, Run, Selection};
pub use profile::Profile;
pub use record::Record;
pub use seeds::{BadSeeds, parse_seeds};
pub use summary::{Summary, summarise};
