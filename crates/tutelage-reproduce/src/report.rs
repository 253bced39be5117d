//! Reports whose tables are made from records.
//!
//! A line `<!-- reproduce: WHAT FIGURE -->` in a Markdown file asks for a table, which stands between it and the next
//! `<!-- end -->`: [`fill`] puts it there. `WHAT FIGURE: ROW` is about one row of the figure, `WHAT FIGURE against CURVE` has
//! another baseline than DAgger, `WHAT FIGURE by COST` another cost than annotations (`expert-steps`, or what a step of the
//! expert's costs). WHAT is one of
//!
//! - `curves`: every curve in numbers;
//! - `pairs`: every curve against the baseline in each panel;
//! - `over`: interquartile means over panels, every curve against the baseline over all panels, and what it costs in units of the
//!   baseline's;
//! - `means`, `scores`: the first two of these on their own;
//! - `ratios`: what every curve costs in units of the baseline's, over panels; `ratios FIGURE of CURVE` in each panel;
//! - `steps`: how many steps the expert drove, a column for each panel;
//! - `decision`: whether hand-over windows become the default (no FIGURE);
//! - `costs`: time and memory;
//! - `losses`: how rewards go with imitation losses;
//! - `claims`: what the paper claims, and what came of it (no FIGURE).

use tutelage_compare::tables::{self, Table};
use tutelage_compare::words::{p_value, share};
use tutelage_compare::{CompareError, Comparison, CurveRow, LEVELS, Panel, Settings};
use tutelage_runs::stats::{Interval, StatsError, spearman};

use crate::asked::Asked;
use crate::decision::{AT_MOST, Decision};
use crate::paper::series_name;
use crate::savings::Saving;

use crate::claims::{Finding, LEVEL, Score, Verdict, claims, judge};
use crate::{
    Archive, ArchiveError, ComparisonError, Cost, Experiment, ExperimentError, PlanError, Row,
    RunList, Selection, Show, compare, costs, task_name,
};

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A line asks for a table that does not exist.
    #[error("line {line}: `{text}` asks for no table; known are {KNOWN}")]
    Unknown {
        /// The line, from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// A table has no end.
    #[error("line {0}: there is no `{END}` below it")]
    NoEnd(usize),
    /// There is nothing to make a table of.
    #[error("line {line}: no run of {figure} is finished yet")]
    Nothing {
        /// The line, from 1.
        line: usize,
        /// The figure.
        figure: String,
    },
    /// There is no such curve.
    #[error("there is no curve `{curve}`")]
    Curve {
        /// What was asked for.
        curve: String,
    },
    /// The list of claims.
    #[error("experiments/claims.toml: {0}")]
    Claims(String),
    /// A figure.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// Its runs.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Their comparison.
    #[error(transparent)]
    Compare(#[from] ComparisonError),
    /// A record.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// The column of steps driven by the expert, as [`tables::curves`] calls it.
const STEPS: &str = "expert steps";
const BEGIN: &str = "<!-- reproduce: ";
const END: &str = "<!-- end -->";
const KNOWN: &str = "curves, pairs, over, means, scores, ratios, steps, costs, losses (each with a figure; against CURVE, by COST, : ROW), claims and decision";

/// What stands in the place of a table that no finished run is behind yet.
const NOTHING: &str = "*There are no finished runs to make this table of yet.*\n";

/// The text with all of its tables made anew from what is finished; where nothing is, it says so.
pub fn fill(text: &str, archive: &Archive) -> Result<String, ReportError> {
    let mut filled = String::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, words)) = lines.next() {
        filled += &format!("{words}\n");
        let asked = words.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->"));
        let Some(asked) = asked else { continue };
        filled += &match table(asked, line, archive) {
            Err(ReportError::Nothing { .. }) => NOTHING.to_owned(),
            table => table?,
        };
        filled += &format!("{END}\n");
        if !lines.by_ref().any(|(_, words)| words == END) {
            return Err(ReportError::NoEnd(line));
        }
    }
    Ok(filled)
}

fn table(asked: &str, line: usize, archive: &Archive) -> Result<String, ReportError> {
    let unknown = || ReportError::Unknown { line, text: asked.into() };
    let asked = Asked::parse(asked).ok_or_else(unknown)?;
    let compared = || compared(&asked, line, archive);
    match (asked.what, asked.figure) {
        ("claims", "") => Ok(claims_in_words(&judge(&claims()?, archive)?)),
        ("decision", "") => Ok(markdown(decision_table(&Decision::of(archive)?))),
        ("curves", _) => Ok(markdown(curves_table(&compared()?))),
        ("pairs", _) => Ok(markdown(tables::pairs(&compared()?.pairs().in_panels))),
        ("over", _) => Ok(over_tables(&compared()?)),
        ("means", _) => Ok(means_table(&compared()?)),
        ("scores", _) => Ok(markdown(tables::over_panels(&compared()?.pairs().over_panels))),
        ("ratios", _) => Ok(markdown(ratios_table(&compared()?, asked.of)?)),
        ("losses", _) => Ok(markdown(losses_table(&compared()?))),
        ("steps", _) => Ok(steps_table(&compared()?)),
        ("costs", figure) => Ok(markdown(costs_table(figure, archive)?)),
        _ => Err(unknown()),
    }
}

/// The finished runs of a figure; of one of its rows, where it is named.
fn compared(asked: &Asked<'_>, line: usize, archive: &Archive) -> Result<Comparison, ReportError> {
    let experiment = Experiment::named(asked.figure)?;
    let mut runs = RunList::default();
    let sheet = runs.sheet(&experiment, &Selection::default().whole(&experiment))?;
    let wanted = |candidate: &Row| match asked.row {
        Some(name) => candidate.name == name,
        None => matches!(candidate.show, Show::Reward | Show::MeanAndRandom),
    };
    let settings = Settings {
        cost: asked.by.unwrap_or(experiment.over),
        baseline: asked.against.map(str::to_owned),
        ..Settings::default()
    };
    match compare(&sheet, &runs, archive, settings, wanted) {
        // Without a run of the baseline there is nothing to compare with.
        Err(ComparisonError::Compare(CompareError::Nothing(_) | CompareError::Baseline { .. })) => {
            Err(ReportError::Nothing { line, figure: asked.figure.into() })
        }
        found => Ok(found?),
    }
}

/// A table in Markdown; the first column to the left, all others to the right.
fn markdown(Table { headings, rows }: Table) -> String {
    lines(&headings.into_iter().map(str::to_owned).collect::<Vec<_>>(), &rows)
}

fn lines(headings: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = |i: usize| if i == 0 { "---".to_owned() } else { "---:".to_owned() };
    let rule: Vec<String> = (0..headings.len()).map(rule).collect();
    let rows = rows.iter().map(|row| line(row));
    [line(headings), line(&rule)].into_iter().chain(rows).collect()
}

/// Steps driven by the expert by the end of a run, where there were any or where they were not counted.
fn steps_table(comparison: &Comparison) -> String {
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

/// Steps driven by the expert, in the mean over seeds.
fn steps(row: &CurveRow) -> String {
    row.expert_steps.map_or("not counted".into(), |steps| format!("{steps:.0}"))
}

/// All panels in one table, a line above each.
fn curves_table(comparison: &Comparison) -> Table {
    let curves = comparison.curves();
    let mut table = tables::curves(&curves.iter().collect::<Vec<_>>());
    // Where the expert drove and some runs did not count how far, the table has to say so.
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

fn over_tables(comparison: &Comparison) -> String {
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

/// Interquartile means, where there are panels that have all curves.
fn means_table(comparison: &Comparison) -> String {
    let aggregates = comparison.aggregates();
    let Some(panels) = aggregates.first().map(|row| row.panels) else { return String::new() };
    let means = markdown(tables::aggregates(&aggregates));
    format!(
        "Interquartile means over the {panels} panels that have all curves, the expert being 1:\n\n{means}"
    )
}

/// What every curve costs in units of the baseline's over panels, or what one of them does in each panel.
fn ratios_table(comparison: &Comparison, of: Option<&str>) -> Result<Table, ReportError> {
    let Some(against) = &comparison.baseline else {
        return Err(ReportError::Curve { curve: "dagger".into() });
    };
    let mut rows = Vec::new();
    match of {
        None => {
            for curve in comparison.names().iter().filter(|name| *name != against) {
                let panels: Vec<_> = comparison.panels.iter().collect();
                rows.push(ratios(curve.clone(), &panels, curve, against)?);
            }
        }
        Some(text) => {
            let unknown = || ReportError::Curve { curve: text.into() };
            let curve = series_name(&text.parse().map_err(|_| unknown())?);
            for panel in &comparison.panels {
                rows.push(ratios(panel.title.clone(), &[panel], &curve, against)?);
            }
        }
    }
    let headings = vec!["", "panels", "seeds", "to 50 %", "75 %", "90 %", "95 %"];
    // A panel is one panel.
    let headings = headings.into_iter().filter(|heading| of.is_none() || *heading != "panels");
    Ok(Table { headings: headings.collect(), rows })
}

/// A row of ratios, one for each level; with the number of panels, where it is about several.
fn ratios(
    name: String,
    panels: &[&Panel],
    curve: &str,
    against: &str,
) -> Result<Vec<String>, ReportError> {
    let both = panels.iter().filter_map(|panel| Some([panel.curve(curve)?, panel.curve(against)?]));
    let counts: Vec<usize> = both.flatten().map(|curve| curve.runs.len()).collect();
    let mut cells = vec![name];
    if panels.len() > 1 {
        cells.push((counts.len() / 2).to_string());
    }
    cells.push(range(&counts));
    for level in LEVELS {
        let saving = Saving::over(panels.iter().copied(), curve, against, level).map_err(stats)?;
        cells.push(saving_in_words(saving, panels.len()));
    }
    Ok(cells)
}

fn stats(error: StatsError) -> ReportError {
    ComparisonError::from(CompareError::from(error)).into()
}

/// The fewest and the most of them.
fn range(counts: &[usize]) -> String {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(fewest), Some(most)) if fewest == most => most.to_string(),
        (Some(fewest), Some(most)) => format!("{fewest}–{most}"),
        _ => "–".into(),
    }
}

/// A ratio, whether it is only bounded, and in how many of so many panels.
fn saving_in_words(saving: Saving, panels: usize) -> String {
    let Saving { reached, bounded, missed, ratio } = saving;
    let Some(ratio) = ratio else {
        return if missed > 0 { "never".into() } else { "–".into() };
    };
    let mut words = share(ratio);
    if bounded > 0 {
        words = format!("≤ {words}");
    }
    if reached < panels {
        words += &format!(" in {reached}");
    }
    if missed > 0 {
        words += &format!(", never in {missed}");
    }
    words
}

fn decision_table(decision: &Decision) -> Table {
    let Decision { finished, planned, saving, places, dearer } = decision;
    let says = |holds: bool| if holds { "yes".to_owned() } else { "no".to_owned() };
    let found = match dearer.is_empty() {
        true => format!("none of {places}"),
        false => format!("{} of {places}: {}", dearer.len(), dearer.join("; ")),
    };
    let verdict = match decision.verdict() {
        None => "open: runs are missing",
        Some(true) => "handover-bd-5",
        Some(false) => "bd-5",
    };
    let row = |what: &str, rule: String, found: String, holds: String| {
        vec![what.into(), rule, found, holds]
    };
    let rows = vec![
        row(
            "annotations to 75 % of the expert, in units of BD-5's, over the study's panels",
            format!("at most {AT_MOST}"),
            saving_in_words(*saving, saving.reached + saving.missed),
            says(decision.saves()),
        ),
        row(
            "panels and held-out tasks where it clearly needs more",
            "none".into(),
            found,
            says(dearer.is_empty()),
        ),
        row(
            "runs of the two that are finished",
            planned.to_string(),
            finished.to_string(),
            says(finished == planned),
        ),
        row("the default", String::new(), String::new(), format!("**{verdict}**")),
    ];
    Table { headings: vec!["", "rule", "found", "holds"], rows }
}

/// The rank correlation of reward and loss over all rounds of all runs of a panel.
fn losses_table(comparison: &Comparison) -> Table {
    let cells = |panel: &Panel| {
        let runs = panel.curves.iter().flat_map(|curve| &curve.runs);
        let lines = runs.flat_map(|run| &run.lines);
        let points: Vec<(f64, f64)> =
            lines.filter_map(|line| Some((line.imitation_loss?, line.reward))).collect();
        let rank =
            spearman(&points).map_or("–".into(), |rho| format!("{rho:.2}").replace('-', "−"));
        vec![panel.title.clone(), points.len().to_string(), rank]
    };
    let headings = vec!["", "rounds of all runs", "Spearman's ρ"];
    Table { headings, rows: comparison.panels.iter().map(cells).collect() }
}

fn costs_table(figure: &str, archive: &Archive) -> Result<Table, ReportError> {
    let experiment = Experiment::named(figure)?;
    let mut runs = RunList::default();
    let sheet = runs.sheet(&experiment, &Selection::default().whole(&experiment))?;
    let cells = |cost: &Cost| {
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
    Ok(Table { headings, rows: costs(&sheet, &runs, archive)?.iter().map(cells).collect() })
}

fn claims_in_words(findings: &[Finding]) -> String {
    let tests = findings.iter().filter(|finding| finding.p.is_some()).count();
    let table = markdown(claims_table(findings));
    let margin = format!("Level is what differs by at most {LEVEL} of the expert's reward.");
    format!("{margin}\n\n{table}\nHolm's correction is for {tests} tests.\n")
}

fn claims_table(findings: &[Finding]) -> Table {
    let cells = |finding: &Finding| {
        let seeds = match finding.seeds {
            (_, 0) => "–".into(),
            (fewest, most) => range(&[fewest, most]),
        };
        vec![
            finding.claim.says.clone(),
            above(finding),
            seeds,
            difference(finding),
            finding.improvement.map_or("–".into(), share),
            p_value(finding.p),
            format!("**{}**", in_words(finding.verdict)),
        ]
    };
    let headings =
        vec!["claim", "above in panels", "seeds", "difference", "P(above)", "p (Holm)", "verdict"];
    Table { headings, rows: findings.iter().map(cells).collect() }
}

/// In how many panels the curve is above, and how many are still to be run.
fn above(finding: &Finding) -> String {
    let Finding { above, panels, planned, .. } = *finding;
    match (panels, planned - panels) {
        (0, _) => "–".into(),
        (_, 0) => format!("{above} of {panels}"),
        (_, left) => format!("{above} of {panels}, {left} not run"),
    }
}

/// In units of the expert's reward; of losses, the factor by which they are lower.
fn difference(finding: &Finding) -> String {
    let Interval { estimate, low, high } = finding.difference;
    match finding.claim.score {
        _ if finding.panels == 0 => "–".into(),
        Score::Average | Score::LastFive => share(finding.difference),
        Score::Loss => {
            let [estimate, low, high] = [-estimate, -high, -low].map(f64::exp);
            format!("loss × {}", share(Interval { estimate, low, high }))
        }
    }
}

fn in_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::OnAverage => "holds on average",
        Verdict::Tie => "tie",
        Verdict::Contradicted => "contradicted",
        Verdict::Open => "open",
        Verdict::NotRun => "not run",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END_LINE: &str = "<!-- end -->\n";

    fn nothing() -> Archive {
        Archive::new("/nonexistent/results", "/nonexistent/runs")
    }

    #[test]
    fn a_saving_says_what_it_is_made_of() {
        let ratio = Some(Interval { estimate: 0.5, low: 0.4, high: 0.6 });
        let saving = |reached, bounded, missed| Saving { reached, bounded, missed, ratio };
        assert_eq!(saving_in_words(saving(8, 0, 0), 8), "0.50 [0.40, 0.60]");
        assert_eq!(saving_in_words(saving(7, 2, 1), 8), "≤ 0.50 [0.40, 0.60] in 7, never in 1");
        let none = Saving { ratio: None, ..saving(0, 0, 1) };
        assert_eq!(saving_in_words(none, 8), "never");
        assert_eq!(saving_in_words(Saving::default(), 8), "–");
    }

    #[test]
    fn a_curve_whose_runs_did_not_count_the_experts_steps_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
        let experiment = Experiment::named("settings").unwrap();
        let mut runs = RunList::default();
        let sheet = runs.sheet(&experiment, &Selection::default()).unwrap();
        // BC and DAgger; the records of these tests count no steps.
        for curve in &sheet.panels[0].curves[..2] {
            let finish = |&run| crate::testbed::finish(&runs[run], &archive, 50.0, None);
            curve.runs.iter().for_each(finish);
        }
        let table = |what: &str| {
            let asked = format!("<!-- reproduce: {what} settings -->\n<!-- end -->\n");
            fill(&asked, &archive).unwrap()
        };
        let (curves, steps) = (table("curves"), table("steps"));
        let ends = |name: &str, with: &str| {
            let mut lines = curves.lines().filter(|line| line.starts_with(name));
            lines.all(|line| line.ends_with(with))
        };
        assert!(curves.contains("| expert steps |"), "{curves}");
        assert!(ends("| BC |", "| not counted |") && ends("| DAgger |", "| 0 |"), "{curves}");
        assert!(steps.contains("| BC | not counted |") && !steps.contains("DAgger"), "{steps}");
    }

    #[test]
    fn text_stays_and_bad_requests_are_named() {
        let plain = "# Title\n\n| a | b |\n";
        assert_eq!(fill(plain, &nothing()).unwrap(), plain);
        let error = |text: &str| fill(text, &nothing()).unwrap_err().to_string();
        let unknown = error("x\n<!-- reproduce: elves main -->\n<!-- end -->\n");
        assert!(
            unknown.contains("line 2: `elves main`") && unknown.contains("curves"),
            "{unknown}"
        );
        let missing = fill("<!-- reproduce: curves main -->\n<!-- end -->\n", &nothing()).unwrap();
        assert!(missing.contains(NOTHING) && missing.ends_with(END_LINE), "{missing}");
        assert_eq!(
            error("<!-- reproduce: claims -->\nx\n"),
            "line 1: there is no `<!-- end -->` below it"
        );
    }
}
