//! Executes several runs and displays their progress: a live line on a terminal, plain lines in a log.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::ProgressBar;
use tutelage_reproduce::{JobObserver, JobSet, RunOutcome, ScheduleOutcome, Workers, execute};
use tutelage_runs::terminal::{digits, rough, stop_on_ctrl_c};

use crate::live_reporter::live_line;
use crate::output::{Interrupted, note};

/// The maximum number of running jobs in the live line.
const SHOWN: usize = 16;

/// Displays the progress of jobs, and stops them on Ctrl-C.
pub(crate) struct JobDisplay {
    /// The number of requests to stop.
    stops: Arc<AtomicUsize>,
    count: usize,
    finished: AtomicUsize,
    /// The live line, if standard error is a terminal.
    bar: Option<ProgressBar>,
    running: Mutex<Vec<RunningJob>>,
}

struct RunningJob {
    name: String,
    finished_rounds: usize,
    rounds: usize,
}

impl JobDisplay {
    /// A display of this number of jobs.
    pub(crate) fn new(count: usize) -> anyhow::Result<Self> {
        let (stops, bar) = (stop_on_ctrl_c()?, live_line(count, "runs"));
        Ok(Self { stops, count, finished: AtomicUsize::new(0), bar, running: Mutex::default() })
    }

    /// Executes these jobs.
    pub(crate) fn execute<J: JobSet>(
        &self,
        jobs: &J,
        outstanding: &[usize],
        workers: &Workers<'_, J::Worker>,
    ) -> anyhow::Result<()> {
        let outcome = execute(jobs, outstanding, workers, self);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        match outcome? {
            ScheduleOutcome::Finished => Ok(()),
            ScheduleOutcome::Stopped => Err(Interrupted(format!(
                "stopped with {} of {} runs finished; all annotations are saved, and the same command resumes",
                self.finished.load(Ordering::SeqCst),
                self.count
            ))
            .into()),
        }
    }

    /// Stops all jobs at their next safe point.
    pub(crate) fn stop(&self) {
        self.stops.fetch_add(1, Ordering::SeqCst);
    }

    /// Changes the list of running jobs, and displays it.
    fn update(&self, change: impl FnOnce(&mut Vec<RunningJob>)) {
        let Some(bar) = &self.bar else { return };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        let shown = running.iter().take(SHOWN);
        let jobs = shown.map(|job| format!("{} {}/{}", job.name, job.finished_rounds, job.rounds));
        let mut message = jobs.collect::<Vec<_>>().join(", ");
        if running.len() > SHOWN {
            message += &format!(" and {} more", running.len() - SHOWN);
        }
        bar.set_message(message);
    }

    fn remove(&self, job: &str) {
        self.update(|running| running.retain(|other| other.name != job));
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => note(text),
        }
    }
}

impl JobObserver for JobDisplay {
    fn began(&self, job: &str, rounds: usize) {
        let job = RunningJob { name: job.to_owned(), finished_rounds: 0, rounds };
        self.update(|running| running.push(job));
    }

    fn round(&self, job: &str, round: usize) {
        self.update(|running| {
            let same = running.iter_mut().filter(|other| other.name == job);
            same.for_each(|job| job.finished_rounds = round);
        });
    }

    fn finished(&self, job: &str, outcome: &RunOutcome, left: usize, seconds: f64) {
        let RunOutcome { reward, expert_reward, .. } = *outcome;
        let expert = expert_reward.filter(|expert| *expert > 0.0);
        let share = expert.map_or(String::new(), |expert| {
            format!(" ({:.0} % of the expert)", 100.0 * reward / expert)
        });
        self.remove(job);
        let done = self.count - left;
        self.finished.fetch_add(1, Ordering::SeqCst);
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        }
        self.line(&format!(
            "{done:>4}/{}  {job}  reward {reward:.*}{share}  {:.0} s  about {} left",
            self.count,
            digits(reward),
            outcome.seconds,
            rough(seconds),
        ));
    }

    fn waits(&self, job: &str) {
        self.line(&format!("{job} waits: another process has locked its folder"));
    }

    fn lost(&self, job: &str, why: &str) {
        self.remove(job);
        self.line(&format!("{job}: {why}; it will be started again"));
    }

    fn failed(&self, job: &str, why: &str) {
        self.remove(job);
        self.line(&format!("{job} failed: {why}"));
    }

    fn wants_stop(&self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}
