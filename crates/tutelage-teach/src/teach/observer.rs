//! Shows the progress of a run on the page.

use std::path::PathBuf;
use std::sync::Arc;

use tutelage::evaluation::Evaluation;
use tutelage_runs::store::{RoundTimings, TruncatedTail, read_times};
use tutelage_runs::{Observer, RoundLine, Stage};

use super::page_state::{Phase, Shared};

/// Updates the page and forwards to another observer.
pub struct PageObserver<'a> {
    shared: Arc<Shared>,
    inner: &'a mut dyn Observer,
    folder: PathBuf,
}

impl<'a> PageObserver<'a> {
    pub(crate) fn new(shared: Arc<Shared>, inner: &'a mut dyn Observer, folder: PathBuf) -> Self {
        Self { shared, inner, folder }
    }

    /// Seconds that a stage took in the last recorded round.
    fn usual(&self, stage: Stage) -> Option<f64> {
        let of = |seconds: &RoundTimings| match stage {
            Stage::Train => seconds.train,
            Stage::Evaluate => seconds.evaluate,
            Stage::Collect => seconds.collect,
            Stage::Expert | Stage::Annotate => 0.0,
        };
        read_times(&self.folder).last().map(of).filter(|&seconds| seconds > 0.0)
    }
}

impl Observer for PageObserver<'_> {
    fn stage(&mut self, round: usize, stage: Stage) {
        let takes_over = self.shared.read(|page| page.about.takes_over);
        let phase = match stage {
            Stage::Expert => Phase::Beginning,
            Stage::Collect if takes_over => Phase::Driving,
            // `Person` enters `Phase::Asking` when it is ready for replies.
            Stage::Collect | Stage::Annotate => Phase::Collecting,
            Stage::Train => Phase::Training,
            Stage::Evaluate => Phase::Evaluating,
        };
        self.shared.enter(phase, round, self.usual(stage));
        self.inner.stage(round, stage);
    }

    fn started(&mut self, expert: Option<&Evaluation>, finished: &[RoundLine]) {
        self.shared.change(|page| finished.iter().for_each(|line| page.add(line)));
        self.inner.started(expert, finished);
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.inner.expert(expert);
    }

    fn round(&mut self, line: &RoundLine) {
        self.shared.change(|page| page.add(line));
        self.inner.round(line);
    }

    fn truncated(&mut self, tail: &TruncatedTail) {
        self.inner.truncated(tail);
    }

    fn wants_stop(&mut self) -> bool {
        self.shared.is_stopping() || self.inner.wants_stop()
    }
}
