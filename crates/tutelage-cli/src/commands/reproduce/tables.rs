//! The rows of the tables of `tutelage reproduce`.

use serde::Serialize;
use tutelage_reproduce::{PlannedRun, RunCost, RunList};

use crate::output::Row;
use tutelage_runs::terminal::rough;

/// A figure and the number of its finished runs.
#[derive(Serialize)]
pub(super) struct FigureRow {
    pub(super) figure: String,
    pub(super) runs: usize,
    pub(super) done: usize,
    pub(super) estimate_seconds: f64,
    #[serde(skip)]
    pub(super) paper: String,
}

impl Row for FigureRow {
    const HEADINGS: &'static [&'static str] = &["figure", "runs", "done", "to do", "in the paper"];

    fn cells(&self) -> Vec<String> {
        let left = match self.done == self.runs {
            true => "–".into(),
            false => rough(self.estimate_seconds),
        };
        let (runs, done) = (self.runs.to_string(), self.done.to_string());
        vec![self.figure.clone(), runs, done, left, self.paper.clone()]
    }
}

/// Runs to execute that differ only in seed and data.
#[derive(Serialize)]
pub(super) struct KindRow {
    pub(super) task: String,
    pub(super) class: String,
    pub(super) algorithm: String,
    pub(super) runs: usize,
    pub(super) estimate_seconds: f64,
}

impl Row for KindRow {
    const HEADINGS: &'static [&'static str] =
        &["task", "class", "algorithm", "runs", "core-seconds"];

    fn cells(&self) -> Vec<String> {
        let (task, class) = (self.task.clone(), self.class.clone());
        let seconds = format!("{:.0}", self.estimate_seconds);
        vec![task, class, self.algorithm.clone(), self.runs.to_string(), seconds]
    }
}

/// A run to execute.
#[derive(Serialize)]
pub(super) struct RunRow<'a> {
    run: &'a str,
    task: String,
    algorithm: String,
    class: String,
    seed: u64,
    timed: bool,
    /// The runs whose annotations it reads.
    needs: Vec<&'a str>,
    /// Those of them that must be executed first.
    after: Vec<&'a str>,
    core_seconds: f64,
}

impl<'a> RunRow<'a> {
    /// `outstanding` is sorted.
    pub(super) fn new(
        list: &'a RunList,
        run: usize,
        outstanding: &[usize],
        core_seconds: f64,
    ) -> Self {
        let PlannedRun { name, spec, needs, timed, .. } = &list[run];
        let names = |runs: &mut dyn Iterator<Item = &usize>| -> Vec<&'a str> {
            runs.map(|&run| list[run].name.as_str()).collect()
        };
        Self {
            run: name,
            task: spec.task.to_string(),
            algorithm: spec.algorithm.to_string(),
            class: spec.class.to_string(),
            seed: spec.seed,
            timed: *timed,
            needs: names(&mut needs.iter()),
            after: names(&mut needs.iter().filter(|need| outstanding.binary_search(need).is_ok())),
            core_seconds: (10.0 * core_seconds).round() / 10.0,
        }
    }
}

/// The time and memory of a run.
#[derive(Serialize)]
pub(super) struct CostRow {
    task: String,
    algorithm: String,
    threads: usize,
    seconds: f64,
    authors_seconds: Option<f64>,
    memory_mb: Option<f64>,
    #[serde(skip)]
    numbers: [String; 4],
}

impl CostRow {
    pub(super) fn new(cost: &RunCost) -> Self {
        Self {
            task: cost.task.to_string(),
            algorithm: cost.algorithm.to_string(),
            threads: cost.threads,
            seconds: cost.seconds,
            authors_seconds: cost.authors_seconds,
            memory_mb: cost.memory.map(|bytes| bytes as f64 / 1e6),
            numbers: cost.numbers(),
        }
    }
}

impl Row for CostRow {
    const HEADINGS: &'static [&'static str] =
        &["task", "algorithm", "threads", "seconds", "the authors' seconds", "times faster", "MB"];

    fn cells(&self) -> Vec<String> {
        let fixed = [self.task.clone(), self.algorithm.clone(), self.threads.to_string()];
        fixed.into_iter().chain(self.numbers.clone()).collect()
    }
}
