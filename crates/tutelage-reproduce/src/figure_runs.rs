//! The runs of figures as a job set.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::estimate::kind;
use crate::scheduler::{Job, JobProgress, JobSet, RunOutcome};
use crate::worker::{WorkError, WorkOrder, Worker};
use crate::{Archive, Estimator, RunList, RunRecord};

/// The runs of a list, whose records are stored in an archive.
///
/// Each run has its own folder and resumes there. If the run already has a record, the results must agree with it.
pub struct FigureRuns<'a> {
    list: &'a RunList,
    archive: &'a Archive,
    /// For each run, the first run with the same cost.
    cost_class: Vec<usize>,
    expected: Mutex<Estimates>,
}

struct Estimates {
    estimator: Estimator,
    /// Core-seconds of each cost class.
    of_kind: HashMap<usize, f64>,
}

impl<'a> FigureRuns<'a> {
    /// The job set of this list.
    pub fn new(list: &'a RunList, archive: &'a Archive) -> Self {
        let estimator = Estimator::new(list, archive);
        let (mut first, mut of_kind) = (HashMap::new(), HashMap::new());
        let cost_class = list.runs().iter().enumerate().map(|(index, run)| {
            let kind = *first.entry(kind(&run.spec)).or_insert(index);
            of_kind.entry(kind).or_insert_with(|| estimator.core_seconds(run));
            kind
        });
        let cost_class = cost_class.collect();
        Self { list, archive, cost_class, expected: Mutex::new(Estimates { estimator, of_kind }) }
    }

    fn expected(&self) -> MutexGuard<'_, Estimates> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, run: usize, record: &RunRecord) {
        let mut expected = self.expected();
        expected.estimator.finished(&self.list[run], record.core_seconds());
        let seconds = expected.estimator.core_seconds(&self.list[run]);
        expected.of_kind.insert(self.cost_class[run], seconds);
    }
}

impl<'a> JobSet for FigureRuns<'a> {
    type Worker = dyn Worker + 'a;

    fn count(&self) -> usize {
        self.list.runs().len()
    }

    fn job(&self, run: usize) -> Job<'_> {
        let run = &self.list[run];
        Job { name: &run.name, rounds: run.spec.rounds, needs: &run.needs, timed: run.timed }
    }

    fn cost_class(&self, run: usize) -> usize {
        self.cost_class[run]
    }

    /// The estimate at the pace of this session.
    fn core_seconds(&self, run: usize) -> Option<f64> {
        let expected = self.expected();
        let seconds = expected.of_kind.get(&self.cost_class[run])?;
        Some(seconds * expected.estimator.pace())
    }

    fn execute(
        &self,
        run: usize,
        is_needed: bool,
        worker: &Self::Worker,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunOutcome>, WorkError> {
        let planned = &self.list[run];
        let needs = planned.needs.iter().map(|&need| &self.list[need]).collect();
        let order = WorkOrder { run: planned, needs, is_needed, archive: self.archive };
        let Some(record) = worker.execute(&order, progress)? else { return Ok(None) };
        let kept = self.archive.keep(planned, &record);
        kept.map_err(WorkError::failed)?;
        self.learn(run, &record);
        Ok(Some(RunOutcome {
            reward: record.reward.last().copied().unwrap_or(f64::NAN),
            expert_reward: record.expert_reward,
            seconds: record.seconds(),
        }))
    }
}
