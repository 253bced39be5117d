//! The runs behind figures, as the scheduler sees them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::scheduler::{Agenda, CameTo, Item};
use crate::worker::{Listener, Order, WorkError, Worker};
use crate::{Archive, Estimator, RunList, RunRecord};

/// The runs of a list, whose records are kept in an archive.
///
/// Every run has its own directory and continues where an earlier process left it; its record is written when it is finished,
/// and compared with what came out where it is played again.
pub struct FigureRuns<'a> {
    list: &'a RunList,
    archive: &'a Archive,
    /// The first run of each run's kind: what one takes, all take.
    alike: Vec<usize>,
    expected: Mutex<Expected>,
}

struct Expected {
    estimator: Estimator,
    /// Core-seconds of each kind, by its first run.
    of_kind: HashMap<usize, f64>,
}

impl<'a> FigureRuns<'a> {
    /// The runs of this list.
    pub fn new(list: &'a RunList, archive: &'a Archive) -> Self {
        archive.sweep(list);
        let estimator = Estimator::new(list, archive);
        let (mut first, mut of_kind) = (HashMap::new(), HashMap::new());
        let alike = list.runs().iter().enumerate().map(|(index, run)| {
            let kind = *first.entry(Estimator::kind(run)).or_insert(index);
            of_kind.entry(kind).or_insert_with(|| estimator.core_seconds(run));
            kind
        });
        let alike = alike.collect();
        Self { list, archive, alike, expected: Mutex::new(Expected { estimator, of_kind }) }
    }

    fn expected(&self) -> MutexGuard<'_, Expected> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, run: usize, record: &RunRecord) {
        let mut expected = self.expected();
        expected.estimator.finished(&self.list[run], record.core_seconds());
        let seconds = expected.estimator.core_seconds(&self.list[run]);
        expected.of_kind.insert(self.alike[run], seconds);
    }
}

impl<'a> Agenda for FigureRuns<'a> {
    type Worker = dyn Worker + 'a;

    fn count(&self) -> usize {
        self.list.runs().len()
    }

    fn item(&self, run: usize) -> Item<'_> {
        let run = &self.list[run];
        Item { name: &run.name, rounds: run.spec.rounds, needs: &run.needs, timed: run.timed }
    }

    fn alike(&self, run: usize) -> usize {
        self.alike[run]
    }

    fn core_seconds(&self, run: usize) -> f64 {
        self.expected().of_kind.get(&self.alike[run]).copied().unwrap_or(0.0)
    }

    fn pace(&self) -> f64 {
        self.expected().estimator.pace()
    }

    fn hand_over(
        &self,
        run: usize,
        is_needed: bool,
        worker: &Self::Worker,
        listener: &dyn Listener,
    ) -> Result<Option<CameTo>, WorkError> {
        let planned = &self.list[run];
        let needs = planned.needs.iter().map(|&need| &self.list[need]).collect();
        let order = Order { run: planned, needs, is_needed, archive: self.archive };
        let Some(record) = worker.carry_out(&order, listener)? else { return Ok(None) };
        let kept = self.archive.keep(planned, &record);
        kept.map_err(|error| WorkError::Failed(error.to_string()))?;
        self.learn(run, &record);
        Ok(Some(CameTo {
            reward: record.reward.last().copied().unwrap_or(f64::NAN),
            expert_reward: record.expert_reward,
            seconds: record.seconds(),
        }))
    }
}
