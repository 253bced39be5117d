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

use tutelage_compare::words::{p_value, reward, share};
use tutelage_compare::{
    Aggregate, CompareError, Comparison, CostRatio, CurveRow, PairInPanel, PairOverPanels, Settings,
};
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
        ("claims", "") => Ok(claims_table(&judge(&claims()?, archive)?)),
        ("curves", _) => Ok(curves_table(&compared()?)),
        ("pairs", _) => Ok(pairs_table(&compared()?.pairs().in_panels)),
        ("over", _) => Ok(over_table(&compared()?)),
        ("losses", _) => Ok(losses_table(&compared()?)),
        ("costs", _) => costs_table(figure, archive),
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
fn markdown(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
    let rule = |i: usize| if i == 0 { "---".to_owned() } else { "---:".to_owned() };
    let rule: Vec<String> = (0..headings.len()).map(rule).collect();
    let rows = rows.into_iter().map(|row| line(&row));
    [line(&headings), line(&rule)].into_iter().chain(rows).collect()
}

fn curves_table(comparison: &Comparison) -> String {
    let headings =
        ["", "seeds", "last five rounds", "average", "loss", "to 50 %", "75 %", "90 %", "95 %"];
    let curves = comparison.curves();
    let mut rows = Vec::new();
    for panel in &comparison.panels {
        let expert = panel.expert.map_or(String::new(), |expert| format!(" (expert {expert:.0})"));
        let mut heading = vec![format!("**{}**{expert}", panel.title)];
        heading.resize(headings.len(), String::new());
        rows.push(heading);
        rows.extend(curves.iter().filter(|row| row.panel == panel.title).map(curve_cells));
    }
    markdown(&headings, rows)
}

fn curve_cells(row: &CurveRow) -> Vec<String> {
    let loss = row.imitation_loss.map_or("–".into(), |loss| format!("{:.3}", loss.estimate));
    let reach = row.to_reach.map(|to| to.map_or("–".into(), |to| format!("{:.0}", to.estimate)));
    let fixed = [
        row.curve.clone(),
        row.seeds.to_string(),
        reward(row.last_five),
        reward(row.average),
        loss,
    ];
    fixed.into_iter().chain(reach).collect()
}

fn pairs_table(pairs: &[PairInPanel]) -> String {
    let cells = |pair: &PairInPanel| {
        vec![
            pair.panel.clone(),
            format!("{} – {}", pair.curve, pair.against),
            pair.score.into(),
            reward(pair.difference),
            share(pair.improvement),
            p_value(pair.p),
            p_value(pair.p_holm),
        ]
    };
    let headings = ["panel", "", "score", "difference", "P(above)", "p", "p (Holm)"];
    markdown(&headings, pairs.iter().map(cells))
}

fn over_table(comparison: &Comparison) -> String {
    let aggregates = comparison.aggregates();
    let cells = |row: &Aggregate| {
        let runs = format!("{} in {}", row.runs, row.panels);
        vec![row.curve.clone(), runs, share(row.last_five), share(row.average)]
    };
    let mut text = String::new();
    if !aggregates.is_empty() {
        let headings = ["IQM, expert = 1", "runs in panels", "last five rounds", "average"];
        text = markdown(&headings, aggregates.iter().map(cells)) + "\n";
    }
    text + &over_pairs(&comparison.pairs().over_panels)
}

fn over_pairs(pairs: &[PairOverPanels]) -> String {
    let cells = |pair: &PairOverPanels| {
        let ratio = |cost: Option<CostRatio>| match cost {
            None => "–".into(),
            Some(CostRatio { panels, ratio }) if panels == pair.panels => share(ratio),
            Some(CostRatio { panels, ratio }) => format!("{} in {panels}", share(ratio)),
        };
        let fixed = [
            format!("{} – {}", pair.curve, pair.against),
            pair.panels.to_string(),
            pair.score.into(),
            share(pair.difference),
            share(pair.improvement),
            p_value(pair.p_holm),
        ];
        let costs = pair.cost_ratio.into_iter().chain([pair.cost_of_its_level]).map(ratio);
        fixed.into_iter().chain(costs).collect()
    };
    let headings = [
        "",
        "panels",
        "score",
        "difference",
        "P(above)",
        "p (Holm)",
        "cost of 50 %",
        "75 %",
        "90 %",
        "95 %",
        "of its level",
    ];
    markdown(&headings, pairs.iter().map(cells))
}

/// The rank correlation of reward and loss over all rounds of all runs of a panel.
fn losses_table(comparison: &Comparison) -> String {
    let cells = |panel: &tutelage_compare::Panel| {
        let runs = panel.curves.iter().flat_map(|curve| &curve.runs);
        let lines = runs.flat_map(|run| &run.lines);
        let points: Vec<(f64, f64)> =
            lines.filter_map(|line| Some((line.imitation_loss?, line.reward))).collect();
        let rank =
            spearman(&points).map_or("–".into(), |rho| format!("{rho:.2}").replace('-', "−"));
        vec![panel.title.clone(), points.len().to_string(), rank]
    };
    markdown(&["", "rounds of all runs", "Spearman's ρ"], comparison.panels.iter().map(cells))
}

fn costs_table(figure: &str, archive: &Archive) -> Result<String, ReportError> {
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
    let headings = ["", "", "seconds", "the authors'", "times faster", "MB"];
    Ok(markdown(&headings, costs(&sheet, &runs, archive)?.iter().map(cells)))
}

fn claims_table(findings: &[Finding]) -> String {
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
        ["claim", "above in panels", "seeds", "difference", "P(above)", "p (Holm)", "verdict"];
    markdown(&headings, findings.iter().map(cells))
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
