//! Which runs can begin, which are under way, and how many are left.
//!
//! Whatever happens to a run costs the same however many others there are: queues and sums are kept, not made anew.

use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::Agenda;

/// Where every run of an agenda stands.
pub(super) struct Jobs {
    jobs: Vec<Job>,
    /// The runs that can begin beside others, with their urgency.
    ready: BinaryHeap<(usize, usize)>,
    /// The timed runs that can begin, with their urgency.
    ready_alone: BinaryHeap<(usize, usize)>,
    /// How many runs of each kind are neither finished nor failed.
    left: BTreeMap<usize, usize>,
    running: usize,
    failed: Vec<(String, String)>,
    losses: HashMap<usize, usize>,
}

/// One run.
struct Job {
    state: State,
    /// How many of the runs that it needs are not finished yet.
    unmet: usize,
    /// The runs that need it.
    followers: Vec<usize>,
    /// A run that stands for all that take as long.
    kind: usize,
    /// The higher, the earlier it begins.
    urgency: usize,
    timed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Finished, or nobody's business.
    Settled,
    Waiting,
    Running,
    Failed,
}

impl Jobs {
    /// The outstanding ones wait, the others are settled.
    pub(super) fn new(agenda: &impl Agenda, outstanding: &[usize]) -> Self {
        let job = |run| Job {
            state: State::Settled,
            unmet: 0,
            followers: vec![],
            kind: agenda.alike(run),
            urgency: 0,
            timed: agenda.item(run).timed,
        };
        let mut jobs: Vec<Job> = (0..agenda.count()).map(job).collect();
        outstanding.iter().for_each(|&run| jobs[run].state = State::Waiting);
        for run in 0..jobs.len() {
            for &need in agenda.item(run).needs {
                jobs[need].followers.push(run);
                jobs[run].unmet += usize::from(jobs[need].state == State::Waiting);
            }
        }
        for (urgency, run) in by_urgency(agenda, outstanding, &jobs).into_iter().enumerate() {
            jobs[run].urgency = urgency;
        }
        let (ready, ready_alone) = (BinaryHeap::new(), BinaryHeap::new());
        let (left, failed, losses) = (BTreeMap::new(), vec![], HashMap::new());
        let mut all = Self { jobs, ready, ready_alone, left, running: 0, failed, losses };
        for &run in outstanding {
            *all.left.entry(all.jobs[run].kind).or_default() += 1;
            all.offer(run);
        }
        all
    }

    /// Whether others need a run that is not finished.
    pub(super) fn is_needed(&self, run: usize) -> bool {
        !self.jobs[run].followers.is_empty()
    }

    /// Begins the most urgent run that can begin beside others.
    pub(super) fn begin(&mut self) -> Option<usize> {
        let (_, run) = self.ready.pop()?;
        Some(self.mark_begun(run))
    }

    /// Begins the most urgent timed run.
    pub(super) fn begin_alone(&mut self) -> Option<usize> {
        let (_, run) = self.ready_alone.pop()?;
        Some(self.mark_begun(run))
    }

    fn mark_begun(&mut self, run: usize) -> usize {
        self.jobs[run].state = State::Running;
        self.running += 1;
        run
    }

    /// Whether nothing is under way.
    pub(super) fn are_idle(&self) -> bool {
        self.running == 0
    }

    /// A run is finished: those that waited for it alone can begin.
    pub(super) fn finish(&mut self, run: usize) {
        self.end(run, State::Settled);
        for follower in std::mem::take(&mut self.jobs[run].followers) {
            self.jobs[follower].unmet -= 1;
            self.offer(follower);
        }
    }

    /// A run failed, and those that need it cannot begin.
    pub(super) fn fail(&mut self, run: usize, name: &str, why: String) {
        self.end(run, State::Failed);
        self.failed.push((name.to_owned(), why));
    }

    fn end(&mut self, run: usize, state: State) {
        let job = &mut self.jobs[run];
        job.state = state;
        self.running -= 1;
        if let Some(left) = self.left.get_mut(&job.kind) {
            *left -= 1;
        }
    }

    /// A run that was begun waits again.
    pub(super) fn put_back(&mut self, run: usize) {
        self.jobs[run].state = State::Waiting;
        self.running -= 1;
        self.offer(run);
    }

    /// Queues a run where it can begin.
    fn offer(&mut self, run: usize) {
        let job = &self.jobs[run];
        if job.state == State::Waiting && job.unmet == 0 {
            let queue = if job.timed { &mut self.ready_alone } else { &mut self.ready };
            queue.push((job.urgency, run));
        }
    }

    /// How often a run's worker was lost, this time included.
    pub(super) fn lose(&mut self, run: usize) -> usize {
        let losses = self.losses.entry(run).or_default();
        *losses += 1;
        *losses
    }

    /// How many runs are neither finished nor failed.
    pub(super) fn left(&self) -> usize {
        self.left.values().sum()
    }

    /// Seconds that these will take on one core, if all goes on as it does.
    pub(super) fn seconds_left(&self, agenda: &impl Agenda) -> f64 {
        let of_kind = |(&kind, &count): (&usize, &usize)| count as f64 * agenda.core_seconds(kind);
        self.left.iter().map(of_kind).sum::<f64>() * agenda.pace()
    }

    /// The runs that failed, with the reasons.
    pub(super) fn into_failed(self) -> Vec<(String, String)> {
        self.failed
    }
}

/// Runs in the order of their urgency, the most urgent last: those that others need, then the longest, then the first.
fn by_urgency(agenda: &impl Agenda, outstanding: &[usize], jobs: &[Job]) -> Vec<usize> {
    let cost = |&run: &usize| (run, agenda.core_seconds(run));
    let mut runs: Vec<(usize, f64)> = outstanding.iter().map(cost).collect();
    let is_needed = |run: usize| !jobs[run].followers.is_empty();
    runs.sort_by(|&(a, cost_a), &(b, cost_b)| {
        is_needed(a).cmp(&is_needed(b)).then(cost_a.total_cmp(&cost_b)).then(b.cmp(&a))
    });
    runs.into_iter().map(|(run, _)| run).collect()
}
