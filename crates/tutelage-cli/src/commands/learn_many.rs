//! `tutelage learn` with several algorithms or seeds: learns them concurrently, then compares them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rayon::ThreadPoolBuilder;
use tutelage::evaluation::Evaluation;
use tutelage_compare::{Comparison, ComparisonSettings, find};
use tutelage_lab::learn_in;
use tutelage_lab::spec::RunSpec;
use tutelage_reproduce::{
    Job, JobObserver, JobProgress, JobSet, MeanSeconds, RunOutcome, ScheduleOutcome, WorkError,
    Workers, execute,
};
use tutelage_runs::terminal::{digits, rough, stop_on_ctrl_c};
use tutelage_runs::{Ending, Observer, RoundLine, Stage};

use super::compare;
use super::learn::{refuse_to_overwrite_curve, save_curve};
use crate::live_reporter::{Labelled, Unread, begin, still_line};
use crate::output::{Interrupted, Output, note};

/// Learns all specs, each in its own folder, then compares them.
pub(super) fn learn_many(
    specs: &[RunSpec],
    out: Option<PathBuf>,
    output: &Output,
    unread: Unread,
) -> anyhow::Result<()> {
    let root = out.unwrap_or_else(|| "runs".into());
    let jobs = LearnJobs::new(specs, &root, output, unread)?;
    let count = rayon::current_num_threads().min(specs.len()).max(1);
    let threads = (rayon::current_num_threads() / count).max(1);
    let workers = Workers { shared: vec![&threads; count], exclusive: &threads };
    let all: Vec<usize> = (0..specs.len()).collect();
    let outcome = execute(&jobs, &all, &workers, &jobs);
    if let Some((_, bar)) = &jobs.view {
        bar.finish_and_clear();
    }
    if outcome? == ScheduleOutcome::Stopped {
        let (done, all) = (jobs.done.into_inner(), specs.len());
        let text = format!(
            "stopped with {done} of {all} runs finished; all annotations are saved, and the same command resumes"
        );
        return Err(Interrupted(text).into());
    }
    let mut runs = Vec::new();
    for folder in &jobs.folders {
        runs.extend(find(Path::new(folder))?);
    }
    let algorithm = |spec: &RunSpec| spec.algorithm.to_string();
    let several = specs.iter().any(|spec| algorithm(spec) != algorithm(&specs[0]));
    let baseline = several.then(|| algorithm(&specs[0]));
    let comparison = Comparison::new(runs, ComparisonSettings { baseline, ..Default::default() })?;
    compare::print(&comparison, output)?;
    compare::save(&comparison, &root.join(comparison_name(specs)))
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

/// The runs to learn and their display.
struct LearnJobs<'a> {
    specs: &'a [RunSpec],
    /// The folders of the runs, which are also the names of the jobs.
    folders: Vec<String>,
    output: &'a Output,
    unread: Unread,
    stops: Arc<AtomicUsize>,
    done: AtomicUsize,
    durations: MeanSeconds,
    /// A line about each finished run.
    results: Mutex<HashMap<String, String>>,
    /// The live lines, if standard error is a terminal: one for all runs, one for each running one.
    view: Option<(MultiProgress, ProgressBar)>,
}

impl<'a> LearnJobs<'a> {
    fn new(
        specs: &'a [RunSpec],
        root: &Path,
        output: &'a Output,
        unread: Unread,
    ) -> anyhow::Result<Self> {
        let view = still_line(specs.len(), "runs").map(|bar| {
            let lines = MultiProgress::new();
            let bar = lines.add(bar);
            begin(&bar);
            (lines, bar)
        });
        let folder = |spec: &RunSpec| root.join(spec.folder()).display().to_string();
        Ok(Self {
            specs,
            folders: specs.iter().map(folder).collect(),
            output,
            unread,
            stops: stop_on_ctrl_c()?,
            done: AtomicUsize::new(0),
            durations: MeanSeconds::default(),
            results: Mutex::default(),
            view,
        })
    }

    fn learn(
        &self,
        job: usize,
        threads: usize,
        progress: &JobProgress<'_>,
    ) -> anyhow::Result<Option<RunOutcome>> {
        let (spec, dir) = (&self.specs[job], PathBuf::from(&self.folders[job]));
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        refuse_to_overwrite_curve(&dir)?;
        let mut observer = RunDisplay::new(self, spec, dir.clone(), progress);
        let report = pool.install(|| learn_in(&dir, spec, &mut observer));
        observer.end();
        let report = report?;
        if report.ending == Ending::Stopped {
            return Ok(None);
        }
        save_curve(&dir, spec, &report)?;
        let lines = report.lines(spec, &dir);
        let expert = report.history.expert();
        let result = lines.last().map_or(String::new(), |last| {
            let steps = last.driven().map_or(String::new(), |steps| format!(" + {steps} steps"));
            format!("{} after {}{steps}", earned(last.reward, expert), last.annotations)
        });
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        results.insert(self.folders[job].clone(), format!("{}: {result}", name(spec)));
        let seconds = observer.seconds;
        self.durations.add(seconds);
        Ok(Some(RunOutcome {
            reward: lines.last().map_or(f64::NAN, |line| line.reward),
            expert_reward: expert.map(Evaluation::mean_reward),
            seconds,
        }))
    }

    fn line(&self, text: &str) {
        match &self.view {
            Some((_, bar)) => bar.println(text),
            None => note(text),
        }
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
        Job { name: &self.folders[job], rounds, needs: &[], timed: false }
    }

    fn cost_class(&self, _: usize) -> usize {
        0
    }

    fn core_seconds(&self, _: usize) -> f64 {
        self.durations.mean()
    }

    fn execute(
        &self,
        job: usize,
        _: bool,
        threads: &usize,
        progress: &JobProgress<'_>,
    ) -> Result<Option<RunOutcome>, WorkError> {
        let learned = self.learn(job, *threads, progress);
        learned.map_err(|error| WorkError::Failed(format!("{error:#}")))
    }
}

impl JobObserver for LearnJobs<'_> {
    fn finished(&self, job: &str, _: &RunOutcome, left: usize, seconds: f64) {
        let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let result = results.get(job).map_or(job, String::as_str);
        self.line(&format!("{done:>3}/{}  {result}, {} left", done + left, rough(seconds)));
        if let Some((_, bar)) = &self.view {
            bar.set_position(done as u64);
        }
    }

    fn failed(&self, job: &str, why: &str) {
        self.line(&format!("{job} failed: {why}"));
    }

    fn wants_stop(&self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0
    }
}

fn name(spec: &RunSpec) -> String {
    format!("{} seed {}", spec.algorithm, spec.seed)
}

/// Formats a reward and its share of the expert's.
fn earned(reward: f64, expert: Option<&Evaluation>) -> String {
    let share = match expert.map(Evaluation::mean_reward) {
        Some(expert) if expert > 0.0 => format!(" ({:.0} %)", 100.0 * reward / expert),
        _ => String::new(),
    };
    format!("{reward:.*}{share}", digits(reward))
}

/// Displays one run, and prints its rounds as JSON.
struct RunDisplay<'a> {
    jobs: &'a LearnJobs<'a>,
    spec: &'a RunSpec,
    dir: PathBuf,
    progress: &'a JobProgress<'a>,
    bar: Option<ProgressBar>,
    expert: Option<Evaluation>,
    /// The reward of the last round.
    earned: String,
    seconds: f64,
}

impl<'a> RunDisplay<'a> {
    fn new(
        jobs: &'a LearnJobs<'a>,
        spec: &'a RunSpec,
        dir: PathBuf,
        progress: &'a JobProgress<'a>,
    ) -> Self {
        let bar = jobs.view.as_ref().map(|(lines, _)| {
            let bar = lines.add(ProgressBar::new(spec.rounds as u64));
            let style = ProgressStyle::with_template("{bar:16} {pos}/{len}  {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(name(spec));
            bar
        });
        let (expert, earned) = (None, String::new());
        Self { jobs, spec, dir, progress, bar, expert, earned, seconds: 0.0 }
    }

    fn print(&self, line: &RoundLine) {
        let expert = self.expert.as_ref().map(Evaluation::mean_reward);
        let labelled = Labelled::new(self.spec, &self.dir, expert, line);
        if self.jobs.output.json(&labelled).is_err() && self.jobs.unread == Unread::Stop {
            self.jobs.stops.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for RunDisplay<'_> {
    fn started(&mut self, expert: Option<&Evaluation>, finished: &[RoundLine]) {
        self.expert = expert.cloned();
        finished.iter().for_each(|line| self.print(line));
    }

    fn stage(&mut self, round: usize, stage: Stage) {
        if let Some(bar) = &self.bar {
            bar.set_position(round.saturating_sub(1) as u64);
            bar.set_message(format!("{}{}, {}", name(self.spec), self.earned, stage));
        }
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.expert = Some(expert.clone());
    }

    fn round(&mut self, line: &RoundLine) {
        self.seconds += line.seconds.unwrap_or_default();
        self.earned = format!(" at {}", earned(line.reward, self.expert.as_ref()));
        self.print(line);
    }

    fn wants_stop(&mut self) -> bool {
        self.progress.wants_stop()
    }
}
