//! Compares the finished runs of a figure with the statistics of `tutelage compare`.

use std::path::Path;

use tutelage_compare::{ComparedRun, Comparison, ComparisonSettings, RunGroup, RunRecord};
use tutelage_draw::plot::Style;

use crate::figure_plan::FinishedPanel;
use crate::paper::{curve_name, task_name};
use crate::{Archive, CurveSpec, FigurePlan, PanelRow, PlottedValue, ReproduceError, RunList};

/// Compares the finished runs of the rows that `wanted` accepts.
///
/// If the settings name no baseline, it is DAgger if the figure shows it.
pub fn compare(
    plan: &FigurePlan<'_>,
    runs: &RunList,
    archive: &Archive,
    settings: ComparisonSettings,
    wanted: impl Fn(&PanelRow) -> bool,
) -> Result<Comparison, ReproduceError> {
    let panels = plan.finished(runs, archive)?;
    let panels = panels.iter().filter(|panel| wanted(panel.row) && !panel.curves.is_empty());
    let panels: Vec<&FinishedPanel<'_>> = panels.collect();
    let is_dagger = |curve: &&CurveSpec| {
        curve.algorithm.family().key == "dagger" && curve.data.is_none() && curve.budget.is_none()
    };
    let mut curves = panels.iter().flat_map(|panel| &panel.curves).map(|(curve, _)| curve);
    let dagger = curves.find(is_dagger).map(curve_name);
    let groups: Vec<RunGroup> = panels.into_iter().map(group).collect();
    let settings = ComparisonSettings { baseline: settings.baseline.or(dagger), ..settings };
    let mut comparison = Comparison::of_groups(groups, settings)?;
    pair_styles(&mut comparison);
    Ok(comparison)
}

/// Returns the title of a panel: the task and the name of its row, if any.
pub(crate) fn panel_title(panel: &FinishedPanel<'_>) -> String {
    match panel.row.name.as_str() {
        "" => task_name(panel.task).into(),
        row => format!("{}, {row}", task_name(panel.task)),
    }
}

fn group(panel: &FinishedPanel<'_>) -> RunGroup {
    let curves = panel.curves.iter().flat_map(|(curve, records)| curves(panel, curve, records));
    RunGroup { title: panel_title(panel), curves: curves.collect() }
}

const RANDOM: &str = ", random member";

fn curves(
    panel: &FinishedPanel<'_>,
    curve: &CurveSpec,
    records: &[RunRecord],
) -> Vec<(String, Vec<ComparedRun>)> {
    let name = curve_name(curve);
    let mean: Vec<ComparedRun> =
        records.iter().map(|record| record.as_run(Path::new(&record.run))).collect();
    match panel.row.show {
        PlottedValue::Reward | PlottedValue::ImitationLoss => vec![(name, mean)],
        PlottedValue::MeanAndRandom => {
            let random = mean.iter().filter_map(|run| with_reward(run, |_, random| random));
            let random = (format!("{name}{RANDOM}"), random.collect());
            vec![(name, mean), random]
        }
        PlottedValue::MeanMinusRandom => {
            let difference = |run| with_reward(run, |mean, random| mean - random);
            let differences = mean.iter().filter_map(difference);
            vec![(name, differences.map(|run| ComparedRun { expert: None, ..run }).collect())]
        }
    }
}

/// Replaces the rewards by a function of the mean's and a random member's; `None` without random members.
pub(crate) fn with_reward(run: &ComparedRun, of: impl Fn(f64, f64) -> f64) -> Option<ComparedRun> {
    let mut run = run.clone();
    for line in &mut run.lines {
        line.reward = of(line.reward, line.reward_random?);
    }
    Some(run)
}

/// Gives a random member the color of its ensemble's mean, dashed.
fn pair_styles(comparison: &mut Comparison) {
    for panel in &mut comparison.panels {
        for index in 0..panel.curves.len() {
            let Some(mean) = panel.curves[index].name.strip_suffix(RANDOM) else { continue };
            if let Some(color) = panel.curve(mean).map(|curve| curve.color) {
                (panel.curves[index].color, panel.curves[index].style) = (color, Style::Dashed);
            }
        }
    }
}
