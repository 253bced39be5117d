//! The state of every job: which can start, which run, how many are left.
//!
//! Each event costs the same regardless of the number of jobs: queues and counts are updated, not recomputed.

use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::JobSet;

/// The state of all jobs of a [`JobSet`].
#[derive(Default)]
pub(super) struct JobQueue {
    jobs: Vec<QueuedJob>,
    /// The shared jobs and the timed jobs that can start, with their urgency.
    ready: [BinaryHeap<(usize, usize)>; 2],
    /// The number of jobs of each cost class that are neither finished nor failed.
    left: BTreeMap<usize, usize>,
    running: usize,
    /// The number of finished jobs and their total seconds.
    finished: (usize, f64),
    /// The failed jobs with the reasons.
    pub(super) failed: Vec<(String, String)>,
    losses: HashMap<usize, usize>,
}

struct QueuedJob {
    state: JobState,
    /// The number of needed jobs that are not finished yet.
    unmet: usize,
    /// The jobs that need this one.
    followers: Vec<usize>,
    cost_class: usize,
    /// Jobs with a higher urgency start earlier.
    urgency: usize,
    timed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JobState {
    /// Finished, or not requested.
    Settled,
    Waiting,
    Running,
    Failed,
}

impl JobQueue {
    /// Queues the outstanding jobs; all others count as settled.
    pub(super) fn new(set: &impl JobSet, outstanding: &[usize]) -> Self {
        let queued = |job| QueuedJob {
            state: JobState::Settled,
            unmet: 0,
            followers: vec![],
            cost_class: set.cost_class(job),
            urgency: 0,
            timed: set.job(job).timed,
        };
        let mut jobs: Vec<QueuedJob> = (0..set.count()).map(queued).collect();
        outstanding.iter().for_each(|&job| jobs[job].state = JobState::Waiting);
        for job in 0..jobs.len() {
            for &need in set.job(job).needs {
                jobs[need].followers.push(job);
                jobs[job].unmet += usize::from(jobs[need].state == JobState::Waiting);
            }
        }
        for (urgency, job) in by_urgency(set, outstanding, &jobs).into_iter().enumerate() {
            jobs[job].urgency = urgency;
        }
        let mut queue = Self { jobs, ..Self::default() };
        for &job in outstanding {
            *queue.left.entry(queue.jobs[job].cost_class).or_default() += 1;
            queue.offer(job);
        }
        queue
    }

    /// Returns whether other jobs need this unfinished one.
    pub(super) fn is_needed(&self, job: usize) -> bool {
        !self.jobs[job].followers.is_empty()
    }

    /// Starts the most urgent shared or timed job.
    pub(super) fn begin(&mut self, timed: bool) -> Option<usize> {
        let (_, job) = self.ready[usize::from(timed)].pop()?;
        self.jobs[job].state = JobState::Running;
        self.running += 1;
        Some(job)
    }

    /// Returns whether no job is running.
    pub(super) fn is_idle(&self) -> bool {
        self.running == 0
    }

    /// Marks a job as finished, which may let its followers start.
    pub(super) fn finish(&mut self, job: usize, seconds: f64) {
        self.end(job, JobState::Settled);
        self.finished = (self.finished.0 + 1, self.finished.1 + seconds);
        for follower in std::mem::take(&mut self.jobs[job].followers) {
            self.jobs[follower].unmet -= 1;
            self.offer(follower);
        }
    }

    /// Marks a job as failed; its followers never start.
    pub(super) fn fail(&mut self, job: usize, name: &str, why: String) {
        self.end(job, JobState::Failed);
        self.failed.push((name.to_owned(), why));
    }

    fn end(&mut self, job: usize, state: JobState) {
        let job = &mut self.jobs[job];
        job.state = state;
        self.running -= 1;
        if let Some(left) = self.left.get_mut(&job.cost_class) {
            *left -= 1;
        }
    }

    /// Returns a started job to the queue.
    pub(super) fn put_back(&mut self, job: usize) {
        self.jobs[job].state = JobState::Waiting;
        self.running -= 1;
        self.offer(job);
    }

    /// Queues a job if it can start.
    fn offer(&mut self, index: usize) {
        let job = &self.jobs[index];
        if job.state == JobState::Waiting && job.unmet == 0 {
            self.ready[usize::from(job.timed)].push((job.urgency, index));
        }
    }

    /// Counts a lost worker; returns how often this job has lost one.
    pub(super) fn lose(&mut self, job: usize) -> usize {
        let losses = self.losses.entry(job).or_default();
        *losses += 1;
        *losses
    }

    /// Returns the number of jobs that are neither finished nor failed.
    pub(super) fn left(&self) -> usize {
        self.left.values().sum()
    }

    /// Returns the estimated seconds of the remaining jobs on one core.
    pub(super) fn seconds_left(&self, set: &impl JobSet) -> f64 {
        let mean = self.finished.1 / self.finished.0.max(1) as f64;
        let of_class = |(&class, &count): (&usize, &usize)| {
            count as f64 * set.core_seconds(class).unwrap_or(mean)
        };
        self.left.iter().map(of_class).sum()
    }
}

/// Sorts jobs by urgency, the most urgent last: needed ones, then the longest, then the first.
fn by_urgency(set: &impl JobSet, outstanding: &[usize], queued: &[QueuedJob]) -> Vec<usize> {
    let cost = |&job: &usize| (job, set.core_seconds(job).unwrap_or(0.0));
    let mut jobs: Vec<(usize, f64)> = outstanding.iter().map(cost).collect();
    let is_needed = |job: usize| !queued[job].followers.is_empty();
    jobs.sort_by(|&(a, cost_a), &(b, cost_b)| {
        is_needed(a).cmp(&is_needed(b)).then(cost_a.total_cmp(&cost_b)).then(b.cmp(&a))
    });
    jobs.into_iter().map(|(job, _)| job).collect()
}
