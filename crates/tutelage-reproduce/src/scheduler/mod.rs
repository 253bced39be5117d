//! Distributes jobs over workers: what can start, what other jobs wait for, what failed, when to stop.

mod queue;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tutelage_runs::{Observer, RoundLine};

use self::queue::JobQueue;
use crate::worker::WorkError;

/// A set of jobs (one run each), and how a worker executes one of them.
pub trait JobSet: Sync {
    /// What executes a job.
    type Worker: ?Sized + Sync;

    /// Returns the number of jobs.
    fn count(&self) -> usize;

    /// Returns the description of a job.
    fn job(&self, job: usize) -> Job<'_>;

    /// Returns the index of the first job that takes as long as this one. By default, all jobs take equally long.
    ///
    /// The scheduler's cost per event grows with the number of classes, not with the number of jobs.
    fn cost_class(&self, job: usize) -> usize {
        let _ = job;
        0
    }

    /// Returns the estimated seconds that a job takes on one core. Long jobs start first.
    ///
    /// Without an estimate (the default), the remaining time is extrapolated from the mean of the finished jobs.
    fn core_seconds(&self, job: usize) -> Option<f64> {
        let _ = job;
        None
    }

    /// Has a worker execute a job, resuming an earlier attempt, and stores the result.
    ///
    /// `is_needed` is true if other jobs read the log of this one. Returns `None` if the job was stopped.
    fn execute(
        &self,
        job: usize,
        is_needed: bool,
        worker: &Self::Worker,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunOutcome>, WorkError>;
}

/// What the scheduler needs to know about a job.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The unique name.
    pub name: &'a str,
    /// The number of rounds.
    pub rounds: usize,
    /// The jobs that must finish first.
    pub needs: &'a [usize],
    /// Whether no other job may run at the same time, because its time and memory are measured.
    pub timed: bool,
}

/// The result of a finished run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOutcome {
    /// The reward after the last round.
    pub reward: f64,
    /// The expert's reward, if it is known.
    pub expert_reward: Option<f64>,
    /// The duration.
    pub seconds: f64,
}

/// Receives the progress of jobs from several threads. All methods default to doing nothing.
pub trait JobObserver: Sync {
    /// A job started.
    fn began(&self, job: &str, rounds: usize) {
        let _ = (job, rounds);
    }

    /// A round of a job is finished.
    fn round(&self, job: &str, round: usize) {
        let _ = (job, round);
    }

    /// A job waits because another process has locked its run folder.
    fn waits(&self, job: &str) {
        let _ = job;
    }

    /// A job is finished; `left` jobs remain, for an estimated `seconds`.
    fn finished(&self, job: &str, outcome: &RunOutcome, left: usize, seconds: f64) {
        let _ = (job, outcome, left, seconds);
    }

    /// The worker of a job was lost; the job will be started again.
    fn lost(&self, job: &str, why: &str) {
        let _ = (job, why);
    }

    /// A job failed; the other jobs continue.
    fn failed(&self, job: &str, why: &str) {
        let _ = (job, why);
    }

    /// Returns whether to stop at the next safe point.
    fn wants_stop(&self) -> bool {
        false
    }
}

/// A [`JobObserver`] that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl JobObserver for NoObserver {}

/// Connects one job to the observer of all jobs. It is also the observer of the run itself.
#[derive(Clone, Copy)]
pub struct JobProgress<'a> {
    /// The name of the job.
    pub job: &'a str,
    /// The observer of all jobs.
    pub observer: &'a dyn JobObserver,
}

impl JobProgress<'_> {
    /// Reports that a round is finished.
    pub fn round(&self, round: usize) {
        self.observer.round(self.job, round);
    }

    /// Reports that the job waits for the lock of its run folder.
    pub fn waits(&self) {
        self.observer.waits(self.job);
    }

    /// Returns whether to stop at the next safe point.
    pub fn wants_stop(&self) -> bool {
        self.observer.wants_stop()
    }
}

impl Observer for JobProgress<'_> {
    fn round(&mut self, line: &RoundLine) {
        JobProgress::round(self, line.round);
    }

    fn wants_stop(&mut self) -> bool {
        JobProgress::wants_stop(self)
    }
}

/// The workers of a schedule.
pub struct Workers<'a, W: ?Sized> {
    /// Each executes one job at a time, concurrently with the others.
    pub shared: Vec<&'a W>,
    /// Executes timed jobs one at a time, after all other jobs.
    pub exclusive: &'a W,
}

/// How a schedule ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleOutcome {
    /// All jobs are finished.
    Finished,
    /// The observer asked to stop. Finished jobs stay finished.
    Stopped,
}

/// Some jobs failed. All other jobs are finished, except those that need a failed one.
#[derive(Debug, thiserror::Error)]
#[error("{}", describe(runs, *held_up))]
pub struct FailedJobs {
    /// The failed jobs with the reasons.
    pub runs: Vec<(String, String)>,
    /// The number of jobs that could not start because they need a failed one.
    pub held_up: usize,
}

fn describe(runs: &[(String, String)], held_up: usize) -> String {
    let failures: Vec<String> = runs.iter().map(|(run, why)| format!("{run}: {why}")).collect();
    let held_up = match held_up {
        0 => String::new(),
        1 => "\n1 run could not start because it needs one of them".into(),
        more => format!("\n{more} runs could not start because they need one of them"),
    };
    failures.join("\n") + &held_up
}

/// The number of attempts for a job whose worker is lost each time.
const MAX_LOSSES: usize = 5;

/// Executes the outstanding jobs, then the timed ones one by one.
///
/// Among the jobs that can start, the longest starts first. A failed job does not stop the others.
pub fn execute<J: JobSet>(
    jobs: &J,
    outstanding: &[usize],
    workers: &Workers<'_, J::Worker>,
    observer: &dyn JobObserver,
) -> Result<ScheduleOutcome, FailedJobs> {
    let queue = Mutex::new(JobQueue::new(jobs, outstanding));
    let cores = workers.shared.len().max(1);
    let dispatcher = Dispatcher { jobs, observer, cores, queue, changed: Condvar::new() };
    std::thread::scope(|scope| {
        for &worker in &workers.shared {
            scope.spawn(|| dispatcher.work(worker, false));
        }
    });
    dispatcher.work(workers.exclusive, true);
    let queue = dispatcher.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (observer.wants_stop(), queue.failed.is_empty(), queue.left()) {
        (false, false, held_up) => Err(FailedJobs { runs: queue.failed, held_up }),
        (false, true, 0) => Ok(ScheduleOutcome::Finished),
        _ => Ok(ScheduleOutcome::Stopped),
    }
}

/// The queue, shared by all workers.
struct Dispatcher<'a, J> {
    jobs: &'a J,
    observer: &'a dyn JobObserver,
    cores: usize,
    queue: Mutex<JobQueue>,
    changed: Condvar,
}

impl<J: JobSet> Dispatcher<'_, J> {
    fn lock(&self) -> MutexGuard<'_, JobQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes shared or timed jobs with one worker until none can start.
    fn work(&self, worker: &J::Worker, timed: bool) {
        while let Some(job) = self.take(timed) {
            let outcome = self.execute(job, worker);
            self.settle(job, outcome);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// Returns the most urgent job that can start; waits until there is one or all are done.
    fn take(&self, timed: bool) -> Option<usize> {
        let mut queue = self.lock();
        loop {
            if self.observer.wants_stop() {
                return None;
            }
            match queue.begin(timed) {
                Some(job) => return Some(job),
                None if queue.is_idle() => return None,
                // A running job may be lost and come back, or let others start when it finishes.
                None => queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn execute(&self, job: usize, worker: &J::Worker) -> Result<Option<RunOutcome>, WorkError> {
        let Job { name, rounds, .. } = self.jobs.job(job);
        self.observer.began(name, rounds);
        let progress = JobProgress { job: name, observer: self.observer };
        let is_needed = self.lock().is_needed(job);
        let executed = || self.jobs.execute(job, is_needed, worker, &progress);
        let panicked = |_| Err(WorkError::Failed("internal error: its thread panicked".into()));
        catch_unwind(AssertUnwindSafe(executed)).unwrap_or_else(panicked)
    }

    /// Records how a job ended.
    fn settle(&self, job: usize, outcome: Result<Option<RunOutcome>, WorkError>) {
        let name = self.jobs.job(job).name;
        let mut queue = self.lock();
        match outcome {
            Ok(Some(outcome)) => {
                queue.finish(job, outcome.seconds);
                let seconds = queue.seconds_left(self.jobs) / self.cores as f64;
                self.observer.finished(name, &outcome, queue.left(), seconds);
            }
            Ok(None) => queue.put_back(job),
            Err(_) if self.observer.wants_stop() => queue.put_back(job),
            Err(WorkError::Lost(why)) if queue.lose(job) < MAX_LOSSES => {
                self.observer.lost(name, &why);
                queue.put_back(job);
            }
            Err(WorkError::Lost(why) | WorkError::Failed(why)) => {
                self.observer.failed(name, &why);
                queue.fail(job, name, why);
            }
        }
    }
}
