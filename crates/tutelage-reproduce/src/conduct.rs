//! Carrying out what is missing.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rayon::ThreadPoolBuilder;
use tutelage_lab::learn_in;
use tutelage_lab::spec::RunSpec;
use tutelage_runs::store::{Disk, OsDisk, RoundResult, Seconds, read_any, read_times};
use tutelage_runs::{Ending, Reporter};

use crate::{Archive, Estimator, Plan, Record, Run};

/// Somebody who watches runs being carried out, from several threads.
pub trait Watcher: Sync {
    /// A run begins.
    fn began(&self, run: &Run) {
        let _ = run;
    }

    /// A round of a run is over.
    fn round(&self, run: &Run, round: usize) {
        let _ = (run, round);
    }

    /// A run is finished; so many are left, which will take so many seconds.
    fn finished(&self, run: &Run, record: &Record, left: usize, seconds: f64) {
        let _ = (run, record, left, seconds);
    }

    /// Whether to stop at the next safe point.
    fn wants_stop(&self) -> bool {
        false
    }
}

/// Carries out a run in a process of its own, so that its time and memory are its own: spec, its directory, and whom to tell of
/// every round, who says whether to go on.
pub type Launch<'a> =
    &'a (dyn Fn(&RunSpec, &Path, &mut dyn FnMut(usize) -> bool) -> Result<(), String> + Sync);

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conducted {
    /// All runs are finished.
    Finished,
    /// It was told to stop; what is finished stays so.
    Stopped,
}

/// A run that failed.
#[derive(Debug, thiserror::Error)]
#[error("{run}: {message}")]
pub struct ConductError {
    /// The run.
    pub run: String,
    /// Why.
    pub message: String,
}

/// Carries out the outstanding runs of a plan, as many at a time as there are threads, the longest first among those that
/// can begin; then the timed ones, one by one.
///
/// Every run has its own directory and continues where an earlier process left it; its record is written when it is
/// finished. A failure stops the others at their next safe point.
pub fn conduct(
    plan: &Plan,
    outstanding: &[usize],
    archive: &Archive,
    threads: usize,
    launch: Launch<'_>,
    watcher: &dyn Watcher,
) -> Result<Conducted, ConductError> {
    let threads = threads.max(1);
    let (timed, plain): (Vec<usize>, Vec<usize>) =
        outstanding.iter().copied().partition(|&run| plan.runs[run].timed);
    let estimator = Estimator::new(plan, archive);
    let board = Board::new(plan, plain, timed.clone(), estimator, threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| board.work(archive, watcher));
        }
    });
    if let Some(error) = board.lock().error.take() {
        return Err(error);
    }
    for run in timed {
        if watcher.wants_stop() {
            return Ok(Conducted::Stopped);
        }
        match board.time(run, archive, launch, watcher) {
            // Its process was ended; a timed run begins anew.
            Err(_) if watcher.wants_stop() => return Ok(Conducted::Stopped),
            outcome => outcome?,
        }
    }
    let left = board.lock().waiting.len();
    Ok(if left == 0 && !watcher.wants_stop() { Conducted::Finished } else { Conducted::Stopped })
}

/// What is left to do, shared by the workers.
struct Board<'a> {
    plan: &'a Plan,
    threads: usize,
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

struct Jobs {
    waiting: Vec<usize>,
    running: Vec<usize>,
    timed: Vec<usize>,
    estimator: Estimator,
    error: Option<ConductError>,
}

impl<'a> Board<'a> {
    fn new(
        plan: &'a Plan,
        waiting: Vec<usize>,
        timed: Vec<usize>,
        estimator: Estimator,
        threads: usize,
    ) -> Self {
        let jobs = Jobs { waiting, running: vec![], timed, estimator, error: None };
        Self { plan, threads, jobs: Mutex::new(jobs), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker: a run at a time on one thread, until nothing is left.
    fn work(&self, archive: &Archive, watcher: &dyn Watcher) {
        while let Some(index) = self.take(watcher) {
            let run = &self.plan.runs[index];
            let outcome = catch_unwind(AssertUnwindSafe(|| self.carry_out(run, archive, watcher)))
                .unwrap_or_else(|_| {
                    let message = "a fault of this program, see above".into();
                    Err(ConductError { run: run.name.clone(), message })
                });
            let mut jobs = self.lock();
            jobs.running.retain(|&running| running != index);
            match outcome {
                Ok(Some(record)) => self.report(&mut jobs, run, &record, watcher),
                Ok(None) => jobs.waiting.push(index),
                Err(error) => drop(jobs.error.get_or_insert(error)),
            }
            drop(jobs);
            self.changed.notify_all();
        }
    }

    /// The longest run that can begin; waits while there is none yet.
    fn take(&self, watcher: &dyn Watcher) -> Option<usize> {
        let mut jobs = self.lock();
        loop {
            if jobs.error.is_some() || jobs.waiting.is_empty() || watcher.wants_stop() {
                return None;
            }
            let open = |need: &usize| jobs.waiting.contains(need) || jobs.running.contains(need);
            let ready = |run: &&usize| !self.plan.runs[**run].needs.iter().any(open);
            let cost = |run: usize| jobs.estimator.core_seconds(&self.plan.runs[run]);
            let next = jobs.waiting.iter().filter(ready).copied();
            let next = next.max_by(|&a, &b| {
                // What others wait for goes first.
                self.is_needed(a).cmp(&self.is_needed(b)).then(cost(a).total_cmp(&cost(b)))
            });
            if let Some(run) = next {
                jobs.waiting.retain(|&waiting| waiting != run);
                jobs.running.push(run);
                return Some(run);
            }
            jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is_needed(&self, run: usize) -> bool {
        self.plan.runs.iter().any(|other| other.needs.contains(&run))
    }

    /// The record of a run that is finished; none where it was stopped.
    fn carry_out(
        &self,
        run: &Run,
        archive: &Archive,
        watcher: &dyn Watcher,
    ) -> Result<Option<Record>, ConductError> {
        let failed = |message: String| ConductError { run: run.name.clone(), message };
        watcher.began(run);
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| failed(error.to_string()))?;
        let path = archive.run_path(run);
        let report = pool.install(|| {
            let mut relay = Relay { run, watcher, board: self };
            learn_in(&path, &run.located(archive.runs()), &mut relay)
        });
        let report = report.map_err(|error| failed(error.to_string()))?;
        if report.ending == Ending::Stopped {
            return Ok(None);
        }
        let record = Record::new(run, &report.history, &read_times(&path), 1);
        archive.save(run, &record).map_err(|error| failed(error.to_string()))?;
        Ok(Some(record))
    }

    /// Carries out a timed run, with nothing beside it and without a break: what an earlier process left of it is dropped.
    fn time(
        &self,
        index: usize,
        archive: &Archive,
        launch: Launch<'_>,
        watcher: &dyn Watcher,
    ) -> Result<(), ConductError> {
        let run = &self.plan.runs[index];
        let failed = |message: String| ConductError { run: run.name.clone(), message };
        watcher.began(run);
        let path = archive.run_path(run);
        if !archive.has_data(run) || read_times(&path).len() != run.spec.rounds {
            remove(&path).map_err(|error| failed(format!("cannot begin anew: {error}")))?;
            let mut goes_on = |round| {
                watcher.round(run, round);
                !watcher.wants_stop()
            };
            launch(&run.located(archive.runs()), &path, &mut goes_on).map_err(failed)?;
        }
        let history = read_any(&path).map_err(|error| failed(error.to_string()))?;
        let times = read_times(&path);
        let memory = times.iter().filter_map(|seconds| seconds.memory).max();
        let record = Record { memory, ..Record::new(run, &history, &times, self.threads) };
        archive.save(run, &record).map_err(|error| failed(error.to_string()))?;
        let mut jobs = self.lock();
        jobs.timed.retain(|&timed| timed != index);
        self.report(&mut jobs, run, &record, watcher);
        Ok(())
    }

    fn report(&self, jobs: &mut Jobs, run: &Run, record: &Record, watcher: &dyn Watcher) {
        jobs.estimator.learn(run, record.seconds() * record.threads as f64);
        let left = [&jobs.waiting[..], &jobs.running, &jobs.timed].concat();
        let seconds = jobs.estimator.seconds(self.plan, &left, self.threads);
        watcher.finished(run, record, left.len(), seconds);
    }
}

/// Removes what is left of a run, unless a process that outlived its parent still writes to it.
fn remove(path: &Path) -> io::Result<()> {
    let log = path.join("log.bin");
    let lock = log.is_file().then(|| OsDisk.open_log(&log)).transpose();
    let _lock = lock.map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::new(
            error.kind(),
            format!(
                "another process still writes to {}; try again when it has ended",
                path.display()
            ),
        ),
        _ => error,
    })?;
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

/// Tells the watcher what a run tells.
struct Relay<'a> {
    run: &'a Run,
    watcher: &'a dyn Watcher,
    board: &'a Board<'a>,
}

impl Reporter for Relay<'_> {
    fn round(&mut self, result: &RoundResult, _: usize, _: &Seconds) {
        self.watcher.round(self.run, result.round);
    }

    fn wants_stop(&mut self) -> bool {
        self.watcher.wants_stop() || self.board.lock().error.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_still_written_to_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        remove(&run).unwrap();
        fs::create_dir(&run).unwrap();
        let log = OsDisk.open_log(&run.join("log.bin")).unwrap();
        let error = remove(&run).unwrap_err().to_string();
        assert!(error.contains("still writes") && run.join("log.bin").is_file(), "{error}");
        drop(log);
        remove(&run).unwrap();
        assert!(!run.exists());
    }
}
