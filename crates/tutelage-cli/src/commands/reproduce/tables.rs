//! What `tutelage reproduce` prints, a table for each question.

use std::time::Duration;

use serde::Serialize;
use tutelage_reproduce::{Cost, Summary};
use tutelage_runs::stats::Interval;

use crate::output::Row;
use tutelage_runs::terminal::rough;

/// A figure and how far it is.
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
            false => {
                rough(Duration::try_from_secs_f64(self.estimate_seconds).unwrap_or(Duration::MAX))
            }
        };
        let (runs, done) = (self.runs.to_string(), self.done.to_string());
        vec![self.figure.clone(), runs, done, left, self.paper.clone()]
    }
}

/// Runs to do that differ in seed and data alone.
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

/// A curve in numbers.
#[derive(Serialize)]
pub(super) struct CurveRow {
    task: String,
    setting: String,
    curve: String,
    runs: usize,
    expert: Option<f64>,
    last: [f64; 3],
    average: [f64; 3],
    annotations_to_90: Option<usize>,
    beats_dagger: Option<[f64; 3]>,
}

impl CurveRow {
    pub(super) fn new(summary: &Summary) -> Self {
        let numbers = |interval: Interval| [interval.estimate, interval.low, interval.high];
        Self {
            task: summary.task.to_string(),
            setting: summary.row.clone(),
            curve: summary.curve.clone(),
            runs: summary.runs,
            expert: summary.expert,
            last: numbers(summary.last),
            average: numbers(summary.average),
            annotations_to_90: summary.annotations_to_90,
            beats_dagger: summary.beats_dagger.map(numbers),
        }
    }
}

impl Row for CurveRow {
    const HEADINGS: &'static [&'static str] = &[
        "task",
        "setting",
        "curve",
        "runs",
        "last reward",
        "average over rounds",
        "to 90 %",
        "P(beats DAgger)",
    ];

    fn cells(&self) -> Vec<String> {
        let interval = |[estimate, low, high]: [f64; 3], digits: usize| {
            format!("{estimate:.digits$} [{low:.digits$}, {high:.digits$}]")
        };
        vec![
            self.task.clone(),
            self.setting.clone(),
            self.curve.clone(),
            self.runs.to_string(),
            interval(self.last, 0),
            interval(self.average, 0),
            self.annotations_to_90.map_or("–".into(), |n| n.to_string()),
            self.beats_dagger.map_or("–".into(), |numbers| interval(numbers, 2)),
        ]
    }
}

/// What a run took.
#[derive(Serialize)]
pub(super) struct CostRow {
    task: String,
    algorithm: String,
    threads: usize,
    seconds: f64,
    authors_seconds: Option<f64>,
    memory_mb: Option<f64>,
}

impl CostRow {
    pub(super) fn new(cost: &Cost) -> Self {
        Self {
            task: cost.task.to_string(),
            algorithm: cost.algorithm.to_string(),
            threads: cost.threads,
            seconds: cost.seconds,
            authors_seconds: cost.authors_seconds,
            memory_mb: cost.memory.map(|bytes| bytes as f64 / 1e6),
        }
    }
}

impl Row for CostRow {
    const HEADINGS: &'static [&'static str] =
        &["task", "algorithm", "threads", "seconds", "the authors' seconds", "times faster", "MB"];

    fn cells(&self) -> Vec<String> {
        let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.0}"));
        let faster = self.authors_seconds.map(|theirs| theirs / self.seconds);
        vec![
            self.task.clone(),
            self.algorithm.clone(),
            self.threads.to_string(),
            number(Some(self.seconds)),
            number(self.authors_seconds),
            number(faster),
            number(self.memory_mb),
        ]
    }
}
