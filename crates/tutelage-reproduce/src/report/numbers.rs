//! Tables of numbers.

use tutelage_compare::stats::spearman;
use tutelage_compare::tables::{self, TextTable};
use tutelage_compare::{Comparison, ComparisonPanel, CurveRow};

use super::ReportError;
use super::markdown::{lines, markdown};
use crate::{Archive, Experiment, RunCost, RunList, Selection, run_costs, task_name};

/// The column of expert steps in [`tables::curves`].
const STEPS: &str = "expert steps";

/// The expert's steps at the end of a run, for curves with any or with uncounted ones.
pub(super) fn steps_table(comparison: &Comparison) -> String {
    let curves = comparison.curves();
    let drove = |name: &&String| {
        curves.iter().any(|row| row.curve == **name && row.expert_steps != Some(0.0))
    };
    let titles = || comparison.panels.iter().map(|panel| panel.title.clone());
    let cell = |name: &str, panel: &str| {
        let row = curves.iter().find(|row| row.curve == name && row.panel == panel);
        row.map_or("–".into(), steps)
    };
    let names = comparison.names();
    let row = |name: &String| {
        std::iter::once(name.clone()).chain(titles().map(|title| cell(name, &title))).collect()
    };
    let rows: Vec<Vec<String>> = names.iter().filter(drove).map(row).collect();
    let headings: Vec<String> = std::iter::once(String::new()).chain(titles()).collect();
    lines(&headings, &rows)
}

/// The mean number of expert steps over seeds.
fn steps(row: &CurveRow) -> String {
    row.expert_steps.map_or("not counted".into(), |steps| format!("{steps:.0}"))
}

/// All panels in one table, with a heading for each.
pub(super) fn curves_table(comparison: &Comparison) -> TextTable {
    let curves = comparison.curves();
    let mut table = tables::curves(&curves.iter().collect::<Vec<_>>());
    // Add the column if any steps were taken or not counted.
    if curves.iter().any(|row| row.expert_steps != Some(0.0)) {
        if table.headings.last() != Some(&STEPS) {
            table.headings.push(STEPS);
        }
        let column = table.headings.len() - 1;
        for (cells, row) in table.rows.iter_mut().zip(&curves) {
            cells.truncate(column);
            cells.push(steps(row));
        }
    }
    let mut rows = std::mem::take(&mut table.rows).into_iter();
    for panel in &comparison.panels {
        let expert = panel.expert.map_or(String::new(), |expert| format!(" (expert {expert:.0})"));
        let mut heading = vec![format!("**{}**{expert}", panel.title)];
        heading.resize(table.headings.len(), String::new());
        table.rows.push(heading);
        let in_panel = curves.iter().filter(|row| row.panel == panel.title).count();
        table.rows.extend(rows.by_ref().take(in_panel));
    }
    table
}

pub(super) fn over_tables(comparison: &Comparison) -> String {
    let pairs = comparison.pairs().over_panels;
    let (scores, costs) = (tables::over_panels(&pairs), tables::cost_ratios(&pairs));
    let about = tables::ABOUT_COST_RATIOS;
    let tests = pairs.iter().filter(|pair| pair.p.is_some()).count();
    let about = format!("Holm's correction is for {tests} comparisons.\n\n{about}");
    let pairs = format!("{}\n{about}\n\n{}", markdown(scores), markdown(costs));
    match means_table(comparison) {
        means if means.is_empty() => pairs,
        means => format!("{means}\n{pairs}"),
    }
}

/// Interquartile means; empty if no panel has all curves.
pub(super) fn means_table(comparison: &Comparison) -> String {
    let aggregates = comparison.aggregates();
    let Some(panels) = aggregates.first().map(|row| row.panels) else { return String::new() };
    let means = markdown(tables::aggregates(&aggregates));
    format!(
        "Interquartile means over the {panels} panels with all curves, in units of the expert's reward:\n\n{means}"
    )
}

/// The rank correlation of reward and loss over all rounds of a panel.
pub(super) fn losses_table(comparison: &Comparison) -> TextTable {
    let cells = |panel: &ComparisonPanel| {
        let runs = panel.curves.iter().flat_map(|curve| &curve.runs);
        let lines = runs.flat_map(|run| &run.lines);
        let points: Vec<(f64, f64)> =
            lines.filter_map(|line| Some((line.imitation_loss?, line.reward))).collect();
        let rank =
            spearman(&points).map_or("–".into(), |rho| format!("{rho:.2}").replace('-', "−"));
        vec![panel.title.clone(), points.len().to_string(), rank]
    };
    let headings = vec!["", "rounds of all runs", "Spearman's ρ"];
    TextTable { headings, rows: comparison.panels.iter().map(cells).collect() }
}

pub(super) fn costs_table(figure: &str, archive: &Archive) -> Result<TextTable, ReportError> {
    let experiment = Experiment::named(figure)?;
    let mut runs = RunList::default();
    let plan = runs.plan(&experiment, &Selection::default().whole(&experiment))?;
    let cells = |cost: &RunCost| {
        let number = |value: Option<f64>| value.map_or("–".into(), |value| format!("{value:.0}"));
        let faster = cost.authors_seconds.map(|theirs| theirs / cost.seconds);
        vec![
            task_name(cost.task).into(),
            cost.algorithm.label(),
            format!("{:.1}", cost.seconds),
            number(cost.authors_seconds),
            number(faster),
            number(cost.memory.map(|bytes| bytes as f64 / 1e6)),
        ]
    };
    let headings = vec!["", "", "seconds", "the authors'", "times faster", "MB"];
    Ok(TextTable { headings, rows: run_costs(&plan, &runs, archive)?.iter().map(cells).collect() })
}
