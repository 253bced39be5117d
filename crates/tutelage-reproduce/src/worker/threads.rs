//! A run in this process.

use rayon::ThreadPoolBuilder;
use tutelage_lab::learn_in;
use tutelage_runs::store::{RoundResult, Seconds, read_times};
use tutelage_runs::{Ending, Reporter};

use super::{Listener, Order, WorkError, Worker, in_turn, lab_is_locked};
use crate::RunRecord;

/// Carries out runs in this process, on so many threads each.
#[derive(Clone, Copy, Debug)]
pub struct OnThreads(pub usize);

impl Worker for OnThreads {
    fn carry_out(
        &self,
        order: &Order<'_>,
        listener: &dyn Listener,
    ) -> Result<Option<RunRecord>, WorkError> {
        let Order { run, archive, .. } = order;
        let pool = ThreadPoolBuilder::new().num_threads(self.0).build();
        let pool = pool.map_err(|error| WorkError::Lost(error.to_string()))?;
        let (path, spec) = (archive.run_path(run), run.located(archive.runs()));
        let learn = || pool.install(|| learn_in(&path, &spec, &mut Relay(listener)));
        let Some(report) = in_turn(listener, lab_is_locked, learn)? else { return Ok(None) };
        Ok(match report.ending {
            Ending::Stopped => None,
            _ => Some(run.record(&report.history, &read_times(&path), self.0)),
        })
    }
}

/// Tells the listener what a run tells.
struct Relay<'a>(&'a dyn Listener);

impl Reporter for Relay<'_> {
    fn round(&mut self, result: &RoundResult, _: usize, _: &Seconds) {
        self.0.round(result.round);
    }

    fn wants_stop(&mut self) -> bool {
        self.0.wants_stop()
    }
}
