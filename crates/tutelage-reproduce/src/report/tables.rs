//! The tables of reports.

use std::iter::once;

use tutelage_compare::format::{p_value, share};
use tutelage_compare::stats::{Interval, spearman};
use tutelage_compare::tables::{self, TextTable};
use tutelage_compare::{Comparison, ComparisonPanel, CurveRow};

use super::ratios::range;
use crate::claims::{ClaimScore, Finding, LEVEL, Verdict};
use crate::{
    Archive, Experiment, ReproduceError, RunCost, RunList, Selection, run_costs, task_name,
};

/// All panels in one table, with a heading for each.
pub(super) fn curves(comparison: &Comparison) -> TextTable {
    const STEPS: &str = "expert steps";
    let curves = comparison.curves();
    let mut table = tables::curves(&curves.iter().collect::<Vec<_>>());
    // Add the column if any steps were taken or not counted.
    if curves.iter().any(|row| row.expert_steps != Some(0.0)) {
        if table.headings.last().is_none_or(|last| last != STEPS) {
            table.headings.push(STEPS.into());
        }
        let column = table.headings.len() - 1;
        for (cells, row) in table.rows.iter_mut().zip(&curves) {
            cells.truncate(column);
            cells.push(steps_text(row));
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

/// The expert's steps at the end of a run, for curves with any or with uncounted ones.
pub(super) fn steps(comparison: &Comparison) -> TextTable {
    let curves = comparison.curves();
    let drove = |name: &&String| {
        curves.iter().any(|row| row.curve == **name && row.expert_steps != Some(0.0))
    };
    let titles = || comparison.panels.iter().map(|panel| panel.title.clone());
    let cell = |name: &str, panel: &str| {
        let row = curves.iter().find(|row| row.curve == name && row.panel == panel);
        row.map_or("–".into(), steps_text)
    };
    let names = comparison.names();
    let row = |name: &String| {
        once(name.clone()).chain(titles().map(|title| cell(name, &title))).collect()
    };
    let rows = names.iter().filter(drove).map(row).collect();
    TextTable { headings: once(String::new()).chain(titles()).collect(), rows }
}

/// The mean number of expert steps over seeds.
fn steps_text(row: &CurveRow) -> String {
    row.expert_steps.map_or("not counted".into(), |steps| format!("{steps:.0}"))
}

pub(super) fn over(comparison: &Comparison) -> String {
    let pairs = comparison.pairs().over_panels;
    let tests = pairs.iter().filter(|row| row.pair.p.is_some()).count();
    let parts = [
        means(comparison),
        tables::over_panels(&pairs).to_markdown(),
        format!("Holm's correction is for {tests} comparisons.\n"),
        format!("{}\n", tables::ABOUT_COST_RATIOS),
        tables::cost_ratios(&pairs).to_markdown(),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Interquartile means; empty if no panel has all curves.
pub(super) fn means(comparison: &Comparison) -> String {
    let aggregates = comparison.aggregates();
    let Some(panels) = aggregates.first().map(|row| row.panels) else { return String::new() };
    let about = tables::about_aggregates(panels);
    format!("{about}:\n\n{}", tables::aggregates(&aggregates).to_markdown())
}

/// The rank correlation of reward and loss over all rounds of a panel.
pub(super) fn losses(comparison: &Comparison) -> TextTable {
    let cells = |panel: &ComparisonPanel| {
        let runs = panel.curves.iter().flat_map(|curve| &curve.runs);
        let lines = runs.flat_map(|run| &run.lines);
        let points: Vec<(f64, f64)> =
            lines.filter_map(|line| Some((line.imitation_loss?, line.reward))).collect();
        let rank =
            spearman(&points).map_or("–".into(), |rho| format!("{rho:.2}").replace('-', "−"));
        vec![panel.title.clone(), points.len().to_string(), rank]
    };
    let headings = ["", "rounds of all runs", "Spearman's ρ"];
    TextTable::new(&headings, comparison.panels.iter().map(cells))
}

pub(super) fn costs(figure: &str, archive: &Archive) -> Result<TextTable, ReproduceError> {
    let experiment = Experiment::named(figure)?;
    let mut runs = RunList::default();
    let plan = runs.plan(&experiment, &Selection::default().whole(&experiment))?;
    let cells = |cost: &RunCost| {
        let names = [task_name(cost.task).into(), cost.algorithm.label()];
        let [_, theirs, faster, memory] = cost.numbers();
        let seconds = format!("{:.1}", cost.seconds);
        names.into_iter().chain([seconds, theirs, faster, memory]).collect()
    };
    let headings = ["", "", "seconds", "the authors'", "times faster", "MB"];
    Ok(TextTable::new(&headings, run_costs(&plan, &runs, archive)?.iter().map(cells)))
}

pub(super) fn claims(findings: &[Finding]) -> String {
    let cells = |finding: &Finding| {
        let seeds = match finding.seeds {
            (_, 0) => "–".into(),
            (fewest, most) => range(&[fewest, most]),
        };
        let verdict = match finding.verdict {
            Verdict::Holds => "holds",
            Verdict::OnAverage => "holds on average",
            Verdict::Tie => "tie",
            Verdict::Contradicted => "contradicted",
            Verdict::Open => "open",
            Verdict::NotRun => "not run",
        };
        vec![
            finding.claim.says.clone(),
            above(finding),
            seeds,
            difference(finding),
            finding.improvement.map_or("–".into(), share),
            p_value(finding.p),
            format!("**{verdict}**"),
        ]
    };
    let headings =
        ["claim", "above in panels", "seeds", "difference", "P(above)", "p (Holm)", "verdict"];
    let table = TextTable::new(&headings, findings.iter().map(cells)).to_markdown();
    let tests = findings.iter().filter(|finding| finding.p.is_some()).count();
    format!(
        "Level means that curves differ by at most {LEVEL} of the expert's reward.\n\n{table}\nHolm's correction is for {tests} tests.\n"
    )
}

/// The number of panels in which the curve is higher, and of those without runs.
fn above(finding: &Finding) -> String {
    let Finding { above, panels, planned, .. } = *finding;
    match (panels, planned - panels) {
        (0, _) => "–".into(),
        (_, 0) => format!("{above} of {panels}"),
        (_, left) => format!("{above} of {panels}, {left} not run"),
    }
}

/// The difference in units of the expert's reward; for losses, the factor.
fn difference(finding: &Finding) -> String {
    let Interval { estimate, low, high } = finding.difference;
    match finding.claim.score {
        _ if finding.panels == 0 => "–".into(),
        ClaimScore::Average | ClaimScore::LastFive => share(finding.difference),
        ClaimScore::Loss => {
            let [estimate, low, high] = [-estimate, -high, -low].map(f64::exp);
            format!("loss × {}", share(Interval { estimate, low, high }))
        }
    }
}
