//! Handing runs to workers: what can begin, what others wait for, what failed, when to stop.

mod jobs;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use self::jobs::Jobs;
use crate::worker::{Listener, WorkError};

/// Runs to be carried out, and how one of them is handed to a worker.
///
/// ```
/// use std::sync::Mutex;
/// use tutelage_reproduce::{
///     Agenda, CameTo, Crew, Item, Listener, Outcome, Watcher, WorkError, carry_out,
/// };
///
/// /// Two runs; the first needs the second.
/// struct Pair(Mutex<Vec<usize>>);
/// impl Agenda for Pair {
///     type Worker = ();
///     fn count(&self) -> usize {
///         2
///     }
///     fn item(&self, run: usize) -> Item<'_> {
///         let needs: &[usize] = if run == 0 { &[1] } else { &[] };
///         Item { name: ["first", "second"][run], rounds: 1, needs, timed: false }
///     }
///     fn alike(&self, run: usize) -> usize {
///         run
///     }
///     fn core_seconds(&self, _run: usize) -> f64 {
///         1.0
///     }
///     fn hand_over(
///         &self,
///         run: usize,
///         _is_needed: bool,
///         _worker: &(),
///         _listener: &dyn Listener,
///     ) -> Result<Option<CameTo>, WorkError> {
///         self.0.lock().unwrap().push(run);
///         Ok(Some(CameTo { reward: 1.0, expert_reward: None, seconds: 0.0 }))
///     }
/// }
///
/// struct Nobody;
/// impl Watcher for Nobody {}
///
/// let runs = Pair(Mutex::default());
/// let crew = Crew { workers: vec![&(), &()], timekeeper: &() };
/// assert_eq!(carry_out(&runs, &[0, 1], &crew, &Nobody).unwrap(), Outcome::Finished);
/// assert_eq!(*runs.0.lock().unwrap(), [1, 0]);
/// ```
pub trait Agenda: Sync {
    /// Who carries out runs.
    type Worker: ?Sized + Sync;

    /// How many runs there are.
    fn count(&self) -> usize;

    /// One of them.
    fn item(&self, run: usize) -> Item<'_>;

    /// A run that stands for all that take as long as this one. There are few kinds of runs, however many runs.
    fn alike(&self, run: usize) -> usize;

    /// Seconds that a run takes on one core, as far as anybody knows: the longest begin first.
    fn core_seconds(&self, run: usize) -> f64;

    /// How many times as long as that runs take at present.
    fn pace(&self) -> f64 {
        1.0
    }

    /// Has a worker carry out a run from wherever an earlier one left it, and keeps what comes back; `is_needed` says whether
    /// others need its log. Returns `None` if the run was told to stop.
    fn hand_over(
        &self,
        run: usize,
        is_needed: bool,
        worker: &Self::Worker,
        listener: &dyn Listener,
    ) -> Result<Option<CameTo>, WorkError>;
}

/// What the scheduler knows of a run.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Its name, which no other run has.
    pub name: &'a str,
    /// How many rounds it has.
    pub rounds: usize,
    /// The runs that must be finished before it.
    pub needs: &'a [usize],
    /// Whether it runs alone.
    pub timed: bool,
}

/// What a finished run came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameTo {
    /// The reward after its last round.
    pub reward: f64,
    /// The expert's own, where it is known.
    pub expert_reward: Option<f64>,
    /// How long it took.
    pub seconds: f64,
}

/// Somebody who watches runs being carried out, from several threads. Runs go by their names.
///
/// ```
/// use tutelage_reproduce::Watcher;
///
/// /// Wants no more after an hour.
/// struct Hour(std::time::Instant);
/// impl Watcher for Hour {
///     fn wants_stop(&self) -> bool {
///         self.0.elapsed().as_secs() > 3600
///     }
/// }
/// assert!(!Hour(std::time::Instant::now()).wants_stop());
/// ```
pub trait Watcher: Sync {
    /// A run of so many rounds begins.
    fn began(&self, run: &str, rounds: usize) {
        let _ = (run, rounds);
    }

    /// A round of a run is over.
    fn round(&self, run: &str, round: usize) {
        let _ = (run, round);
    }

    /// A run waits, because another process still has its folder.
    fn waits(&self, run: &str) {
        let _ = run;
    }

    /// A run is finished; so many are left, which will take so many seconds.
    fn finished(&self, run: &str, came_to: &CameTo, left: usize, seconds: f64) {
        let _ = (run, came_to, left, seconds);
    }

    /// A run's worker was lost; the run is begun again by another.
    fn lost(&self, run: &str, why: &str) {
        let _ = (run, why);
    }

    /// A run failed; the others go on.
    fn failed(&self, run: &str, why: &str) {
        let _ = (run, why);
    }

    /// Whether to stop at the next safe point.
    fn wants_stop(&self) -> bool {
        false
    }
}

/// Who works.
pub struct Crew<'a, W: ?Sized> {
    /// Each carries out one run at a time, beside the others.
    pub workers: Vec<&'a W>,
    /// Who carries out timed runs, alone, when nothing else runs.
    pub timekeeper: &'a W,
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
/// one by one. A run that fails does not keep the others from going on.
pub fn carry_out<A: Agenda>(
    agenda: &A,
    outstanding: &[usize],
    crew: &Crew<'_, A::Worker>,
    watcher: &dyn Watcher,
) -> Result<Outcome, Failed> {
    let jobs = Mutex::new(Jobs::new(agenda, outstanding));
    let cores = crew.workers.len().max(1);
    let queue = Queue { agenda, watcher, cores, jobs, changed: Condvar::new() };
    std::thread::scope(|scope| {
        for &worker in &crew.workers {
            scope.spawn(|| queue.work(worker));
        }
    });
    queue.keep_time(crew.timekeeper);
    let jobs = queue.jobs.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome(jobs, watcher.wants_stop())
}

fn outcome(jobs: Jobs, stopped: bool) -> Result<Outcome, Failed> {
    let left = jobs.left();
    let failed = jobs.into_failed();
    match (stopped, failed.is_empty(), left) {
        (false, false, held_up) => Err(Failed { runs: failed, held_up }),
        (false, true, 0) => Ok(Outcome::Finished),
        _ => Ok(Outcome::Stopped),
    }
}

/// What is left to do, shared by all workers.
struct Queue<'a, A> {
    agenda: &'a A,
    watcher: &'a dyn Watcher,
    cores: usize,
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

impl<A: Agenda> Queue<'_, A> {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker: a run at a time, until nothing is left that can begin.
    fn work(&self, worker: &A::Worker) {
        while let Some(run) = self.take() {
            let outcome = self.hand_over(run, worker);
            self.settle(run, outcome);
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    /// The timed runs, with nothing beside them.
    fn keep_time(&self, worker: &A::Worker) {
        while let Some(run) = self.take_alone() {
            let outcome = self.hand_over(run, worker);
            self.settle(run, outcome);
        }
    }

    fn take_alone(&self) -> Option<usize> {
        if self.watcher.wants_stop() { None } else { self.lock().begin_alone() }
    }

    /// The longest run that can begin, those first that others wait for; waits while there is none yet.
    fn take(&self) -> Option<usize> {
        let mut jobs = self.lock();
        loop {
            if self.watcher.wants_stop() {
                return None;
            }
            match jobs.begin() {
                Some(run) => return Some(run),
                // Whoever is lost comes back; whatever finishes may let others begin.
                None if jobs.are_idle() => return None,
                None => jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn hand_over(&self, run: usize, worker: &A::Worker) -> Result<Option<CameTo>, WorkError> {
        let Item { name, rounds, .. } = self.agenda.item(run);
        self.watcher.began(name, rounds);
        let listener = Relay { run: name, watcher: self.watcher };
        let is_needed = self.lock().is_needed(run);
        let handed = || self.agenda.hand_over(run, is_needed, worker, &listener);
        let fault = |_| Err(WorkError::Failed("a fault of this program, see above".into()));
        catch_unwind(AssertUnwindSafe(handed)).unwrap_or_else(fault)
    }

    /// Takes note of how a run went.
    fn settle(&self, run: usize, outcome: Result<Option<CameTo>, WorkError>) {
        let name = self.agenda.item(run).name;
        let mut jobs = self.lock();
        match outcome {
            Ok(Some(came_to)) => {
                jobs.finish(run);
                let seconds = jobs.seconds_left(self.agenda) / self.cores as f64;
                self.watcher.finished(name, &came_to, jobs.left(), seconds);
            }
            // Told to stop: a run goes on from where it is, and a timed one begins anew.
            Ok(None) => jobs.put_back(run),
            Err(_) if self.watcher.wants_stop() => jobs.put_back(run),
            Err(WorkError::Lost(why)) if jobs.lose(run) < MOST_LOSSES => {
                self.watcher.lost(name, &why);
                jobs.put_back(run);
            }
            Err(WorkError::Lost(why) | WorkError::Failed(why)) => {
                self.watcher.failed(name, &why);
                jobs.fail(run, name, why);
            }
        }
    }
}

/// Tells the watcher what a worker tells.
struct Relay<'a> {
    run: &'a str,
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
