//! Every figure of the paper from one command.
//!
//! - [`Experiment`]: one file per figure, `experiments/*.toml`, says what is compared on what.
//! - [`Sheet`]: a figure laid out: panels, curves, and the runs behind them; [`RunList`]: all runs, each once.
//! - [`Archive`]: what is finished: a small record of every run, and the run directories themselves.
//! - [`carry_out`]: hands what is missing to [`Worker`]s until it is done or told to stop.
//! - [`draw`]: the figure, from the records; [`report`]: tables of numbers, from the same.

#![forbid(unsafe_code)]

mod archive;
mod asked;
pub mod claims;
mod comparison;
mod cost;
mod decision;
pub mod draw;
mod estimate;
mod experiment;
mod figure_runs;
mod form;
mod paper;
mod profile;
mod record;
pub mod report;
mod run_list;
mod savings;
mod scheduler;
mod seeds;
mod selection;
mod sheet;
#[cfg(test)]
mod testbed;
pub mod theory;
mod tsne;
mod worker;

pub use archive::{Archive, ArchiveError};
pub use comparison::{ComparisonError, compare};
pub use cost::{Cost, costs};
pub use decision::{AT_MOST, Decision};
pub use estimate::Estimator;
pub use experiment::{Draw, Experiment, ExperimentError, PerturbFrom, Row, Series, Show};
pub use figure_runs::FigureRuns;
pub use paper::{authors_seconds, task_name};
pub use profile::Profile;
pub use report::ReportError;
pub use run_list::{PlanError, PlanFault, PlannedRun, RunList};
pub use savings::Saving;
pub use scheduler::{Agenda, CameTo, Crew, Failed, Item, Outcome, Watcher, carry_out};
pub use seeds::{BadSeeds, parse_seeds};
pub use selection::Selection;
pub use sheet::{Sheet, SheetCurve, SheetPanel};
pub use tutelage_compare::RunRecord;
pub use worker::{
    ChildProcess, Courier, Delivery, Elsewhere, FILES, Listener, Logs, News, OnThreads, Order,
    Parcel, WorkError, Worker, carry_out_elsewhere, send_and_wait, serve,
};

/// The arithmetic of this machine, in words: runs are equal to the bit on machines where it is the same.
pub fn arithmetic() -> String {
    format!("{}, {}", tutelage_net::Isa::detect().rounding(), tutelage_envs::trigonometry())
}
