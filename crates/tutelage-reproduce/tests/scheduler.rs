//! The order of jobs and the estimates of the scheduler, with jobs that do nothing.

#![allow(clippy::unwrap_used)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tutelage_reproduce::{
    FailedJobs, Job, JobObserver, JobProgress, JobSet, RunOutcome, ScheduleOutcome, WorkError,
    Workers, execute,
};

/// A job that ends at once.
#[derive(Clone, Default)]
struct Run {
    needs: Vec<usize>,
    seconds: f64,
    timed: bool,
    fails: bool,
    /// How often its worker is lost.
    losses: usize,
}

/// Jobs, the order in which they started, and the number of queries.
#[derive(Default)]
struct Runs {
    names: Vec<String>,
    runs: Vec<Run>,
    begun: Mutex<Vec<usize>>,
    questions: AtomicUsize,
}

impl Runs {
    fn new(runs: Vec<Run>) -> Self {
        let names = (0..runs.len()).map(|run| run.to_string()).collect();
        Self { names, runs, ..Self::default() }
    }

    fn ask(&self, run: usize) -> &Run {
        self.questions.fetch_add(1, Ordering::Relaxed);
        &self.runs[run]
    }

    /// Executes these jobs with one worker.
    fn execute(
        &self,
        outstanding: &[usize],
        observer: &dyn JobObserver,
    ) -> Result<ScheduleOutcome, FailedJobs> {
        execute(self, outstanding, &Workers { shared: vec![&()], exclusive: &() }, observer)
    }

    fn begun(self) -> Vec<usize> {
        self.begun.into_inner().unwrap()
    }
}

impl JobSet for Runs {
    type Worker = ();

    fn count(&self) -> usize {
        self.runs.len()
    }

    fn job(&self, run: usize) -> Job<'_> {
        let Run { needs, timed, .. } = self.ask(run);
        Job { name: &self.names[run], rounds: 1, needs, timed: *timed }
    }

    fn cost_class(&self, run: usize) -> usize {
        let seconds = self.runs[run].seconds;
        self.runs.iter().position(|other| other.seconds == seconds).unwrap()
    }

    fn core_seconds(&self, run: usize) -> Option<f64> {
        Some(self.ask(run).seconds)
    }

    fn execute(
        &self,
        run: usize,
        _: bool,
        (): &(),
        _: &JobProgress<'_>,
    ) -> Result<Option<RunOutcome>, WorkError> {
        let mut begun = self.begun.lock().unwrap();
        begun.push(run);
        let attempts = || begun.iter().filter(|&&other| other == run).count();
        match &self.runs[run] {
            Run { fails: true, .. } => Err(WorkError::Failed("poisoned".into())),
            &Run { losses, .. } if losses > 0 && attempts() <= losses => {
                Err(WorkError::Lost("gone".into()))
            }
            _ => Ok(Some(RunOutcome { reward: 0.0, expert_reward: None, seconds: 0.0 })),
        }
    }
}

/// Records the reported numbers of remaining jobs and seconds.
#[derive(Default)]
struct Notes(Mutex<Vec<(usize, f64)>>);

impl JobObserver for Notes {
    fn finished(&self, _: &str, _: &RunOutcome, left: usize, seconds: f64) {
        self.0.lock().unwrap().push((left, seconds));
    }
}

fn run(seconds: f64, needs: &[usize]) -> Run {
    Run { seconds, needs: needs.into(), ..Run::default() }
}

fn timed(seconds: f64, needs: &[usize]) -> Run {
    Run { timed: true, ..run(seconds, needs) }
}

#[test]
fn needed_jobs_start_first_then_the_longest_then_timed_ones() {
    // 4 and 5 need 3. 4 takes as long as 1 and comes later. 2 is not requested.
    let [two, nine, skipped] = [2.0, 9.0, 99.0].map(|seconds| run(seconds, &[]));
    let all = vec![two, nine, skipped, run(1.0, &[2]), run(9.0, &[3]), timed(9.0, &[3])];
    let (runs, notes) = (Runs::new(all), Notes::default());
    assert_eq!(runs.execute(&[0, 1, 3, 4, 5], &notes).unwrap(), ScheduleOutcome::Finished);
    assert_eq!(runs.begun(), [3, 1, 4, 0, 5]);
    let left = [(4, 29.0), (3, 20.0), (2, 11.0), (1, 9.0), (0, 0.0)];
    assert_eq!(*notes.0.lock().unwrap(), left);
}

#[test]
fn a_lost_job_is_retried_but_not_forever() {
    for job in [run(1.0, &[]), timed(1.0, &[])] {
        let lost = |losses| Run { losses, ..job.clone() };
        let runs = Runs::new(vec![lost(2), lost(usize::MAX)]);
        let failed = runs.execute(&[0, 1], &Notes::default()).unwrap_err();
        assert_eq!(failed.runs, [("1".into(), "gone".into())]);
        let begun = runs.begun();
        let times = |run| begun.iter().filter(|&&other| other == run).count();
        assert_eq!((times(0), times(1)), (3, 5));
    }
}

/// Stops after two jobs.
struct Impatient(AtomicUsize);

impl JobObserver for Impatient {
    fn finished(&self, _: &str, _: &RunOutcome, _: usize, _: f64) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn wants_stop(&self) -> bool {
        self.0.load(Ordering::SeqCst) >= 2
    }
}

#[test]
fn a_stop_starts_no_further_job() {
    let runs = Runs::new(vec![run(1.0, &[]); 5]);
    let outcome = runs.execute(&[0, 1, 2, 3, 4], &Impatient(AtomicUsize::new(0)));
    assert_eq!(outcome.unwrap(), ScheduleOutcome::Stopped);
    assert_eq!(runs.begun(), [0, 1]);
}

#[test]
fn no_job_starts_without_what_it_needs() {
    let poisoned = Run { fails: true, ..run(1.0, &[]) };
    let runs = Runs::new(vec![poisoned, run(1.0, &[0]), timed(1.0, &[0]), timed(1.0, &[])]);
    let failed = runs.execute(&[0, 1, 2, 3], &Notes::default()).unwrap_err();
    assert_eq!((failed.runs.len(), failed.held_up), (1, 2));
    assert_eq!(runs.begun(), [0, 3]);
}

#[test]
fn the_cost_per_job_does_not_depend_on_their_number() {
    let questions = |count: usize| {
        // Each job except the first needs an earlier one.
        let needs = |run: usize| if run == 0 { vec![] } else { vec![run / 2] };
        let runs = (0..count).map(|place| run((place % 3) as f64, &needs(place)));
        let runs = Runs::new(runs.collect());
        let all: Vec<usize> = (0..count).collect();
        assert_eq!(runs.execute(&all, &Notes::default()).unwrap(), ScheduleOutcome::Finished);
        runs.questions.into_inner() / count
    };
    assert_eq!(questions(4000), questions(100));
}

#[test]
#[ignore = "prints the scheduler's time per job for a million jobs"]
fn a_million_jobs_are_scheduled() {
    let needs = |run: usize| if run.is_multiple_of(2) { vec![] } else { vec![run - 1] };
    let runs = (0..1_000_000).map(|place| Run { needs: needs(place), ..Run::default() });
    let (runs, all) = (Runs::new(runs.collect()), (0..1_000_000).collect::<Vec<_>>());
    let start = std::time::Instant::now();
    let workers = Workers { shared: vec![&(); 4096], exclusive: &() };
    execute(&runs, &all, &workers, &Notes::default()).unwrap();
    println!("{:.1} µs per job", start.elapsed().as_secs_f64());
}
