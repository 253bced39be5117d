//! `tutelage learn` with several algorithms or seeds: learns them concurrently, then compares them.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use rayon::ThreadPoolBuilder;
use tutelage::evaluation::Evaluation;
use tutelage_compare::{Comparison, ComparisonSettings, find};
use tutelage_reproduce::{Job, JobProgress, JobSet, RunOutcome, WorkError, Workers};
use tutelage_runs::{Ending, Observer, RoundLine};
use tutelage_spec::PreparedRun;
use tutelage_spec::spec::RunSpec;

use super::compare;
use super::learn::{refuse_to_overwrite_curve, save_curve};
use crate::job_display::JobDisplay;
use crate::live_reporter::{Labelled, Unread};
use crate::output::Output;

/// Executes all runs, then compares them.
pub(super) fn learn_many(
    runs: Vec<PreparedRun>,
    root: &Path,
    output: &Output,
    unread: Unread,
) -> anyhow::Result<()> {
    let specs: Vec<RunSpec> = runs.iter().map(|run| run.spec().clone()).collect();
    let name = |spec: &RunSpec| format!("{} seed {}", spec.algorithm, spec.seed);
    let names: Vec<String> = specs.iter().map(name).collect();
    let display = JobDisplay::new(specs.len())?;
    let waiting = runs.into_iter().map(|run| Mutex::new(Some(run))).collect();
    let jobs = LearnJobs { specs: &specs, names, waiting, output, unread, display: &display };
    let count = rayon::current_num_threads().min(specs.len()).max(1);
    let threads = (rayon::current_num_threads() / count).max(1);
    let workers = Workers { shared: vec![&threads; count], exclusive: &threads };
    display.execute(&jobs, &(0..specs.len()).collect::<Vec<_>>(), &workers)?;
    let mut runs = Vec::new();
    for spec in &specs {
        runs.extend(find(&root.join(spec.folder()))?);
    }
    let algorithm = |spec: &RunSpec| spec.algorithm.to_string();
    let several = specs.iter().any(|spec| algorithm(spec) != algorithm(&specs[0]));
    let baseline = several.then(|| algorithm(&specs[0]));
    let comparison = Comparison::new(runs, ComparisonSettings { baseline, ..Default::default() })?;
    compare::print(&comparison, output)?;
    compare::save(&comparison, &root.join(comparison_name(&specs)))
}

/// The folder of the comparison. The same runs always get the same folder.
fn comparison_name(specs: &[RunSpec]) -> String {
    let mut hashes: Vec<String> = specs.iter().map(RunSpec::hash).collect();
    hashes.sort();
    // FNV-1a of all hashes.
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let all = hashes.concat().bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    let task = specs.first().map_or(String::new(), |spec| spec.task.to_string());
    format!("comparison-{task}-{:06x}", all & 0xff_ffff)
}

struct LearnJobs<'a> {
    specs: &'a [RunSpec],
    names: Vec<String>,
    /// The runs that have not started.
    waiting: Vec<Mutex<Option<PreparedRun>>>,
    output: &'a Output,
    unread: Unread,
    display: &'a JobDisplay,
}

impl LearnJobs<'_> {
    fn learn(
        &self,
        job: usize,
        threads: usize,
        progress: JobProgress<'_>,
    ) -> anyhow::Result<Option<RunOutcome>> {
        let waiting = self.waiting[job].lock().unwrap_or_else(PoisonError::into_inner).take();
        let run = waiting.context("the run was started twice")?;
        let (spec, dir) = (&self.specs[job], run.dir().to_owned());
        refuse_to_overwrite_curve(&dir)?;
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let mut observer =
            RunObserver { jobs: self, spec, dir: &dir, progress, expert: None, seconds: 0.0 };
        let report = pool.install(|| run.learn(&mut observer))?;
        if report.ending == Ending::Stopped {
            return Ok(None);
        }
        save_curve(&dir, spec, &report)?;
        Ok(Some(RunOutcome {
            reward: report.lines(spec, &dir).last().map_or(f64::NAN, |line| line.reward),
            expert_reward: observer.expert,
            seconds: observer.seconds,
        }))
    }
}

impl JobSet for LearnJobs<'_> {
    /// The number of threads for each run.
    type Worker = usize;

    fn count(&self) -> usize {
        self.specs.len()
    }

    fn job(&self, job: usize) -> Job<'_> {
        let rounds = self.specs[job].rounds;
        Job { name: &self.names[job], rounds, needs: &[], timed: false }
    }

    fn execute(
        &self,
        job: usize,
        _: bool,
        threads: &usize,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunOutcome>, WorkError> {
        let learned = self.learn(job, *threads, *progress);
        learned.map_err(|error| WorkError::Failed(format!("{error:#}")))
    }
}

/// Reports the rounds of one run, and prints them as JSON.
struct RunObserver<'a> {
    jobs: &'a LearnJobs<'a>,
    spec: &'a RunSpec,
    dir: &'a Path,
    progress: JobProgress<'a>,
    expert: Option<f64>,
    /// The duration of this session's rounds.
    seconds: f64,
}

impl RunObserver<'_> {
    fn print(&self, line: &RoundLine) {
        let labelled = Labelled::new(self.spec, self.dir, self.expert, line);
        if self.jobs.output.json(&labelled).is_err() && self.jobs.unread == Unread::Stop {
            self.jobs.display.stop();
        }
    }
}

impl Observer for RunObserver<'_> {
    fn started(&mut self, expert: Option<&Evaluation>, finished: &[RoundLine]) {
        self.expert = expert.map(Evaluation::mean_reward);
        self.progress.round(finished.len());
        finished.iter().for_each(|line| self.print(line));
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.expert = Some(expert.mean_reward());
    }

    fn round(&mut self, line: &RoundLine) {
        self.seconds += line.seconds.unwrap_or_default();
        self.progress.round(line.round);
        self.print(line);
    }

    fn wants_stop(&mut self) -> bool {
        self.progress.wants_stop()
    }
}
