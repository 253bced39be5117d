//! Sweeps: many runs of Python's environments, scheduled by `tutelage-reproduce`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use tutelage::evaluation::Evaluation;
use tutelage_reproduce::{
    Executor, Job, JobObserver, JobProgress, JobSet, RemoteTask, RunOutcome, WorkError, Workers,
    execute, send_and_wait,
};
use tutelage_runs::store::{AnyHistory, read_any, read_times};

use crate::remote::PythonExecutor;

/// A run of a sweep: its name, its rounds, and the payload for the executor.
#[derive(FromPyObject)]
pub(crate) struct SweepRun(String, usize, Vec<u8>);

/// Executes the unfinished runs among these. Returns the runs that failed and why.
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    dir: PathBuf,
    runs: Vec<SweepRun>,
    executor: Py<PyAny>,
    concurrency: usize,
    observer: Py<PyAny>,
) -> PyResult<Vec<(String, String)>> {
    let sweep = Sweep { dir, runs };
    let unfinished: Vec<usize> = py.detach(|| sweep.unfinished());
    let executor: &dyn Executor = &PythonExecutor(executor);
    let workers = concurrency.clamp(1, unfinished.len().max(1));
    let workers = Workers { shared: vec![executor; workers], exclusive: executor };
    let observer = SweepObserver { object: observer, stop: AtomicBool::new(false) };
    observer.call("planned", (sweep.runs.len(), unfinished.len()));
    let (outcome, interrupted) = py.detach(|| {
        thread::scope(|scope| {
            let outcome = scope.spawn(|| execute(&sweep, &unfinished, &workers, &observer));
            let interrupted = stop_on_signals(&observer, || outcome.is_finished());
            (outcome.join(), interrupted)
        })
    });
    match (interrupted, outcome) {
        (Some(error), _) => Err(error),
        (None, Ok(Ok(_))) => Ok(vec![]),
        (None, Ok(Err(failed))) => Ok(failed.runs),
        (None, Err(_)) => Ok(vec![("the sweep".into(), "internal error, see above".into())]),
    }
}

/// Waits in the main thread, where alone Python handles signals. An exception of a signal handler stops the sweep.
fn stop_on_signals(observer: &SweepObserver, is_over: impl Fn() -> bool) -> Option<PyErr> {
    let mut interrupted = None;
    while !is_over() {
        thread::sleep(Duration::from_millis(20));
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            observer.stop.store(true, Ordering::SeqCst);
            interrupted.get_or_insert(error);
        }
    }
    interrupted
}

struct Sweep {
    dir: PathBuf,
    runs: Vec<SweepRun>,
}

impl Sweep {
    fn unfinished(&self) -> Vec<usize> {
        let is_finished = |&SweepRun(ref name, rounds, _): &SweepRun| {
            read_any(&self.dir.join(name)).is_ok_and(|history| history.results().len() >= rounds)
        };
        (0..self.runs.len()).filter(|&run| !is_finished(&self.runs[run])).collect()
    }
}

impl JobSet for Sweep {
    type Worker = dyn Executor;

    fn count(&self) -> usize {
        self.runs.len()
    }

    fn job(&self, run: usize) -> Job<'_> {
        let SweepRun(name, rounds, _) = &self.runs[run];
        Job { name, rounds: *rounds, needs: &[], timed: false }
    }

    fn execute(
        &self,
        run: usize,
        _: bool,
        executor: &dyn Executor,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunOutcome>, WorkError> {
        let SweepRun(name, _, payload) = &self.runs[run];
        // The folders are the result of a sweep, so they are always copied back.
        let task = RemoteTask {
            name: name.clone(),
            payload: payload.clone(),
            is_needed: true,
            ..RemoteTask::default()
        };
        let result = send_and_wait(executor, task, progress)?;
        let dir = self.dir.join(name);
        result.unpack(&dir)?;
        if result.output.is_none() {
            return Ok(None);
        }
        outcome(&dir).map(Some)
    }
}

fn outcome(dir: &Path) -> Result<RunOutcome, WorkError> {
    let history: AnyHistory = read_any(dir)?;
    let times = read_times(dir);
    let results = history.results();
    Ok(RunOutcome {
        reward: results.last().map_or(f64::NAN, |result| result.deployed.mean_reward()),
        expert_reward: history.expert().map(Evaluation::mean_reward),
        seconds: times.iter().map(|s| s.collect + s.annotate + s.train + s.evaluate).sum(),
    })
}

/// A `tutelage._sweep.SweepProgress`, called from several threads.
struct SweepObserver {
    object: Py<PyAny>,
    stop: AtomicBool,
}

impl SweepObserver {
    /// Calls a method. Failing to report progress is no reason to stop.
    fn call(&self, method: &str, arguments: impl for<'py> PyCallArgs<'py>) {
        Python::attach(|py| {
            let _ = self.object.bind(py).call_method1(method, arguments);
        });
    }
}

impl JobObserver for SweepObserver {
    fn waits(&self, run: &str) {
        self.call("waits", (run,));
    }

    fn finished(&self, run: &str, outcome: &RunOutcome, left: usize, seconds: f64) {
        self.call("finished", (run, outcome.reward, outcome.expert_reward, left, seconds));
    }

    fn lost(&self, run: &str, why: &str) {
        self.call("lost", (run, why));
    }

    fn failed(&self, run: &str, why: &str) {
        self.call("failed", (run, why));
    }

    fn wants_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}
