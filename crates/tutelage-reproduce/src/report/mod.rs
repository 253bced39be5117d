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
//! - `costs`: time and memory;
//! - `losses`: how rewards go with imitation losses;
//! - `claims`: what the paper claims, and what came of it (no FIGURE).

mod findings;
mod markdown;
mod numbers;
mod ratios;

use tutelage_compare::{CompareError, Comparison, ComparisonSettings, tables};

use self::findings::claims_text;
use self::markdown::markdown;
use self::numbers::{
    costs_table, curves_table, losses_table, means_table, over_tables, steps_table,
};
use self::ratios::ratios_table;
use crate::claims::{claims, judge};
use crate::table_request::TableRequest;
use crate::{
    Archive, ArchiveError, ComparisonError, Experiment, ExperimentError, PanelRow, PlanError,
    PlottedValue, RunList, Selection, compare,
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
        /// What was request for.
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

const BEGIN: &str = "<!-- reproduce: ";
const END: &str = "<!-- end -->";
const KNOWN: &str = "curves, pairs, over, means, scores, ratios, steps, costs, losses (each with a figure; against CURVE, by COST, : ROW), and claims";

/// What stands in the place of a table that no finished run is behind yet.
const NOTHING: &str = "*There are no finished runs to make this table of yet.*\n";

/// The text with all of its tables made anew from what is finished; where nothing is, it says so.
pub fn fill(text: &str, archive: &Archive) -> Result<String, ReportError> {
    let mut filled = String::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, words)) = lines.next() {
        filled += &format!("{words}\n");
        let request = words.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->"));
        let Some(request) = request else { continue };
        filled += &match table(request, line, archive) {
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

fn table(request: &str, line: usize, archive: &Archive) -> Result<String, ReportError> {
    let unknown = || ReportError::Unknown { line, text: request.into() };
    let request = TableRequest::parse(request).ok_or_else(unknown)?;
    let compared = || compared(&request, line, archive);
    match (request.what, request.figure) {
        ("claims", "") => Ok(claims_text(&judge(&claims()?, archive)?)),
        ("curves", _) => Ok(markdown(curves_table(&compared()?))),
        ("pairs", _) => Ok(markdown(tables::pairs(&compared()?.pairs().in_panels))),
        ("over", _) => Ok(over_tables(&compared()?)),
        ("means", _) => Ok(means_table(&compared()?)),
        ("scores", _) => Ok(markdown(tables::over_panels(&compared()?.pairs().over_panels))),
        ("ratios", _) => Ok(markdown(ratios_table(&compared()?, request.of)?)),
        ("losses", _) => Ok(markdown(losses_table(&compared()?))),
        ("steps", _) => Ok(steps_table(&compared()?)),
        ("costs", figure) => Ok(markdown(costs_table(figure, archive)?)),
        _ => Err(unknown()),
    }
}

/// The finished runs of a figure; of one of its rows, where it is named.
fn compared(
    request: &TableRequest<'_>,
    line: usize,
    archive: &Archive,
) -> Result<Comparison, ReportError> {
    let experiment = Experiment::named(request.figure)?;
    let mut runs = RunList::default();
    let plan = runs.plan(&experiment, &Selection::default().whole(&experiment))?;
    let wanted = |candidate: &PanelRow| match request.row {
        Some(name) => candidate.name == name,
        None => matches!(candidate.show, PlottedValue::Reward | PlottedValue::MeanAndRandom),
    };
    let settings = ComparisonSettings {
        cost: request.by.unwrap_or(experiment.over),
        baseline: request.against.map(str::to_owned),
        ..ComparisonSettings::default()
    };
    match compare(&plan, &runs, archive, settings, wanted) {
        // Without a run of the baseline there is nothing to compare with.
        Err(ComparisonError::Compare(CompareError::Nothing(_) | CompareError::Baseline { .. })) => {
            Err(ReportError::Nothing { line, figure: request.figure.into() })
        }
        found => Ok(found?),
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
    fn a_curve_whose_runs_did_not_count_the_experts_steps_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
        let experiment = Experiment::named("settings").unwrap();
        let mut runs = RunList::default();
        let plan = runs.plan(&experiment, &Selection::default()).unwrap();
        // BC and DAgger; the records of these tests count no steps.
        for curve in &plan.panels[0].curves[..2] {
            let finish = |&run| crate::testbed::finish(&runs[run], &archive, 50.0, None);
            curve.runs.iter().for_each(finish);
        }
        let table = |what: &str| {
            let request = format!("<!-- reproduce: {what} settings -->\n<!-- end -->\n");
            fill(&request, &archive).unwrap()
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
