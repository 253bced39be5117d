//! Fills tables into Markdown pages.
//!
//! A line `<!-- reproduce: WHAT FIGURE -->` requests a table; [`fill`] puts it between this line and the next
//! `<!-- end -->`. Options: `WHAT FIGURE: ROW` selects a row of the figure, `WHAT FIGURE against CURVE` a baseline other
//! than DAgger, and `WHAT FIGURE by COST` a cost other than the figure's x axis (`expert-steps`, or the cost of an expert
//! step). WHAT is one of
//!
//! - `curves`: numbers of every curve;
//! - `means`: interquartile means over panels;
//! - `scores`: every curve compared with the baseline over all panels;
//! - `over`: both of these, and cost ratios;
//! - `ratios`: bounds of cost ratios to the baseline over panels; `ratios FIGURE of CURVE` in each panel;
//! - `steps`: the expert's steps, one column per panel;
//! - `costs`: time and memory;
//! - `losses`: the rank correlation of reward and imitation loss;
//! - `claims`: the paper's claims and verdicts (no FIGURE).

mod ratios;
mod tables;

use tutelage_compare::tables::over_panels;
use tutelage_compare::{CompareError, Comparison, ComparisonSettings};

use crate::claims::{claims, judge};
use crate::{
    Archive, Experiment, PanelRow, PlottedValue, ReproduceError, RunList, Selection, compare,
};

const BEGIN: &str = "<!-- reproduce: ";
pub(crate) const END: &str = "<!-- end -->";
pub(crate) const KNOWN: &str = "curves, means, scores, over, ratios, steps, costs, losses (each with a figure and options `against CURVE`, `by COST`, `: ROW`), or claims";

/// Replaces a table without finished runs.
const NOTHING: &str = "*No finished runs yet.*\n";

/// Returns the text with all of its tables made from the finished runs.
pub fn fill(text: &str, archive: &Archive) -> Result<String, ReproduceError> {
    let mut filled = String::new();
    let mut lines = (1..).zip(text.lines());
    while let Some((line, words)) = lines.next() {
        filled += &format!("{words}\n");
        let request = words.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(" -->"));
        let Some(text) = request else { continue };
        let unknown = || ReproduceError::Table { line, text: text.into() };
        let request = TableRequest::parse(text).ok_or_else(unknown)?;
        filled += &match request.table(archive) {
            // Without runs of the baseline there is nothing to compare.
            Err(ReproduceError::Compare(
                CompareError::Nothing(_) | CompareError::Baseline { .. },
            )) => NOTHING.to_owned(),
            table => table?.ok_or_else(unknown)?,
        };
        filled += &format!("{END}\n");
        if !lines.by_ref().any(|(_, words)| words == END) {
            return Err(ReproduceError::NoEnd(line));
        }
    }
    Ok(filled)
}

/// A request: `WHAT FIGURE of CURVE against CURVE by COST: ROW`. Everything except WHAT is optional.
struct TableRequest<'a> {
    what: &'a str,
    figure: &'a str,
    /// The values of `of`, `against` and `by`.
    options: [Option<&'a str>; 3],
    row: Option<&'a str>,
}

impl<'a> TableRequest<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (head, row) = text.split_once(": ").map_or((text, None), |(h, row)| (h, Some(row)));
        let mut words = head.split(' ');
        let (what, figure) = (words.next()?, words.next().unwrap_or_default());
        let mut options = [None; 3];
        while let Some(key) = words.next() {
            let option = ["of", "against", "by"].iter().position(|known| *known == key)?;
            options[option] = Some(words.next()?);
        }
        Some(Self { what, figure, options, row })
    }

    /// Returns the table, or `None` if it does not exist.
    fn table(&self, archive: &Archive) -> Result<Option<String>, ReproduceError> {
        let compared = || self.compared(archive);
        Ok(Some(match (self.what, self.figure) {
            ("claims", "") => tables::claims(&judge(&claims()?, archive)?),
            ("curves", _) => tables::curves(&compared()?).to_markdown(),
            ("means", _) => tables::means(&compared()?),
            ("scores", _) => over_panels(&compared()?.pairs().over_panels).to_markdown(),
            ("over", _) => tables::over(&compared()?),
            ("ratios", _) => ratios::ratios(&compared()?, self.options[0])?.to_markdown(),
            ("losses", _) => tables::losses(&compared()?).to_markdown(),
            ("steps", _) => tables::steps(&compared()?).to_markdown(),
            ("costs", figure) => tables::costs(figure, archive)?.to_markdown(),
            _ => return Ok(None),
        }))
    }

    /// Compares the finished runs of the figure, or of one of its rows.
    fn compared(&self, archive: &Archive) -> Result<Comparison, ReproduceError> {
        let experiment = Experiment::named(self.figure)?;
        let mut runs = RunList::default();
        let plan = runs.plan(&experiment, &Selection::default().whole(&experiment))?;
        let wanted = |candidate: &PanelRow| match self.row {
            Some(name) => candidate.name == name,
            None => matches!(candidate.show, PlottedValue::Reward | PlottedValue::MeanAndRandom),
        };
        let [_, against, by] = self.options;
        let settings = ComparisonSettings {
            cost: by.and_then(|cost| cost.parse().ok()).unwrap_or(experiment.over),
            baseline: against.map(str::to_owned),
            ..ComparisonSettings::default()
        };
        compare(&plan, &runs, archive, settings, wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let nothing = Archive::new("/nonexistent/results", "/nonexistent/runs");
        let table = |request: &str| {
            fill(&format!("\n<!-- reproduce: {request} -->\n<!-- end -->\n"), &nothing)
        };
        let unknown = ["elves main", "pairs fewest versus bd-5", "ratios fewest by", "claims main"];
        for request in unknown {
            let error = table(request);
            assert!(matches!(error, Err(ReproduceError::Table { line: 2, .. })), "{request}");
        }
        let missing = table("curves main against bd-5: a row").unwrap();
        assert!(missing.ends_with(&format!("{NOTHING}{END}\n")), "{missing}");
        let endless = fill("<!-- reproduce: claims -->\nx\n", &nothing);
        assert!(matches!(endless, Err(ReproduceError::NoEnd(1))));
        let plain = "# Title\n\n| a | b |\n";
        assert_eq!(fill(plain, &nothing).unwrap(), plain);
    }
}
