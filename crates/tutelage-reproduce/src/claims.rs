//! The paper's claims about its figures, tested with the runs.

use std::path::Path;

use serde::Deserialize;
use tutelage_compare::stats::{Interval, holm};
use tutelage_compare::{
    CompareError, ComparedRun, Comparison, ComparisonSettings, PairInPanel, RunGroup,
};
use tutelage_spec::Task;

use crate::comparison::with_reward;
use crate::figure_plan::FinishedPanel;
use crate::paper::task_name;
use crate::{Archive, CurveSpec, Experiment, ReproduceError, RunList, Selection};

/// A claim of the paper as a comparison of two curves.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Claim {
    /// The claim in words.
    pub(crate) says: String,
    /// The figure with the runs.
    pub(crate) figure: String,
    /// The curve that is claimed to be better.
    pub(crate) curve: String,
    /// The other curve; `a random member` means the same runs with a random member deployed.
    pub(crate) against: String,
    /// The rows of the figure; empty means all.
    #[serde(default)]
    pub(crate) rows: Vec<String>,
    /// The rows of the other curve, if they differ.
    #[serde(default)]
    pub(crate) against_rows: Vec<String>,
    /// The tasks; empty means all.
    #[serde(default)]
    pub(crate) tasks: Vec<String>,
    /// The score of a run.
    pub(crate) score: ClaimScore,
    /// Whether runs of the same seed are paired.
    #[serde(default)]
    pub(crate) paired: bool,
    /// Whether the curves are claimed to be equal.
    #[serde(default)]
    pub(crate) level: bool,
    /// Whether the gap is claimed to be wider in these rows than in the other rows.
    #[serde(default)]
    pub(crate) wider: bool,
}

/// The score of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ClaimScore {
    /// The mean reward over all rounds: learning speed.
    Average,
    /// The mean reward of the last five rounds: final performance.
    LastFive,
    /// The negative log of the imitation loss over all rounds.
    Loss,
}

/// The result of testing a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// True in the mean over panels and in every panel.
    Holds,
    /// True in the mean over panels, but not in every panel.
    OnAverage,
    /// No significant difference.
    Tie,
    /// The opposite is true.
    Contradicted,
    /// Claimed to be equal, but the interval is too wide to tell.
    Open,
    /// No panel has two runs of each curve yet.
    NotRun,
}

/// A claim and its test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    /// The claim.
    pub(crate) claim: Claim,
    /// The number of panels that it covers.
    pub(crate) planned: usize,
    /// The number of panels with at least two runs of both curves.
    pub(crate) panels: usize,
    /// The number of panels in which the curve's mean is higher.
    pub(crate) above: usize,
    /// The smallest and largest number of seeds of a curve.
    pub(crate) seeds: (usize, usize),
    /// The difference in units of the expert's reward, or of log losses.
    pub(crate) difference: Interval,
    /// The probability that a run is better than one of the other curve; `None` for gaps.
    pub(crate) improvement: Option<Interval>,
    /// The p-value of no difference, corrected for all claims.
    pub(crate) p: Option<f64>,
    /// The verdict.
    pub(crate) verdict: Verdict,
}

/// Curves count as equal if they differ by at most this share of the expert's reward.
pub(crate) const LEVEL: f64 = 0.05;

/// Returns the paper's claims, from `experiments/claims.toml`.
pub(crate) fn claims() -> Result<Vec<Claim>, ReproduceError> {
    #[derive(Deserialize)]
    struct ClaimsFile {
        claims: Vec<Claim>,
    }
    let file: ClaimsFile = toml::from_str(include_str!("../experiments/claims.toml"))
        .map_err(|error| ReproduceError::Claims(error.to_string()))?;
    Ok(file.claims)
}

/// Tests each claim with the finished runs.
pub(crate) fn judge(claims: &[Claim], archive: &Archive) -> Result<Vec<Finding>, ReproduceError> {
    let weighed = claims.iter().map(|claim| weigh(claim, archive));
    let mut findings: Vec<Finding> = weighed.collect::<Result<_, _>>()?;
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
        _ if finding.panels == 0 => Verdict::NotRun,
        true if -LEVEL <= low && high <= LEVEL => Verdict::Holds,
        true if is_told && (low > LEVEL || high < -LEVEL) => Verdict::Contradicted,
        true => Verdict::Open,
        false if !is_told => Verdict::Tie,
        false if estimate < 0.0 => Verdict::Contradicted,
        false if finding.above < finding.panels => Verdict::OnAverage,
        false => Verdict::Holds,
    }
}

/// The names of the two curves in comparisons.
const ONE: &str = "one";
const OTHER: &str = "other";

fn weigh(claim: &Claim, archive: &Archive) -> Result<Finding, ReproduceError> {
    let experiment = Experiment::named(&claim.figure)?;
    let mut runs = RunList::default();
    let plan = runs.plan(&experiment, &Selection::default().whole(&experiment))?;
    let panels = plan.finished(&runs, archive)?;
    let mut finding = Finding::nothing(claim, claim.planned(&experiment, &panels));
    let settings = ComparisonSettings {
        baseline: Some(OTHER.into()),
        paired: claim.paired,
        ..ComparisonSettings::default()
    };
    let groups = claim.groups(&experiment, &panels)?;
    let comparison = match Comparison::of_groups(groups, settings) {
        Ok(comparison) => comparison,
        Err(CompareError::Nothing(_) | CompareError::Baseline { .. }) => return Ok(finding),
        Err(error) => return Err(error.into()),
    };
    let score = if claim.score == ClaimScore::LastFive { "last five" } else { "average" };
    let pairs = comparison.pairs();
    let in_panels: Vec<_> = pairs.in_panels.iter().filter(|row| row.pair.score == score).collect();
    // For a wider gap there are two groups per panel: the one gap, and the other with its sign reversed.
    let together = if claim.wider { 2 } else { 1 };
    let gaps = in_panels.chunks(together);
    let gap =
        |rows: &&[&PairInPanel]| rows.iter().map(|row| row.pair.difference.estimate).sum::<f64>();
    finding.above = gaps.filter(|pairs| gap(pairs) > 0.0).count();
    let counts = || in_panels.iter().flat_map(|pair| pair.runs);
    finding.seeds = (counts().min().unwrap_or_default(), counts().max().unwrap_or_default());
    if let Some(over) = pairs.over_panels.into_iter().find(|row| row.pair.score == score) {
        let times = together as f64;
        let Interval { estimate, low, high } = over.pair.difference;
        let [estimate, low, high] = [estimate, low, high].map(|end| times * end);
        finding.difference = Interval { estimate, low, high };
        (finding.panels, finding.p) = (over.panels / together, over.pair.p);
        finding.improvement = (!claim.wider).then_some(over.pair.improvement);
    }
    Ok(finding)
}

impl Finding {
    /// A finding without runs, for a claim about this number of panels.
    fn nothing(claim: &Claim, planned: usize) -> Self {
        Self {
            claim: claim.clone(),
            planned,
            panels: 0,
            above: 0,
            seeds: (0, 0),
            difference: Interval::unbounded(f64::NAN),
            improvement: None,
            p: None,
            verdict: Verdict::NotRun,
        }
    }
}

/// The name of the same runs with a random member deployed.
const RANDOM: &str = "a random member";

impl Claim {
    /// Returns the pairs of rows, with their tasks, that the claim covers.
    fn places<'a>(&'a self, experiment: &'a Experiment) -> Vec<(&'a str, &'a str, Task)> {
        let all = || experiment.rows.iter().map(|row| row.name.as_str()).collect();
        let named = |rows: &'a [String]| rows.iter().map(String::as_str).collect::<Vec<_>>();
        let rows = if self.rows.is_empty() { all() } else { named(&self.rows) };
        let others = match self.against_rows.is_empty() {
            true => rows.clone(),
            false => named(&self.against_rows),
        };
        let wanted = |task: &&Task| self.tasks.is_empty() || self.tasks.contains(&task.to_string());
        let tasks = || experiment.tasks.iter().filter(wanted).copied();
        let of = |(row, other)| tasks().map(move |task| (row, other, task));
        rows.into_iter().zip(others).flat_map(of).collect()
    }

    /// Counts the panels of the figure that the claim covers.
    fn planned(&self, experiment: &Experiment, panels: &[FinishedPanel<'_>]) -> usize {
        let is_there = |row: &str, task| {
            panels.iter().any(|panel| panel.task == task && panel.row.name == row)
        };
        let places = self.places(experiment).into_iter();
        places.filter(|&(row, other, task)| is_there(row, task) && is_there(other, task)).count()
    }

    /// Returns both curves of every panel in which both have runs.
    fn groups(
        &self,
        experiment: &Experiment,
        panels: &[FinishedPanel<'_>],
    ) -> Result<Vec<RunGroup>, ReproduceError> {
        let one = parse_curve(&self.curve)?;
        let other = if self.against == RANDOM { one } else { parse_curve(&self.against)? };
        let mut groups = Vec::new();
        for (row, other_row, task) in self.places(experiment) {
            let runs = |row: &str, curve: &CurveSpec| self.runs(panels, task, row, curve);
            let group = |row: &str, one: Option<Vec<_>>, other: Option<Vec<_>>| {
                let title = format!("{}, {row}", task_name(task));
                // The spread of a single run is unknown.
                let [one, other] = [one, other].map(|runs| runs.filter(|runs| runs.len() > 1));
                Some(RunGroup { title, curves: vec![(ONE.into(), one?), (OTHER.into(), other?)] })
            };
            match (self.wider, self.against.as_str()) {
                (true, _) => {
                    let here = group(row, runs(row, &one), runs(row, &other));
                    let there = group(other_row, runs(other_row, &other), runs(other_row, &one));
                    groups.extend(
                        here.zip(there).into_iter().flat_map(|(here, there)| [here, there]),
                    );
                }
                (false, RANDOM) => {
                    let random = |runs: Vec<_>| runs.iter().filter_map(random).collect();
                    groups.extend(group(row, runs(row, &one), runs(row, &one).map(random)));
                }
                (false, _) => {
                    groups.extend(group(row, runs(row, &one), runs(other_row, &other)));
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
        curve: &CurveSpec,
    ) -> Option<Vec<ComparedRun>> {
        let panel = panels.iter().find(|panel| panel.task == task && panel.row.name == row)?;
        let (_, records) = panel.curves.iter().find(|(found, _)| found == curve)?;
        let runs = records.iter().map(|record| record.as_run(Path::new(&record.run)));
        match self.score {
            ClaimScore::Average | ClaimScore::LastFive => Some(runs.collect()),
            ClaimScore::Loss => runs.map(by_loss).collect(),
        }
    }
}

fn parse_curve(text: &str) -> Result<CurveSpec, ReproduceError> {
    text.parse().map_err(|error| ReproduceError::Claims(format!("{text}: {error}")))
}

/// The run with a random member deployed; `None` if there is only one member.
fn random(run: &ComparedRun) -> Option<ComparedRun> {
    with_reward(run, |_, random| random)
}

/// The run with −ln(loss) as its reward.
fn by_loss(mut run: ComparedRun) -> Option<ComparedRun> {
    for line in &mut run.lines {
        line.reward = -line.imitation_loss?.ln();
    }
    Some(ComparedRun { expert: Some(1.0), ..run })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(level: bool, difference: [f64; 3], above: usize, p: f64) -> Finding {
        let [low, estimate, high] = difference;
        let claim = Claim { level, ..claims().unwrap().remove(0) };
        let difference = Interval { estimate, low, high };
        Finding { panels: 4, above, difference, p: Some(p), ..Finding::nothing(&claim, 4) }
    }

    #[test]
    fn verdicts_by_hand() {
        let told = |difference, above| verdict(&finding(false, difference, above, 0.01));
        assert_eq!(told([0.1, 0.2, 0.3], 4), Verdict::Holds);
        assert_eq!(told([0.1, 0.2, 0.3], 3), Verdict::OnAverage);
        assert_eq!(told([-0.3, -0.2, -0.1], 0), Verdict::Contradicted);
        assert_eq!(verdict(&finding(false, [-0.1, 0.2, 0.5], 4, 0.2)), Verdict::Tie);
        let level = |difference| verdict(&finding(true, difference, 2, 0.01));
        assert_eq!(level([-0.05, 0.01, 0.05]), Verdict::Holds);
        assert_eq!(level([-0.05, 0.01, 0.06]), Verdict::Open);
        assert_eq!(level([0.06, 0.2, 0.3]), Verdict::Contradicted);
        let nothing = Finding::nothing(&claims().unwrap()[0], 2);
        assert_eq!(verdict(&nothing), Verdict::NotRun);
    }

    /// Tests a claim with Hopper runs: `earns` gives the mean reward of a curve in a row (and of a random member);
    /// seeds differ by 2.
    fn found(says: &str, earns: impl Fn(&str, &str) -> (f64, Option<f64>)) -> Finding {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::new(dir.path().join("results"), dir.path().join("runs"));
        let is_it = |claim: &Claim| claim.says.contains(says);
        let claim = claims().unwrap().into_iter().find(is_it).unwrap();
        let experiment = Experiment::named(&claim.figure).unwrap();
        let tasks = Some(vec!["hopper".parse().unwrap()]);
        let mut runs = RunList::default();
        let seeds = Some(vec![1, 2, 3]);
        let selection = Selection { tasks, seeds, ..Selection::default() };
        let plan = runs.plan(&experiment, &selection).unwrap();
        for panel in &plan.panels {
            for curve in &panel.curves {
                let (mean, random) = earns(&panel.row.name, &curve.spec.to_string());
                for (&run, more) in curve.runs.iter().zip([-2.0, 0.0, 2.0]) {
                    let random = random.map(|random| random - 3.0 * more);
                    crate::testbed::finish(&runs[run], &archive, mean + more, random);
                }
            }
        }
        judge(&[claim], &archive).unwrap().remove(0)
    }

    #[test]
    fn a_wider_gap_is_the_difference_of_two_gaps() {
        let finding = found("the gap is widest", |row, curve| {
            let reward = match (row, curve) {
                ("non-realizable", "bd-5") => 60.0,
                ("realizable", "bd-5") => 55.0,
                ("realizable", _) => 50.0,
                _ => 40.0,
            };
            (reward, None)
        });
        // The expert's reward is 100: ((60 - 40) - (55 - 50)) / 100 = 0.15.
        assert!((finding.difference.estimate - 0.15).abs() < 1e-12, "{finding:?}");
        assert_eq!((finding.panels, finding.above, finding.seeds), (1, 1, (3, 3)));
        // Four means of three runs with a standard deviation of 2 each.
        let half = (finding.difference.high - finding.difference.low) / 2.0;
        let t = 2.306; // 8 degrees of freedom
        assert!((half - t * 0.02 * (4.0_f64 / 3.0).sqrt()).abs() < 1e-4, "{half}");
        assert_eq!(finding.verdict, Verdict::Holds);
    }

    #[test]
    fn a_random_member_is_the_same_runs_seed_by_seed() {
        let finding = found("BD-5: the members' mean", |_, _| (80.0, Some(70.0)));
        // Mean minus random member: 10 + 4 m for m = -2, 0 and 2; the standard deviation is 8.
        assert!((finding.difference.estimate - 0.1).abs() < 1e-12, "{finding:?}");
        let half = (finding.difference.high - finding.difference.low) / 2.0;
        assert!((half - 4.3027 * 0.08 / 3.0_f64.sqrt()).abs() < 1e-4, "{half}");
        assert_eq!(finding.verdict, Verdict::Tie);
    }

    #[test]
    fn a_claim_without_runs_is_listed() {
        let nowhere = Archive::new("/nonexistent/results", "/nonexistent/runs");
        let findings = judge(&claims().unwrap(), &nowhere).unwrap();
        assert_eq!(findings.len(), claims().unwrap().len());
        assert!(findings.iter().all(|finding| finding.verdict == Verdict::NotRun));
        let planned = |says: &str| {
            let is_it = |finding: &&Finding| finding.claim.says.contains(says);
            findings.iter().find(is_it).unwrap().planned
        };
        assert_eq!(planned("BD-5 learns faster than DAgger"), 9, "Ant has two widths");
        assert_eq!(planned("On realizable Hopper"), 1);
        assert_eq!(planned("the gap is widest"), 4);
    }

    #[test]
    fn every_claim_names_curves_of_its_figure() {
        for claim in claims().unwrap() {
            let experiment = Experiment::named(&claim.figure).unwrap();
            let has = |name: &str, curve: &str| {
                let row = experiment.rows.iter().find(|row| row.name == name);
                curve == RANDOM
                    || row.is_some_and(|row| row.curves.contains(&curve.parse().unwrap()))
            };
            let both = if claim.wider { [&claim.curve, &claim.against] } else { [&claim.curve; 2] };
            for (row, other, _) in claim.places(&experiment) {
                assert!(both.iter().all(|curve| has(row, curve)), "{claim:?}");
                assert!(has(other, &claim.against), "{claim:?}");
            }
            let rows = if claim.rows.is_empty() { experiment.rows.len() } else { claim.rows.len() };
            let others = claim.against_rows.len();
            assert!(others == 0 || others == rows, "{claim:?}");
            let tasks: Vec<String> = experiment.tasks.iter().map(ToString::to_string).collect();
            assert!(claim.tasks.iter().all(|task| tasks.contains(task)), "{claim:?}");
        }
    }
}
