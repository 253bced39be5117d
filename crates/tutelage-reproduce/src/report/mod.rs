//! Fills tables into Markdown pages.
//!
//! A line `<!-- reproduce: WHAT FIGURE -->` requests a table; [`fill`] puts it between this line and the next
//! `<!-- end -->`. Options: `WHAT FIGURE: ROW` selects a row of the figure, `WHAT FIGURE against CURVE` a baseline other
//! than DAgger, and `WHAT FIGURE by COST` a cost other than annotations (`expert-steps`, or the cost of an expert step).
//! WHAT is one of
//!
//! - `curves`: numbers of every curve;
//! - `pairs`: every curve compared with the baseline in each panel;
//! - `over`: interquartile means over panels, every curve compared with the baseline over all panels, and cost ratios;
//! - `means`, `scores`: only the first or the second of these;
//! - `ratios`: cost ratios of every curve to the baseline over panels; `ratios FIGURE of CURVE` in each panel;
//! - `steps`: the expert's steps, one column per panel;
//! - `costs`: time and memory;
//! - `losses`: the rank correlation of reward and imitation loss;
//! - `claims`: the paper's claims and verdicts (no FIGURE).

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
    /// The requested table does not exist.
    #[error("line {line}: unknown table `{text}`; expected {KNOWN}")]
    Unknown {
        /// The line, from 1.
        line: usize,
        /// The request.
        text: String,
    },
    /// The end of a table is missing.
    #[error("line {0}: no `{END}` follows")]
    NoEnd(usize),
    /// No run of the figure is finished.
    #[error("line {line}: no run of {figure} is finished yet")]
    Nothing {
        /// The line, from 1.
        line: usize,
        /// The figure.
        figure: String,
    },
    /// The curve does not exist.
    #[error("unknown curve `{curve}`")]
    Curve {
        /// The requested curve.
        curve: String,
    },
    /// The list of claims is invalid.
    #[error("experiments/claims.toml: {0}")]
    Claims(String),
    /// The figure is invalid.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// The figure cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The runs cannot be compared.
    #[error(transparent)]
    Compare(#[from] ComparisonError),
    /// A record could not be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

const BEGIN: &str = "<!-- reproduce: ";
const END: &str = "<!-- end -->";
const KNOWN: &str = "curves, pairs, over, means, scores, ratios, steps, costs, losses (each with a figure and options `against CURVE`, `by COST`, `: ROW`), or claims";

/// Replaces a table without finished runs.
const NOTHING: &str = "*No finished runs yet.*\n";

/// Returns the text with all of its tables made from the finished runs.
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

/// Compares the finished runs of a figure, or of one of its rows.
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
        // Without runs of the baseline there is nothing to compare.
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
    fn uncounted_expert_steps_are_marked() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
        let experiment = Experiment::named("settings").unwrap();
        let mut runs = RunList::default();
        let plan = runs.plan(&experiment, &Selection::default()).unwrap();
        // BC and DAgger; these records have no expert steps.
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
    fn invalid_requests_are_rejected() {
        let plain = "# Title\n\n| a | b |\n";
        assert_eq!(fill(plain, &nothing()).unwrap(), plain);
        let unknown = fill("x\n<!-- reproduce: elves main -->\n<!-- end -->\n", &nothing());
        assert!(matches!(unknown, Err(ReportError::Unknown { line: 2, .. })));
        let missing = fill("<!-- reproduce: curves main -->\n<!-- end -->\n", &nothing()).unwrap();
        assert!(missing.contains(NOTHING) && missing.ends_with(END_LINE), "{missing}");
        let endless = fill("<!-- reproduce: claims -->\nx\n", &nothing());
        assert!(matches!(endless, Err(ReportError::NoEnd(1))));
    }
}
