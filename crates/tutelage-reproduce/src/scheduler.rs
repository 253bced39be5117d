//! Handing runs to workers: what can begin, what others wait for, what failed, when to stop.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::worker::{Listener, Order, WorkError, Worker};
use crate::{Archive, Estimator, PlannedRun, RunList, RunRecord};

/// Somebody who watches runs being carried out, from several threads.
pub trait Watcher: Sync {
    /// A run begins.
    fn began(&self, run: &PlannedRun) {
        let _ = run;
    }

    /// A round of a run is over.
    fn round(&self, run: &PlannedRun, round: usize) {
        let _ = (run, round);
    }

    /// A run waits, because another process still has its folder.
    fn waits(&self, run: &PlannedRun) {
        let _ = run;
    }

    /// A run is finished; so many are left, which will take so many seconds.
    fn finished(&self, run: &PlannedRun, record: &RunRecord, left: usize, seconds: f64) {
        let _ = (run, record, left, seconds);
    }

    /// A run's worker was lost; the run is begun again by another.
    fn lost(&self, run: &PlannedRun, why: &str) {
        let _ = (run, why);
    }

    /// A run failed; the others go on.
    fn failed(&self, run: &PlannedRun, why: &str) {
        let _ = (run, why);
    }

    /// Whether to stop at the next safe point.
    fn wants_stop(&self) -> bool {
        false
    }
}

/// Who works.
pub struct Crew<'a> {
    /// Each carries out one run at a time, beside the others.
    pub workers: Vec<&'a dyn Worker>,
    /// Who carries out timed runs, alone, when nothing else runs.
    pub timekeeper: &'a dyn Worker,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All runs are finished.
    Finished,
    /// It was told to stop; what is finished stays so.
    Stopped,
}

/// Runs that failed; all others are finished, but for those that needed them.
#[derive(Debug, thiserror::Error)]
#[error("{}", in_words(runs, *held_up))]
pub struct Failed {
    /// The runs, each with the reason.
    pub runs: Vec<(String, String)>,
    /// How many runs could not begin, since they needed one of these.
    pub held_up: usize,
}

fn in_words(runs: &[(String, String)], held_up: usize) -> String {
    let failures: Vec<String> = runs.iter().map(|(run, why)| format!("{run}: {why}")).collect();
    let held_up = match held_up {
        0 => String::new(),
        1 => "\n1 run could not begin without them".into(),
        more => format!("\n{more} runs could not begin without them"),
    };
    failures.join("\n") + &held_up
}

/// How often a run is begun again whose worker was lost.
const MOST_LOSSES: usize = 5;

/// Carries out the outstanding runs: each by one worker, the longest first among those that can begin; then the timed ones,
/// one by one.
///
/// Every run has its own directory and continues where an earlier process left it; its record is written when it is
/// finished. A run that fails does not keep the others from going on.
pub fn carry_out(
    list: &RunList,
    outstanding: &[usize],
    archive: &Archive,
    crew: &Crew<'_>,
    watcher: &dyn Watcher,
) -> Result<Outcome, Failed> {
    let (timed, waiting): (Vec<usize>, Vec<usize>) =
        outstanding.iter().copied().partition(|&run| list[run].timed);
    let cores = crew.workers.len().max(1);
    let queue = Queue {
        list,
        archive,
        watcher,
        cores,
        jobs: Mutex::new(Jobs::new(waiting, timed, Estimator::new(list, archive))),
        changed: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for &worker in &crew.workers {
            scope.spawn(|| queue.work(worker));
        }
    });
    queue.keep_time(crew.timekeeper);
    let jobs = queue.jobs.into_inner().unwrap_or_else(PoisonError::into_inner);
    jobs.outcome(watcher.wants_stop())
}

/// What is left to do, shared by all workers.
struct Queue<'a> {
    list: &'a RunList,
    archive: &'a Archive,
    watcher: &'a dyn Watcher,
    cores: usize,
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

struct Jobs {
    waiting: Vec<usize>,
    running: Vec<usize>,
    timed: Vec<usize>,
    failed: Vec<(usize, String, String)>,
    losses: HashMap<usize, usize>,
    estimator: Estimator,
}

impl Jobs {
    fn new(waiting: Vec<usize>, timed: Vec<usize>, estimator: Estimator) -> Self {
        Self { waiting, running: vec![], timed, failed: vec![], losses: HashMap::new(), estimator }
    }

    /// Whether what this run needs is still to come.
    fn is_early(&self, run: &PlannedRun) -> bool {
        run.needs.iter().any(|need| self.waiting.contains(need) || self.running.contains(need))
    }

    /// Whether what this run needs will not come.
    fn is_held_up(&self, run: &PlannedRun) -> bool {
        run.needs.iter().any(|need| self.failed.iter().any(|(failed, ..)| failed == need))
    }

    fn left(&self) -> Vec<usize> {
        [&self.waiting[..], &self.running, &self.timed].concat()
    }

    fn outcome(self, stopped: bool) -> Result<Outcome, Failed> {
        let left = self.left().len();
        if stopped {
            return Ok(Outcome::Stopped);
        }
        if self.failed.is_empty() {
            return Ok(if left == 0 { Outcome::Finished } else { Outcome::Stopped });
        }
        let runs = self.failed.into_iter().map(|(_, run, why)| (run, why)).collect();
        Err(Failed { runs, held_up: left })
    }
}

impl Queue<'_> {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker: a run at a time, until nothing is left that can begin.
    fn work(&self, worker: &dyn Worker) {
        while let Some(run) = self.take() {
            let outcome = self.hand_over(run, worker);
            self.settle(run, outcome);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// The timed runs, with nothing beside them.
    fn keep_time(&self, worker: &dyn Worker) {
        let timed = self.lock().timed.clone();
        for run in timed {
            if self.watcher.wants_stop() {
                return;
            }
            let outcome = self.hand_over(run, worker);
            let mut jobs = self.lock();
            jobs.timed.retain(|&other| other != run);
            drop(jobs);
            self.settle(run, outcome);
        }
    }

    /// The longest run that can begin, those first that others wait for; waits while there is none yet.
    fn take(&self) -> Option<usize> {
        let mut jobs = self.lock();
        loop {
            if self.watcher.wants_stop() {
                return None;
            }
            let able = |run: &&usize| {
                !jobs.is_early(&self.list[**run]) && !jobs.is_held_up(&self.list[**run])
            };
            let cost = |run: usize| jobs.estimator.core_seconds(&self.list[run]);
            let next = jobs.waiting.iter().filter(able).copied();
            let next = next.max_by(|&a, &b| {
                self.is_needed(a).cmp(&self.is_needed(b)).then(cost(a).total_cmp(&cost(b)))
            });
            match next {
                Some(run) => {
                    jobs.waiting.retain(|&waiting| waiting != run);
                    jobs.running.push(run);
                    return Some(run);
                }
                // Whoever is lost comes back; whatever finishes may let others begin.
                None if jobs.running.is_empty() => return None,
                None => jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn is_needed(&self, run: usize) -> bool {
        self.list.runs().iter().any(|other| other.needs.contains(&run))
    }

    /// The record of a run that is finished and saved; none where it was stopped.
    fn hand_over(&self, index: usize, worker: &dyn Worker) -> Result<Option<RunRecord>, WorkError> {
        let run = &self.list[index];
        self.watcher.began(run);
        let order = Order {
            run,
            needs: run.needs.iter().map(|&need| &self.list[need]).collect(),
            is_needed: self.is_needed(index),
            archive: self.archive,
        };
        let listener = Relay { run, watcher: self.watcher };
        let record = catch_unwind(AssertUnwindSafe(|| worker.carry_out(&order, &listener)));
        let fault = |_| Err(WorkError::Failed("a fault of this program, see above".into()));
        let Some(record) = record.unwrap_or_else(fault)? else { return Ok(None) };
        let saved = self.archive.save(run, &record);
        saved.map_err(|error| WorkError::Failed(error.to_string()))?;
        Ok(Some(record))
    }

    /// Takes note of how a run went.
    fn settle(&self, index: usize, outcome: Result<Option<RunRecord>, WorkError>) {
        let run = &self.list[index];
        let mut jobs = self.lock();
        jobs.running.retain(|&running| running != index);
        match outcome {
            Ok(Some(record)) => {
                jobs.estimator.finished(run, record.core_seconds());
                let left = jobs.left();
                let seconds = jobs.estimator.seconds(self.list, &left, self.cores);
                self.watcher.finished(run, &record, left.len(), seconds);
            }
            // Told to stop: a run goes on from where it is, and a timed one begins anew.
            Ok(None) => jobs.put_back(run, index),
            Err(_) if self.watcher.wants_stop() => jobs.put_back(run, index),
            Err(WorkError::Lost(why)) if jobs.lose(index) < MOST_LOSSES => {
                self.watcher.lost(run, &why);
                jobs.put_back(run, index);
            }
            Err(WorkError::Lost(why) | WorkError::Failed(why)) => {
                self.watcher.failed(run, &why);
                jobs.failed.push((index, run.name.clone(), why));
            }
        }
    }
}

impl Jobs {
    fn put_back(&mut self, run: &PlannedRun, index: usize) {
        if run.timed { self.timed.push(index) } else { self.waiting.push(index) }
    }

    /// How often a run's worker was lost, this time included.
    fn lose(&mut self, run: usize) -> usize {
        let losses = self.losses.entry(run).or_default();
        *losses += 1;
        *losses
    }
}

/// Tells the watcher what a worker tells.
struct Relay<'a> {
    run: &'a PlannedRun,
    watcher: &'a dyn Watcher,
}

impl Listener for Relay<'_> {
    fn round(&self, round: usize) {
        self.watcher.round(self.run, round);
    }

    fn waits(&self) {
        self.watcher.waits(self.run);
    }

    fn wants_stop(&self) -> bool {
        self.watcher.wants_stop()
    }
}
