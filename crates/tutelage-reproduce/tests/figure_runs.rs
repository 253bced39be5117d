//! The scheduler with the runs of a figure.

#![allow(clippy::unwrap_used)]

mod small;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use small::{archive, figure};
use tutelage_reproduce::{
    FailedJobs, FigureRuns, JobObserver, JobProgress, PlannedRun, RunOutcome, RunRecord,
    ScheduleOutcome, ThreadWorker, WorkError, WorkOrder, Worker, Workers, execute,
};
use tutelage_runs::store::{AnyHistory, OsDisk, RunDir};

/// A worker that fails as instructed and records the runs that it gets.
#[derive(Default)]
struct Scripted {
    given: Mutex<Vec<String>>,
    /// Runs of these algorithms fail.
    fails: Vec<&'static str>,
    /// The number of lost workers before the first success.
    losses: usize,
    lost: AtomicUsize,
}

impl Scripted {
    fn begun(&self, algorithm: &str) -> usize {
        let given = self.given.lock().unwrap();
        given.iter().filter(|name| name.contains(&format!("-{algorithm}-mlp"))).count()
    }
}

impl Worker for Scripted {
    fn execute(
        &self,
        order: &WorkOrder<'_>,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunRecord>, WorkError> {
        let PlannedRun { name, spec, .. } = order.run;
        let finished = |need: &&PlannedRun| order.archive.record(need).unwrap().is_some();
        assert!(order.needs.iter().all(finished), "{name} began before what it needs");
        self.given.lock().unwrap().push(name.clone());
        if self.fails.contains(&spec.algorithm.to_string().as_str()) {
            return Err(WorkError::Failed("poisoned".into()));
        }
        if self.lost.fetch_add(1, Ordering::SeqCst) < self.losses {
            return Err(WorkError::Lost("the node is gone".into()));
        }
        if progress.wants_stop() {
            return Ok(None);
        }
        let nothing = AnyHistory::Indices(Default::default());
        Ok(Some(order.run.record(&nothing, &[], 1)))
    }
}

/// Stops after this number of runs.
struct Impatient(usize, AtomicUsize);

impl JobObserver for Impatient {
    fn finished(&self, _: &str, _: &RunOutcome, _: usize, _: f64) {
        self.1.fetch_add(1, Ordering::SeqCst);
    }

    fn wants_stop(&self) -> bool {
        self.1.load(Ordering::SeqCst) >= self.0
    }
}

fn patient() -> Impatient {
    Impatient(usize::MAX, AtomicUsize::new(0))
}

fn all(
    worker: &dyn Worker,
    observer: &dyn JobObserver,
    dir: &Path,
) -> Result<ScheduleOutcome, FailedJobs> {
    let (runs, shown) = figure();
    let workers = Workers { shared: vec![worker; 2], exclusive: worker };
    execute(&FigureRuns::new(&runs, &archive(dir)), &shown, &workers, observer)
}

#[test]
fn every_run_is_executed_once_and_after_what_it_needs() {
    let (dir, worker) = (tempfile::tempdir().unwrap(), Scripted::default());
    assert_eq!(all(&worker, &patient(), dir.path()).unwrap(), ScheduleOutcome::Finished);
    let mut given = worker.given.lock().unwrap().clone();
    assert_eq!(given.len(), 6);
    given.sort();
    given.dedup();
    assert_eq!(given.len(), 6);
}

#[test]
fn a_failed_run_holds_up_only_what_needs_it() {
    let dir = tempfile::tempdir().unwrap();
    let worker = Scripted { fails: vec!["dagger"], ..Scripted::default() };
    let failed = all(&worker, &patient(), dir.path()).unwrap_err();
    assert_eq!((failed.runs.len(), failed.held_up), (2, 2));
    let words = failed.to_string();
    assert!(words.contains("dagger") && words.contains("poisoned"), "{words}");
    assert_eq!(worker.begun("dagger"), 2, "a failed run is not retried");
    assert_eq!((worker.begun("supervised"), worker.begun("bd-2")), (0, 2));
}

#[test]
fn a_lost_run_is_retried_but_not_forever() {
    let dir = tempfile::tempdir().unwrap();
    let worker = Scripted { losses: 4, ..Scripted::default() };
    assert_eq!(all(&worker, &patient(), dir.path()).unwrap(), ScheduleOutcome::Finished);
    assert_eq!(worker.given.lock().unwrap().len(), 10);
    let dir = tempfile::tempdir().unwrap();
    let worker = Scripted { losses: usize::MAX, ..Scripted::default() };
    let failed = all(&worker, &patient(), dir.path()).unwrap_err();
    assert!(failed.to_string().contains("the node is gone"), "{failed}");
    assert_eq!(worker.begun("bd-2"), 2 * 5);
}

#[test]
fn a_stop_keeps_finished_runs() {
    let (dir, worker) = (tempfile::tempdir().unwrap(), Scripted::default());
    let observer = Impatient(2, AtomicUsize::new(0));
    assert_eq!(all(&worker, &observer, dir.path()).unwrap(), ScheduleOutcome::Stopped);
    let (runs, shown) = figure();
    let archive = archive(dir.path());
    let records =
        shown.iter().filter(|&&run| archive.record(&runs[run]).unwrap().is_some()).count();
    assert!((2..=3).contains(&records), "{records}");
}

#[test]
fn a_repeated_run_must_agree_with_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let worker = ThreadWorker(1);
    assert_eq!(all(&worker, &patient(), dir.path()).unwrap(), ScheduleOutcome::Finished);
    let (runs, shown) = figure();
    let archive = archive(dir.path());
    // The first run's annotations are lost, and another run needs them.
    let run = &runs[shown[0]];
    let replay = || {
        std::fs::remove_dir_all(archive.run_path(run)).unwrap();
        let workers = Workers { shared: vec![&worker as &dyn Worker], exclusive: &worker };
        execute(&FigureRuns::new(&runs, &archive), &shown[..1], &workers, &patient())
    };
    let record = RunRecord { train_seconds: vec![7.0; 2], ..archive.record(run).unwrap().unwrap() };
    archive.save(run, &record).unwrap();
    assert_eq!(replay().unwrap(), ScheduleOutcome::Finished);
    assert!(archive.has_data(run), "it was executed again");
    assert_eq!(archive.record(run).unwrap(), Some(record.clone()));

    let forged = RunRecord { reward: vec![record.reward[0], -1.0], ..record };
    archive.save(run, &forged).unwrap();
    let words = replay().unwrap_err().to_string();
    assert!(words.contains("the reward of round 2 was -1, and is"), "{words}");
    assert_eq!(archive.record(run).unwrap(), Some(forged), "nothing is replaced");
    assert!(archive.run_path(run).exists() && !archive.has_data(run), "its data is not used");
}

/// Records that a run waited.
struct Waited(AtomicBool);

impl JobObserver for Waited {
    fn waits(&self, _: &str) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_run_waits_for_the_lock_of_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (runs, shown) = figure();
    let (archive, run) = (archive(dir.path()), &runs[shown[0]]);
    // A worker that was given up as lost, but is still alive.
    let spec = run.with_absolute_paths(archive.runs()).to_toml();
    let disk = std::sync::Arc::new(OsDisk);
    let zombie: RunDir<f32, u32> = RunDir::open(&archive.run_path(run), &spec, disk).unwrap();
    let observer = Waited(AtomicBool::new(false));
    let worker = ThreadWorker(1);
    let workers = Workers { shared: vec![&worker as &dyn Worker], exclusive: &worker };
    let jobs = FigureRuns::new(&runs, &archive);
    std::thread::scope(|scope| {
        let outcome = scope.spawn(|| execute(&jobs, &shown[..1], &workers, &observer));
        while !observer.0.load(Ordering::SeqCst) {
            assert!(!outcome.is_finished(), "it did not wait");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(archive.record(run).unwrap().is_none());
        drop(zombie);
        assert_eq!(outcome.join().unwrap().unwrap(), ScheduleOutcome::Finished);
    });
    assert_eq!(archive.record(run).unwrap().unwrap().reward.len(), 2);
}
