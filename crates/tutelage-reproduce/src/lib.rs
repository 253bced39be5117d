//! Reproduces every figure of the paper.
//!
//! - [`Experiment`]: what a figure compares, one file per figure in `experiments/*.toml`.
//! - [`FigurePlan`]: the panels, curves and runs of a figure; [`RunList`]: the runs of all figures, each once.
//! - [`Archive`]: records of finished runs, and run folders.
//! - [`execute`]: distributes missing runs over [`Worker`]s. It schedules any [`JobSet`].
//! - [`draw`]: draws a figure from records; [`report`]: fills tables into Markdown pages.

#![forbid(unsafe_code)]

mod archive;
mod claims;
mod comparison;
pub mod draw;
mod error;
mod estimate;
mod experiment;
mod experiment_file;
mod figure_plan;
mod figure_runs;
mod paper;
mod profile;
mod record;
pub mod report;
mod run_cost;
mod run_list;
mod scheduler;
mod seeds;
mod selection;
#[cfg(test)]
mod testbed;
pub mod theory;
mod tsne;
mod worker;

pub use archive::{Archive, ArchiveError};
pub use comparison::compare;
pub use error::ReproduceError;
pub use estimate::Estimator;
pub use experiment::{
    CurveSpec, Experiment, ExperimentError, ExperimentFault, FigureKind, PanelRow, PerturbFrom,
    PlottedValue,
};
pub use figure_plan::{CurvePlan, FigurePlan, PanelPlan};
pub use figure_runs::FigureRuns;
pub use paper::{authors_seconds, task_name};
pub use profile::Profile;
pub use run_cost::{RunCost, run_costs};
pub use run_list::{PlanError, PlannedRun, RunList};
pub use scheduler::{
    FailedJobs, Job, JobObserver, JobProgress, JobSet, NoObserver, RunOutcome, ScheduleOutcome,
    Workers, execute,
};
pub use seeds::{BadSeeds, parse_seeds};
pub use selection::Selection;
pub use tutelage_compare::RunRecord;
pub use worker::{
    Executor, ProcessWorker, RUN_FILES, RemoteTask, RemoteWorker, TaskEvent, TaskResult,
    ThreadWorker, WorkError, WorkOrder, Worker, execute_remote, send_and_wait, serve,
};

/// Describes the arithmetic of this machine. Runs are bit-identical on machines with the same description.
pub fn arithmetic() -> String {
    format!(
        "{}, {}",
        tutelage_net::Isa::detect().rounding(),
        tutelage_tasks::bullet::trigonometry()
    )
}
