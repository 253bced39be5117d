//! The scheduler with the runs of a figure.

#![allow(clippy::unwrap_used)]

mod small;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use small::{archive, figure};
use tutelage_reproduce::{
    FailedJobs, FigureRuns, JobObserver, NoObserver, RunRecord, ScheduleOutcome, ThreadWorker,
    Worker, Workers, execute,
};
use tutelage_runs::store::{OsDisk, RunDir};

fn finish(dir: &Path, shown: &[usize]) -> Result<ScheduleOutcome, FailedJobs> {
    let ((runs, _), archive, worker) = (figure(), archive(dir), ThreadWorker(1));
    let workers = Workers { shared: vec![&worker as &dyn Worker; 2], exclusive: &worker };
    execute(&FigureRuns::new(&runs, &archive), shown, &workers, &NoObserver)
}

#[test]
fn a_repeated_run_must_agree_with_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let (runs, shown) = figure();
    assert_eq!(finish(dir.path(), &shown).unwrap(), ScheduleOutcome::Finished);
    let archive = archive(dir.path());
    // The first run's annotations are lost, and another run needs them.
    let run = &runs[shown[0]];
    let replay = || {
        std::fs::remove_dir_all(archive.run_path(run)).unwrap();
        finish(dir.path(), &shown[..1])
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
