//! Several runs at once: algorithms and seeds, over all cores, then side by side.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rayon::ThreadPoolBuilder;
use tutelage::Evaluation;
use tutelage_compare::{Comparison, ComparisonSettings, find};
use tutelage_lab::spec::RunSpec;
use tutelage_lab::{Report, learn_in};
use tutelage_runs::store::{RoundResult, RoundTimings};
use tutelage_runs::terminal::{digits, rough, stop_on_ctrl_c};
use tutelage_runs::{Ending, Observer, RoundLine, Stage};

use super::compare;
use super::learn::{refuse_to_overwrite_curve, save_curve};
use crate::live_reporter::{Labelled, Unread, begin, still_line};
use crate::output::{Interrupted, Output, note};

/// Learns all of these, as many at a time as there are threads, each in a folder of its own; then compares them.
pub(super) fn learn_many(
    specs: &[RunSpec],
    out: Option<PathBuf>,
    output: &Output,
    unread: Unread,
) -> anyhow::Result<()> {
    let root = out.unwrap_or_else(|| "runs".into());
    let queue = Queue::new(specs, &root, output, unread)?;
    let workers = rayon::current_num_threads().min(specs.len()).max(1);
    let threads = (rayon::current_num_threads() / workers).max(1);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| queue.work(threads));
        }
    });
    queue.end()?;
    let mut runs = Vec::new();
    for spec in specs {
        runs.extend(find(&queue.folder(spec))?);
    }
    let algorithm = |spec: &RunSpec| spec.algorithm.to_string();
    let several = specs.iter().any(|spec| algorithm(spec) != algorithm(&specs[0]));
    let baseline = several.then(|| algorithm(&specs[0]));
    let comparison =
        Comparison::new(runs, ComparisonSettings { baseline, ..ComparisonSettings::default() })?;
    compare::print(&comparison, output)?;
    compare::save(&comparison, &root.join(comparison_name(specs)))
}

/// The same runs are compared in the same place, others in another.
fn comparison_name(specs: &[RunSpec]) -> String {
    let mut hashes: Vec<String> = specs.iter().map(RunSpec::hash).collect();
    hashes.sort();
    // FNV-1a of all hashes: a name, not a proof.
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let all = hashes.concat().bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    let task = specs.first().map_or(String::new(), |spec| spec.task.to_string());
    format!("comparison-{task}-{:06x}", all & 0xff_ffff)
}

/// What is left to do, and how it shows itself.
struct Queue<'a> {
    specs: &'a [RunSpec],
    root: &'a Path,
    output: &'a Output,
    unread: Unread,
    next: AtomicUsize,
    done: AtomicUsize,
    stops: Arc<AtomicUsize>,
    error: Mutex<Option<anyhow::Error>>,
    /// The live lines, where standard error is a terminal: one for all, one for each run under way.
    view: Option<(MultiProgress, ProgressBar)>,
    begun: Instant,
}

impl<'a> Queue<'a> {
    fn new(
        specs: &'a [RunSpec],
        root: &'a Path,
        output: &'a Output,
        unread: Unread,
    ) -> anyhow::Result<Self> {
        let view = still_line(specs.len(), "runs").map(|bar| {
            let lines = MultiProgress::new();
            let bar = lines.add(bar);
            begin(&bar);
            (lines, bar)
        });
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (stops, error, begun) = (stop_on_ctrl_c()?, Mutex::new(None), Instant::now());
        Ok(Self { specs, root, output, unread, next, done, stops, error, view, begun })
    }

    fn folder(&self, spec: &RunSpec) -> PathBuf {
        self.root.join(spec.folder())
    }

    /// One worker: a run at a time, until nothing is left or something is wrong.
    fn work(&self, threads: usize) {
        while !self.wants_stop() {
            let Some(spec) = self.specs.get(self.next.fetch_add(1, Ordering::SeqCst)) else {
                return;
            };
            if let Err(error) = self.learn(spec, threads) {
                let folder = self.folder(spec);
                let error = error.context(folder.display().to_string());
                self.lock().get_or_insert(error);
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<anyhow::Error>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, spec: &RunSpec, threads: usize) -> anyhow::Result<()> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.context("cannot start threads")?;
        let dir = self.folder(spec);
        refuse_to_overwrite_curve(&dir)?;
        let mut relay = Relay::new(self, spec, dir.clone());
        let report = pool.install(|| learn_in(&dir, spec, &mut relay));
        relay.end();
        let report = report?;
        if report.ending == Ending::Stopped {
            return Ok(());
        }
        save_curve(&dir, spec, &report)?;
        if !relay.has_told {
            relay.tell_all(&report)?;
        }
        self.finished(spec, &report.lines(spec, &dir), report.history.expert());
        Ok(())
    }

    fn finished(&self, spec: &RunSpec, lines: &[RoundLine], expert: Option<&Evaluation>) {
        let done = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        let all = self.specs.len();
        let left = self.begun.elapsed().mul_f64((all - done) as f64 / done as f64);
        if let Some(last) = lines.last() {
            let (name, reward) = (name(spec), earned(last.reward, expert));
            let annotations = last.annotations;
            let steps = last.driven().map_or(String::new(), |steps| format!(" + {steps} steps"));
            self.line(&format!(
                "{done:>3}/{all}  {name}: {reward} after {annotations}{steps}, {} left",
                rough(left)
            ));
        }
        if let Some((_, bar)) = &self.view {
            bar.set_position(done as u64);
        }
    }

    fn line(&self, text: &str) {
        match &self.view {
            Some((_, bar)) => bar.println(text),
            None => note(text),
        }
    }

    fn wants_stop(&self) -> bool {
        self.stops.load(Ordering::SeqCst) > 0 || self.lock().is_some()
    }

    /// Takes the live lines away; says what was wrong, or that not all is done.
    fn end(&self) -> anyhow::Result<()> {
        if let Some((_, bar)) = &self.view {
            bar.finish_and_clear();
        }
        if let Some(error) = self.lock().take() {
            return Err(error);
        }
        let (done, all) = (self.done.load(Ordering::SeqCst), self.specs.len());
        if done < all {
            let text = format!(
                "stopped with {done} of {all} runs finished; all annotations are safe, and the same command goes on from here"
            );
            return Err(Interrupted(text).into());
        }
        Ok(())
    }
}

fn name(spec: &RunSpec) -> String {
    format!("{} seed {}", spec.algorithm, spec.seed)
}

/// A reward, and its share of the expert's.
fn earned(reward: f64, expert: Option<&Evaluation>) -> String {
    let share = match expert.map(Evaluation::mean_reward) {
        Some(expert) if expert > 0.0 => format!(" ({:.0} %)", 100.0 * reward / expert),
        _ => String::new(),
    };
    format!("{reward:.*}{share}", digits(reward))
}

/// Tells the queue what one run tells.
struct Relay<'a> {
    queue: &'a Queue<'a>,
    spec: &'a RunSpec,
    dir: PathBuf,
    bar: Option<ProgressBar>,
    expert: Option<Evaluation>,
    expert_steps: u64,
    /// What the last round earned.
    earned: String,
    /// Whether a round has ended; those of a run that was finished before are told from its log.
    has_told: bool,
}

impl<'a> Relay<'a> {
    fn new(queue: &'a Queue<'a>, spec: &'a RunSpec, dir: PathBuf) -> Self {
        let bar = queue.view.as_ref().map(|(lines, _)| {
            let bar = lines.add(ProgressBar::new(spec.rounds as u64));
            let style = ProgressStyle::with_template("{bar:16} {pos}/{len}  {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(name(spec));
            bar
        });
        Self {
            queue,
            spec,
            dir,
            bar,
            expert: None,
            expert_steps: 0,
            earned: String::new(),
            has_told: false,
        }
    }

    /// The rounds of a run that was finished before.
    fn tell_all(&self, report: &Report) -> anyhow::Result<()> {
        let expert = report.history.expert().map(Evaluation::mean_reward);
        for line in report.lines(self.spec, &self.dir) {
            self.queue.output.json(&Labelled::new(self.spec, &self.dir, expert, &line))?;
        }
        Ok(())
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Relay<'_> {
    fn stage(&mut self, round: usize, stage: Stage) {
        if let Some(bar) = &self.bar {
            bar.set_position(round.saturating_sub(1) as u64);
            bar.set_message(format!("{}{}, {}", name(self.spec), self.earned, stage.in_words()));
        }
    }

    fn expert(&mut self, expert: &Evaluation) {
        self.expert = Some(expert.clone());
    }

    fn expert_steps(&mut self, steps: u64) {
        self.expert_steps = steps;
    }

    fn round(&mut self, result: &RoundResult, annotations: usize, seconds: &RoundTimings) {
        let line = RoundLine::new(result, annotations, Some(self.expert_steps), Some(seconds));
        self.has_told = true;
        self.earned = format!(" at {}", earned(line.reward, self.expert.as_ref()));
        let expert = self.expert.as_ref().map(Evaluation::mean_reward);
        let labelled = Labelled::new(self.spec, &self.dir, expert, &line);
        if self.queue.output.json(&labelled).is_err() && self.queue.unread == Unread::Stop {
            self.queue.stops.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn wants_stop(&mut self) -> bool {
        self.queue.wants_stop()
    }
}
