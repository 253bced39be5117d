//! How the run tells the page what it does.

use std::path::PathBuf;
use std::sync::Arc;

use tutelage::Evaluation;
use tutelage_runs::store::{Cut, RoundResult, Seconds, read_times};
use tutelage_runs::{Reporter, Stage};

use super::page_state::{Phase, Shared};

/// A reporter that also writes on the page's page.
pub struct PageObserver<'a> {
    shared: Arc<Shared>,
    inner: &'a mut dyn Reporter,
    folder: PathBuf,
}

impl<'a> PageObserver<'a> {
    pub(crate) fn new(shared: Arc<Shared>, inner: &'a mut dyn Reporter, folder: PathBuf) -> Self {
        Self { shared, inner, folder }
    }

    /// How long a stage took in the last round that is known.
    fn usual(&self, stage: Stage) -> Option<f64> {
        let of = |seconds: &Seconds| match stage {
            Stage::Train => seconds.train,
            Stage::Evaluate => seconds.evaluate,
            Stage::Collect => seconds.collect,
            Stage::Expert | Stage::Annotate => 0.0,
        };
        read_times(&self.folder).last().map(of).filter(|&seconds| seconds > 0.0)
    }
}

impl Reporter for PageObserver<'_> {
    fn stage(&mut self, round: usize, stage: Stage) {
        let takes_over = self.shared.read(|page| page.about.takes_over);
        let phase = match stage {
            Stage::Expert => Phase::Beginning,
            Stage::Collect if takes_over => Phase::Driving,
            Stage::Collect => Phase::Collecting,
            // The person's desk says when it has begun to ask.
            Stage::Annotate => Phase::Collecting,
            Stage::Train => Phase::Training,
            Stage::Evaluate => Phase::Evaluating,
        };
        self.shared.enter(phase, round, self.usual(stage));
        self.inner.stage(round, stage);
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.inner.expert(expert);
    }

    fn round(&mut self, result: &RoundResult, annotations: usize, seconds: &Seconds) {
        let reward = result.deployed.mean_reward();
        self.shared.change(|page| {
            page.curve.push((annotations, reward));
            page.annotations = annotations;
        });
        self.inner.round(result, annotations, seconds);
    }

    fn cut(&mut self, cut: &Cut) {
        self.inner.cut(cut);
    }

    fn wants_stop(&mut self) -> bool {
        self.shared.is_stopping() || self.inner.wants_stop()
    }
}
