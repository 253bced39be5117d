//! A figure's curves as numbers: what they come to, how soon, and whether one beats another.

use tutelage_lab::Task;
use tutelage_runs::stats::{
    Bootstrap, Interval, annotations_to_reach, mean, probability_of_improvement,
};

use crate::paper::series_name;
use crate::sheet::FinishedPanel;
use crate::{Archive, ArchiveError, RunList, RunRecord, Series, Sheet, Show};

/// One curve in numbers. Intervals are 80 % bootstrap intervals over runs.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveSummary {
    /// The task.
    pub task: Task,
    /// The row of the figure.
    pub row: String,
    /// The curve.
    pub curve: String,
    /// How many runs it is made of.
    pub runs: usize,
    /// The expert's average return.
    pub expert: Option<f64>,
    /// The average return after the last round.
    pub last: Interval,
    /// The average return over all rounds.
    pub average: Interval,
    /// The annotations after which the mean curve reaches 90 % of the expert's return.
    pub annotations_to_90: Option<usize>,
    /// The probability that a run's average over rounds is above that of a run of DAgger.
    pub beats_dagger: Option<Interval>,
}

/// The curves of a figure that has any, in numbers.
pub fn summarise(
    sheet: &Sheet<'_>,
    runs: &RunList,
    archive: &Archive,
) -> Result<Vec<CurveSummary>, ArchiveError> {
    let panels = sheet.finished(runs, archive)?;
    let rewards = panels.iter().filter(|panel| panel.row.show != Show::ImitationLoss);
    Ok(rewards.flat_map(|panel| summaries(panel)).collect())
}

fn summaries(panel: &FinishedPanel<'_>) -> Vec<CurveSummary> {
    let is_dagger =
        |series: &Series| series.algorithm.to_string() == "dagger" && series.data.is_none();
    let dagger = panel.curves.iter().find(|(series, _)| is_dagger(series));
    let dagger = dagger.map(|(_, records)| averages(records, |record| Some(&record.reward)));
    let mut summaries = Vec::new();
    for (series, records) in &panel.curves {
        let name = series_name(series);
        let random = format!("{name} random");
        let rival = dagger.as_deref().filter(|_| !is_dagger(series));
        summaries.extend(summary(panel, name, records, rival, |record| Some(&record.reward)));
        if panel.row.show == Show::MeanAndRandom {
            let values = summary(panel, random, records, rival, |r| r.reward_random.as_ref());
            summaries.extend(values);
        }
    }
    summaries
}

fn summary(
    panel: &FinishedPanel<'_>,
    curve: String,
    records: &[RunRecord],
    dagger: Option<&[f64]>,
    values: impl Fn(&RunRecord) -> Option<&Vec<f64>>,
) -> Option<CurveSummary> {
    let runs: Vec<&Vec<f64>> = records.iter().filter_map(&values).collect();
    let bootstrap = Bootstrap::default();
    let plain_mean = |values: &[f64]| mean(values).unwrap_or(f64::NAN);
    let averages: Vec<f64> = runs.iter().map(|run| plain_mean(run)).collect();
    let last: Vec<f64> = runs.iter().filter_map(|run| run.last().copied()).collect();
    let experts: Vec<f64> = records.iter().filter_map(|record| record.expert_reward).collect();
    let expert = mean(&experts);
    let annotations = &records.first()?.annotations;
    let point = |(i, &n): (usize, &usize)| {
        let at: Vec<f64> = runs.iter().filter_map(|run| run.get(i).copied()).collect();
        (n, plain_mean(&at))
    };
    let curve_points: Vec<(usize, f64)> = annotations.iter().enumerate().map(point).collect();
    let improvement =
        |dagger: &[f64]| probability_of_improvement(&averages, dagger, &bootstrap).ok();
    Some(CurveSummary {
        task: panel.task,
        row: panel.row.name.clone(),
        curve,
        runs: runs.len(),
        expert,
        last: bootstrap.statistic(&last, plain_mean).ok()?,
        average: bootstrap.statistic(&averages, plain_mean).ok()?,
        annotations_to_90: expert
            .and_then(|expert| annotations_to_reach(&curve_points, expert, 0.9)),
        beats_dagger: dagger.and_then(improvement),
    })
}

/// Each run's average over rounds.
fn averages(records: &[RunRecord], values: impl Fn(&RunRecord) -> Option<&Vec<f64>>) -> Vec<f64> {
    records.iter().filter_map(|record| mean(values(record)?)).collect()
}
