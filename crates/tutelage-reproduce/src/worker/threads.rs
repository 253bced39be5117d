//! Runs in this process.

use rayon::ThreadPoolBuilder;
use tutelage_runs::Ending;
use tutelage_runs::store::read_times;
use tutelage_spec::learn_in;

use super::{WorkError, WorkOrder, Worker, lab_is_locked, when_unlocked};
use crate::{JobProgress, RunRecord};

/// Executes runs in this process, each on this number of threads.
#[derive(Clone, Copy, Debug)]
pub struct ThreadWorker(pub usize);

impl Worker for ThreadWorker {
    fn execute(
        &self,
        order: &WorkOrder<'_>,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunRecord>, WorkError> {
        let WorkOrder { run, archive, .. } = order;
        let pool = ThreadPoolBuilder::new().num_threads(self.0).build();
        let pool = pool.map_err(|error| WorkError::Lost(error.to_string()))?;
        let (path, spec) = (archive.run_path(run), run.with_absolute_paths(archive.runs()));
        let learn = || pool.install(|| learn_in(&path, &spec, &mut progress.clone()));
        let Some(report) = when_unlocked(progress, lab_is_locked, learn)? else { return Ok(None) };
        Ok(match report.ending {
            Ending::Stopped => None,
            _ => Some(run.record(&report.history, &read_times(&path), self.0)),
        })
    }
}
