//! Many runs of environments in Python, through the one scheduler.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use tutelage::evaluation::Evaluation;
use tutelage_reproduce::{
    Executor, Job, JobObserver, JobProgress, JobSet, MeanSeconds, RemoteTask, RunOutcome,
    ScheduleOutcome, WorkError, Workers, execute, send_and_wait,
};
use tutelage_runs::store::{AnyHistory, read_any, read_times};

use crate::elsewhere::Engine;

/// A run of a sweep, as Python describes it: its name, its rounds, and what whoever carries it out is told.
#[derive(FromPyObject)]
pub(crate) struct SweepRun(String, usize, Vec<u8>);

/// Carries out those of these runs that are not finished in their folders yet. Returns how many there were to do, the runs
/// that failed with the reasons, and whether it was told to stop.
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    dir: PathBuf,
    runs: Vec<SweepRun>,
    engine: Py<PyAny>,
    at_once: usize,
    narrator: Py<PyAny>,
) -> PyResult<(usize, Vec<(String, String)>, bool)> {
    let sweep = Sweep { dir, runs, durations: MeanSeconds::default() };
    let outstanding: Vec<usize> = py.detach(|| sweep.outstanding());
    let executor: &dyn Executor = &Engine(engine);
    let workers = at_once.clamp(1, outstanding.len().max(1));
    let workers = Workers { shared: vec![executor; workers], exclusive: executor };
    let observer = Narrator { object: narrator, stop: AtomicBool::new(false) };
    observer.tell(|it| it.call_method1("planned", (sweep.runs.len(), outstanding.len())));
    let (outcome, interrupted) = py.detach(|| {
        thread::scope(|scope| {
            let outcome = scope.spawn(|| execute(&sweep, &outstanding, &workers, &observer));
            let interrupted = listen_for_signals(&observer, || outcome.is_finished());
            (outcome.join(), interrupted)
        })
    });
    let (failed, stopped) = match outcome {
        Ok(Ok(outcome)) => (vec![], outcome == ScheduleOutcome::Stopped),
        Ok(Err(failed)) => (failed.runs, false),
        Err(_) => (vec![("the sweep".into(), "a fault of this program, see above".into())], false),
    };
    interrupted.map_or(Ok((outstanding.len(), failed, stopped)), Err)
}

/// Signals reach Python in the main thread alone, which waits here until the work is over; what they raise stops the sweep.
fn listen_for_signals(observer: &Narrator, is_over: impl Fn() -> bool) -> Option<PyErr> {
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
    durations: MeanSeconds,
}

impl Sweep {
    fn outstanding(&self) -> Vec<usize> {
        let is_finished =
            |run: &SweepRun| rounds(&self.dir.join(&run.0)).is_some_and(|rounds| rounds >= run.1);
        (0..self.runs.len()).filter(|&run| !is_finished(&self.runs[run])).collect()
    }
}

fn rounds(dir: &Path) -> Option<usize> {
    Some(read_any(dir).ok()?.results().len())
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

    fn cost_class(&self, _: usize) -> usize {
        0
    }

    fn core_seconds(&self, _: usize) -> f64 {
        self.durations.mean()
    }

    fn execute(
        &self,
        run: usize,
        _: bool,
        executor: &dyn Executor,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunOutcome>, WorkError> {
        let SweepRun(name, _, payload) = &self.runs[run];
        // What a sweep learned is what it was made for: its folders come back from wherever they are.
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
        let outcome = outcome(&dir)?;
        self.durations.add(outcome.seconds);
        Ok(Some(outcome))
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

/// A `tutelage._sweep.Narrator`, told from several threads.
struct Narrator {
    object: Py<PyAny>,
    stop: AtomicBool,
}

impl Narrator {
    /// Tells Python something; that it cannot be told is no reason to stop.
    fn tell(&self, tell: impl for<'py> FnOnce(&Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>) {
        Python::attach(|py| {
            let _ = tell(self.object.bind(py));
        });
    }
}

impl JobObserver for Narrator {
    fn began(&self, run: &str, rounds: usize) {
        self.tell(|it| it.call_method1("began", (run, rounds)));
    }

    fn round(&self, run: &str, round: usize) {
        self.tell(|it| it.call_method1("round", (run, round)));
    }

    fn waits(&self, run: &str) {
        self.tell(|it| it.call_method1("waits", (run,)));
    }

    fn finished(&self, run: &str, outcome: &RunOutcome, left: usize, seconds: f64) {
        let told = (run, outcome.reward, outcome.expert_reward, left, seconds);
        self.tell(|it| it.call_method1("finished", told));
    }

    fn lost(&self, run: &str, why: &str) {
        self.tell(|it| it.call_method1("lost", (run, why)));
    }

    fn failed(&self, run: &str, why: &str) {
        self.tell(|it| it.call_method1("failed", (run, why)));
    }

    fn wants_stop(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }
}
