//! Remote runs give the same records as local ones.

#![allow(clippy::unwrap_used)]

mod small;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

use small::{archive, figure};
use tutelage_reproduce::{
    Executor, FigureRuns, JobObserver, NoObserver, RUN_FILES, RemoteTask, RemoteWorker, RunRecord,
    ScheduleOutcome, TaskEvent, TaskResult, ThreadWorker, WorkError, Worker, Workers, execute,
    execute_remote,
};

/// Nodes without shared folders: each run gets its own folder with copies of the runs that it needs.
#[derive(Default)]
struct Nodes {
    home: PathBuf,
    runs: PathBuf,
    taken: AtomicUsize,
    /// The number of tasks that are lost.
    losses: usize,
    stopped: AtomicUsize,
    rounds: Mutex<Vec<usize>>,
}

fn read(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |file: &str| Some((file.to_owned(), std::fs::read(dir.join(file)).ok()?));
    RUN_FILES.into_iter().filter_map(read).collect()
}

impl Executor for Nodes {
    fn send(&self, task: RemoteTask, events: Sender<TaskEvent>) -> Result<(), WorkError> {
        let number = self.taken.fetch_add(1, Ordering::SeqCst);
        if number < self.losses {
            return Err(WorkError::Lost("the node is gone".into()));
        }
        let home = self.home.join(number.to_string());
        for need in &task.needs {
            let files = read(&self.runs.join(need));
            assert!(!files.is_empty(), "{} began before {need}", task.name);
            TaskResult { output: None, files }.unpack(&home.join(need)).unwrap();
        }
        std::thread::spawn(move || {
            events.send(TaskEvent::Round(1)).unwrap();
            let result = execute_remote(&task.payload, &home, &NoObserver);
            let files = if task.is_needed { read(&home.join(&task.name)) } else { vec![] };
            let ended = result.map(|result| TaskResult { output: result, files });
            events.send(TaskEvent::Ended(ended)).unwrap();
        });
        Ok(())
    }

    fn stop(&self) {
        self.stopped.fetch_add(1, Ordering::SeqCst);
    }
}

impl JobObserver for Nodes {
    fn round(&self, _: &str, round: usize) {
        self.rounds.lock().unwrap().push(round);
    }
}

fn nodes(dir: &Path, losses: usize) -> Nodes {
    let (home, runs) = (dir.join("nodes"), dir.join("runs"));
    Nodes { home, runs, losses, ..Nodes::default() }
}

/// Executes the runs of a figure; returns their records without times.
fn records(dir: &Path, worker: &dyn Worker, observer: &dyn JobObserver) -> Vec<RunRecord> {
    let ((runs, shown), archive) = (figure(), archive(dir));
    let workers = Workers { shared: vec![worker; 3], exclusive: worker };
    let jobs = FigureRuns::new(&runs, &archive);
    assert_eq!(execute(&jobs, &shown, &workers, observer).unwrap(), ScheduleOutcome::Finished);
    let record = |&run: &usize| archive.record(&runs[run]).unwrap().unwrap();
    let timeless = |record: RunRecord| RunRecord {
        collect_seconds: vec![],
        train_seconds: vec![],
        evaluate_seconds: vec![],
        ..record
    };
    shown.iter().map(record).map(timeless).collect()
}

#[test]
fn remote_and_local_records_are_equal() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let nodes = nodes(there.path(), 4);
    let elsewhere = RemoteWorker { executor: &nodes, threads: 1, all_logs: false };
    let carried = records(there.path(), &elsewhere, &nodes);
    assert_eq!(carried, records(here.path(), &ThreadWorker(1), &NoObserver));
    assert_eq!(nodes.taken.load(Ordering::SeqCst), 6 + 4, "lost tasks are sent again");
    assert_eq!(*nodes.rounds.lock().unwrap(), [1; 6], "events reach the observer");
    let kept = std::fs::read_dir(there.path().join("runs")).unwrap().count();
    assert_eq!(kept, 2, "only the logs that other runs need");
}

#[test]
fn all_logs_are_copied_back_on_request() {
    let there = tempfile::tempdir().unwrap();
    let nodes = nodes(there.path(), 0);
    let elsewhere = RemoteWorker { executor: &nodes, threads: 1, all_logs: true };
    records(there.path(), &elsewhere, &NoObserver);
    assert_eq!(std::fs::read_dir(there.path().join("runs")).unwrap().count(), 6);
}

#[test]
fn files_cannot_leave_the_run_folder() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["../log.bin", "/elsewhere/log.bin", "policies/../../x"] {
        let result = TaskResult { output: None, files: vec![(name.into(), vec![1])] };
        let error = result.unpack(&dir.path().join("run")).unwrap_err();
        assert!(error.to_string().contains("outside the run folder"), "{error}");
    }
    let files = vec![("policies/round-001.safetensors".into(), vec![1])];
    TaskResult { output: None, files }.unpack(&dir.path().join("run")).unwrap();
    assert!(dir.path().join("run/policies/round-001.safetensors").exists());
}
