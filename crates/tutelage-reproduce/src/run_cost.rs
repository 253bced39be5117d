//! What whole runs took.

use tutelage::AlgorithmName;
use tutelage_lab::Task;

use crate::paper::authors_seconds;
use crate::{Archive, ArchiveError, FigurePlan, RunList};

/// What one run took on the clock, from its first round to its last.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCost {
    /// The task.
    pub task: Task,
    /// The algorithm.
    pub algorithm: AlgorithmName,
    /// Threads that it ran on.
    pub threads: usize,
    /// Seconds in all.
    pub seconds: f64,
    /// The most memory that the process had, in bytes.
    pub memory: Option<u64>,
    /// Seconds that the paper's authors report for such a run, where they do.
    pub authors_seconds: Option<f64>,
}

/// The timed runs of a figure that are finished.
pub fn run_costs(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Vec<RunCost>, ArchiveError> {
    let mut costs = Vec::new();
    for run in plan.runs() {
        let run = &runs[run];
        if let Some(record) = archive.record(run)? {
            let (task, algorithm) = (run.spec.task, run.spec.algorithm);
            costs.push(RunCost {
                task,
                algorithm,
                threads: record.threads,
                seconds: record.seconds(),
                memory: record.memory,
                authors_seconds: authors_seconds(plan.profile, task, &algorithm),
            });
        }
    }
    Ok(costs)
}
