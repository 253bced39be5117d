//! Time and memory of whole runs.

use tutelage::AlgorithmName;
use tutelage_spec::Task;

use crate::paper::authors_seconds;
use crate::{Archive, ArchiveError, FigurePlan, RunList};

/// The measured time and memory of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCost {
    /// The task.
    pub task: Task,
    /// The algorithm.
    pub algorithm: AlgorithmName,
    /// The number of threads.
    pub threads: usize,
    /// The total seconds.
    pub seconds: f64,
    /// The peak memory of the process in bytes.
    pub memory: Option<u64>,
    /// The seconds that the paper's authors report for this run.
    pub authors_seconds: Option<f64>,
}

impl RunCost {
    /// Formats the seconds, the authors' seconds, how many times faster this run is, and its memory in MB.
    pub fn numbers(&self) -> [String; 4] {
        let memory = self.memory.map(|bytes| bytes as f64 / 1e6);
        let faster = self.authors_seconds.map(|theirs| theirs / self.seconds);
        [Some(self.seconds), self.authors_seconds, faster, memory]
            .map(|value| value.map_or("–".into(), |value| format!("{value:.0}")))
    }
}

/// Returns the costs of the finished timed runs of a figure.
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
