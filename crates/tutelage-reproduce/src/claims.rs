//! What the paper claims of its figures, and whether our runs bear it out.

use std::path::Path;

use serde::Deserialize;
use tutelage_compare::{CompareError, Comparison, Group, PairOverPanels, Run, Settings};
use tutelage_lab::Task;
use tutelage_runs::stats::{Interval, holm};

use crate::paper::task_name;
use crate::sheet::FinishedPanel;
use crate::{Archive, ComparisonError, Experiment, ReportError, RunList, Selection, Series};

/// A sentence of the paper as a comparison of two curves.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// The sentence.
    pub says: String,
    /// The figure whose runs are asked.
    pub figure: String,
    /// The curve that is spoken of.
    pub curve: String,
    /// The other.
    pub against: String,
    /// The rows of the figure; all where none is named.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The rows of the other curve, where it stands in other rows.
    #[serde(default)]
    pub against_rows: Vec<String>,
    /// The tasks; all where none is named.
    #[serde(default)]
    pub tasks: Vec<String>,
    /// What runs are ranked by.
    pub score: Score,
    /// Whether runs of one seed belong together.
    #[serde(default)]
    pub paired: bool,
    /// Whether the curve is claimed to be level with the other, not above it.
    #[serde(default)]
    pub level: bool,
}

/// What runs are ranked by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// The mean reward over all rounds: how soon it learns.
    Average,
    /// The mean reward of the last five rounds: where it ends.
    LastFive,
    /// The logarithm of the imitation loss over all rounds; above is less of it.
    Loss,
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is so in the mean, and in the mean of every panel.
    Holds,
    /// It is so in the mean over panels, but not in each.
    OnAverage,
    /// No difference could be told.
    Tie,
    /// The other way round.
    Contradicted,
    /// Claimed to be level, and too little is known to say so.
    Open,
}

/// A claim beside what the runs say.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The claim.
    pub claim: Claim,
    /// How many panels have both curves with at least two runs each.
    pub panels: usize,
    /// In how many the curve's mean is above the other's.
    pub above: usize,
    /// The fewest and the most seeds that a curve has.
    pub seeds: (usize, usize),
    /// The difference in units of the expert's reward; of losses, of their logarithms.
    pub difference: Interval,
    /// The probability that a run is above one of the other's.
    pub improvement: Interval,
    /// The p-value of no difference, corrected for all claims.
    pub p: Option<f64>,
    /// What came of it.
    pub verdict: Verdict,
}

/// Level is what differs by no more than this share of the expert's reward.
const LEVEL: f64 = 0.1;

/// The paper's claims, as `experiments/claims.toml` lists them.
pub fn claims() -> Result<Vec<Claim>, ReportError> {
    #[derive(Deserialize)]
    struct File {
        claims: Vec<Claim>,
    }
    let file: File = toml::from_str(include_str!("../experiments/claims.toml"))
        .map_err(|error| ReportError::Claims(error.to_string()))?;
    Ok(file.claims)
}

/// What the finished runs say of each claim; of some nothing yet.
pub fn judge(claims: &[Claim], archive: &Archive) -> Result<Vec<Finding>, ReportError> {
    let mut findings = Vec::new();
    for claim in claims {
        findings.extend(weigh(claim, archive)?);
    }
    let known: Vec<f64> = findings.iter().filter_map(|finding| finding.p).collect();
    let mut corrected = holm(&known).into_iter();
    for finding in &mut findings {
        finding.p = finding.p.and_then(|_| corrected.next());
        finding.verdict = verdict(finding);
    }
    Ok(findings)
}

fn verdict(finding: &Finding) -> Verdict {
    let Interval { estimate, low, high } = finding.difference;
    let is_told = finding.p.is_some_and(|p| p < 0.05);
    match finding.claim.level {
        true if -LEVEL <= low && high <= LEVEL => Verdict::Holds,
        true if is_told && (low > LEVEL || high < -LEVEL) => Verdict::Contradicted,
        true => Verdict::Open,
        false if !is_told => Verdict::Tie,
        false if estimate < 0.0 => Verdict::Contradicted,
        false if finding.above < finding.panels => Verdict::OnAverage,
        false => Verdict::Holds,
    }
}

/// The names that the two curves go by here.
const ONE: &str = "one";
const OTHER: &str = "other";

fn weigh(claim: &Claim, archive: &Archive) -> Result<Option<Finding>, ReportError> {
    let experiment = Experiment::named(&claim.figure)?;
    let mut runs = RunList::default();
    let sheet = runs.sheet(&experiment, &Selection::default().whole(&experiment))?;
    let panels = sheet.finished(&runs, archive).map_err(ComparisonError::from)?;
    let groups = claim.groups(&experiment, &panels)?;
    let settings =
        Settings { baseline: Some(OTHER.into()), paired: claim.paired, ..Settings::default() };
    let comparison = match Comparison::of_groups(groups, settings) {
        Ok(comparison) => comparison,
        Err(CompareError::Nothing(_) | CompareError::Baseline { .. }) => return Ok(None),
        Err(error) => return Err(ComparisonError::from(error).into()),
    };
    let score = if claim.score == Score::LastFive { "last five" } else { "average" };
    let pairs = comparison.pairs();
    let is_above = |difference: Interval| difference.estimate > 0.0;
    let in_panels = pairs.in_panels.iter().filter(|pair| pair.score == score);
    let above = in_panels.clone().filter(|pair| is_above(pair.difference)).count();
    let counts: Vec<usize> = in_panels.flat_map(|pair| pair.runs).collect();
    let over = pairs.over_panels.into_iter().find(|pair| pair.score == score);
    Ok(over.map(|PairOverPanels { panels, difference, improvement, p, .. }| Finding {
        claim: claim.clone(),
        panels,
        above,
        seeds: (
            counts.iter().copied().min().unwrap_or_default(),
            counts.iter().copied().max().unwrap_or_default(),
        ),
        difference,
        improvement,
        p,
        verdict: Verdict::Open,
    }))
}

impl Claim {
    /// The two curves, panel by panel, where both have runs.
    fn groups(
        &self,
        experiment: &Experiment,
        panels: &[FinishedPanel<'_>],
    ) -> Result<Vec<Group>, ReportError> {
        let series = |text: &String| -> Result<Series, ReportError> {
            text.parse().map_err(|error| ReportError::Claims(format!("{text}: {error}")))
        };
        let (one, other) = (series(&self.curve)?, series(&self.against)?);
        let rows = match self.rows.is_empty() {
            true => experiment.rows.iter().map(|row| row.name.clone()).collect(),
            false => self.rows.clone(),
        };
        let others = if self.against_rows.is_empty() { &rows } else { &self.against_rows };
        let mut groups = Vec::new();
        for (row, other_row) in rows.iter().zip(others) {
            for &task in &experiment.tasks {
                let wanted = self.tasks.is_empty() || self.tasks.contains(&task.to_string());
                let one = self.runs(panels, task, row, &one);
                let other = self.runs(panels, task, other_row, &other);
                let (Some(one), Some(other)) = (one, other) else { continue };
                // One run says nothing of how much others would differ.
                if wanted && one.len() > 1 && other.len() > 1 {
                    let title = format!("{}, {row}", task_name(task));
                    let curves = vec![(ONE.into(), one), (OTHER.into(), other)];
                    groups.push(Group { title, curves });
                }
            }
        }
        Ok(groups)
    }

    fn runs(
        &self,
        panels: &[FinishedPanel<'_>],
        task: Task,
        row: &str,
        series: &Series,
    ) -> Option<Vec<Run>> {
        let panel = panels.iter().find(|panel| panel.task == task && panel.row.name == row)?;
        let (_, records) = panel.curves.iter().find(|(found, _)| found == series)?;
        let runs = records.iter().map(|record| record.as_run(Path::new(&record.run)));
        match self.score {
            Score::Average | Score::LastFive => Some(runs.collect()),
            Score::Loss => runs.map(by_loss).collect(),
        }
    }
}

/// The run with −ln(loss) for its reward, in units of their own.
fn by_loss(mut run: Run) -> Option<Run> {
    for line in &mut run.lines {
        line.reward = -line.imitation_loss?.ln();
    }
    Some(Run { expert: Some(1.0), ..run })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(level: bool, difference: [f64; 3], above: usize, p: f64) -> Finding {
        let [low, estimate, high] = difference;
        let claim = Claim { level, ..claims().unwrap().remove(0) };
        let difference = Interval { estimate, low, high };
        let improvement = Interval::unbounded(0.5);
        Finding {
            claim,
            panels: 4,
            above,
            seeds: (5, 10),
            difference,
            improvement,
            p: Some(p),
            verdict: Verdict::Open,
        }
    }

    #[test]
    fn verdicts_by_hand() {
        let told = |difference, above| verdict(&finding(false, difference, above, 0.01));
        assert_eq!(told([0.1, 0.2, 0.3], 4), Verdict::Holds);
        assert_eq!(told([0.1, 0.2, 0.3], 3), Verdict::OnAverage);
        assert_eq!(told([-0.3, -0.2, -0.1], 0), Verdict::Contradicted);
        assert_eq!(verdict(&finding(false, [-0.1, 0.2, 0.5], 4, 0.2)), Verdict::Tie);
        let level = |difference| verdict(&finding(true, difference, 2, 0.01));
        assert_eq!(level([-0.05, 0.02, 0.09]), Verdict::Holds);
        assert_eq!(level([-0.15, 0.02, 0.09]), Verdict::Open);
        assert_eq!(level([0.11, 0.2, 0.3]), Verdict::Contradicted);
    }

    #[test]
    fn every_claim_is_of_curves_that_its_figure_has() {
        for claim in claims().unwrap() {
            let experiment = Experiment::named(&claim.figure).unwrap();
            let rows = |names: &[String]| {
                let all: Vec<String> = experiment.rows.iter().map(|row| row.name.clone()).collect();
                if names.is_empty() { all } else { names.to_vec() }
            };
            let has = |names: &[String], curve: &str| {
                rows(names).iter().all(|name| {
                    let row = experiment.rows.iter().find(|row| row.name == *name);
                    row.is_some_and(|row| row.series.contains(&curve.parse().unwrap()))
                })
            };
            assert!(has(&claim.rows, &claim.curve), "{claim:?}");
            let others =
                if claim.against_rows.is_empty() { &claim.rows } else { &claim.against_rows };
            assert!(has(others, &claim.against), "{claim:?}");
            assert_eq!(rows(&claim.rows).len(), rows(others).len(), "{claim:?}");
            let tasks: Vec<String> = experiment.tasks.iter().map(ToString::to_string).collect();
            assert!(claim.tasks.iter().all(|task| tasks.contains(task)), "{claim:?}");
        }
    }
}
