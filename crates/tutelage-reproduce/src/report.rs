//! Reports whose tables are made from records.
//!
//! A line `<!-- reproduce: WHAT FIGURE -->` in a Markdown file asks for a table, which stands between it and the next
//! `<!-- end -->`: [`fill`] puts it there. WHAT is one of
//!
//! - `curves`: every curve in numbers; `curves FIGURE: ROW` those of one row;
//! - `pairs`: every curve against the baseline in each panel;
//! - `over`: interquartile means over panels, and every curve against the baseline over all panels;
//! - `costs`: time and memory;
//! - `losses`: how rewards go with imitation losses;
//! - `claims`: what the paper claims, and what came of it (no FIGURE).

use tutelage_compare::tables::{self, Table};
use tutelage_compare::words::{p_value, share};
use tutelage_compare::{CompareError, Comparison, Settings};
use tutelage_runs::stats::{Interval, spearman};

use crate::claims::{Finding, Score, Verdict, claims, judge};
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

const BEGIN: &str = "<!-- reproduce: ";
const END: &str = "<!-- end -->";
const KNOWN: &str = "curves, pairs, over, costs, losses (each with a figure) and claims";

/// The text with all of its tables made anew from what is finished.
pub fn fill(text: &str, archive: &Archive) -> Result<String, ReportError> {
    let mut filled = String::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, words)) = lines.next() {
        filled += &format!("{words}\n");
        let asked = words.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->"));
        let Some(asked) = asked else { continue };
        filled += &table(asked, line, archive)?;
        filled += &format!("{END}\n");
        if !lines.by_ref().any(|(_, words)| words == END) {
            return Err(ReportError::NoEnd(line));
        }
    }
    Ok(filled)
}

fn table(asked: &str, line: usize, archive: &Archive) -> Result<String, ReportError> {
    let (what, figure) = asked.split_once(' ').unwrap_or((asked, ""));
    let (figure, row) = figure.split_once(": ").map_or((figure, None), |(f, r)| (f, Some(r)));
    let compared = || compared(figure, row, line, archive);
    match (what, figure) {
        ("claims", "") => Ok(markdown(claims_table(&judge(&claims()?, archive)?))),
        ("curves", _) => Ok(markdown(curves_table(&compared()?))),
        ("pairs", _) => Ok(markdown(tables::pairs(&compared()?.pairs().in_panels))),
        ("over", _) => Ok(over_tables(&compared()?)),
        ("losses", _) => Ok(markdown(losses_table(&compared()?))),
        ("costs", _) => Ok(markdown(costs_table(figure, archive)?)),
        _ => Err(ReportError::Unknown { line, text: asked.into() }),
    }
}

/// The finished runs of a figure; of one of its rows, where it is named.
fn compared(
    figure: &str,
    row: Option<&str>,
    line: usize,
    archive: &Archive,
) -> Result<Comparison, ReportError> {
    let experiment = Experiment::named(figure)?;
    let mut runs = RunList::default();
    let sheet = runs.sheet(&experiment, &Selection::default().whole(&experiment))?;
    let wanted = |candidate: &Row| match row {
        Some(name) => candidate.name == name,
        None => matches!(candidate.show, Show::Reward | Show::MeanAndRandom),
    };
    match compare(&sheet, &runs, archive, Settings::default(), wanted) {
        Err(ComparisonError::Compare(CompareError::Nothing(_))) => {
            Err(ReportError::Nothing { line, figure: figure.into() })
        }
        found => Ok(found?),
    }
}

/// A table in Markdown; the first column to the left, all others to the right.
fn markdown(Table { headings, rows }: Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = |i: usize| if i == 0 { "---".to_owned() } else { "---:".to_owned() };
    let rule: Vec<String> = (0..headings.len()).map(rule).collect();
    let headings: Vec<String> = headings.into_iter().map(str::to_owned).collect();
    let rows = rows.iter().map(|row| line(row));
    [line(&headings), line(&rule)].into_iter().chain(rows).collect()
}

/// All panels in one table, a line above each.
fn curves_table(comparison: &Comparison) -> Table {
    let curves = comparison.curves();
    let mut table = tables::curves(&curves.iter().collect::<Vec<_>>());
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
    let aggregates = comparison.aggregates();
    let pairs = markdown(tables::over_panels(&comparison.pairs().over_panels));
    let Some(panels) = aggregates.first().map(|row| row.panels) else { return pairs };
    let means = markdown(tables::aggregates(&aggregates));
    format!(
        "Interquartile means over the {panels} panels that have all curves, the expert being 1:\n\n{means}\n{pairs}"
    )
}

/// The rank correlation of reward and loss over all rounds of all runs of a panel.
fn losses_table(comparison: &Comparison) -> Table {
    let cells = |panel: &tutelage_compare::Panel| {
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

fn claims_table(findings: &[Finding]) -> Table {
    let cells = |finding: &Finding| {
        let seeds = match finding.seeds {
            (fewest, most) if fewest == most => most.to_string(),
            (fewest, most) => format!("{fewest}–{most}"),
        };
        vec![
            finding.claim.says.clone(),
            format!("{} of {}", finding.above, finding.panels),
            seeds,
            difference(finding),
            share(finding.improvement),
            p_value(finding.p),
            format!("**{}**", in_words(finding.verdict)),
        ]
    };
    let headings =
        vec!["claim", "above in panels", "seeds", "difference", "P(above)", "p (Holm)", "verdict"];
    Table { headings, rows: findings.iter().map(cells).collect() }
}

/// In units of the expert's reward; of losses, the factor by which they are lower.
fn difference(finding: &Finding) -> String {
    let Interval { estimate, low, high } = finding.difference;
    match finding.claim.score {
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
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing() -> Archive {
        Archive::new("/nonexistent/results", "/nonexistent/runs")
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
        let missing = error("<!-- reproduce: curves main -->\n<!-- end -->\n");
        assert_eq!(missing, "line 1: no run of main is finished yet");
        assert_eq!(
            error("<!-- reproduce: claims -->\nx\n"),
            "line 1: there is no `<!-- end -->` below it"
        );
    }
}
