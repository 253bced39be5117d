//! One curve against another, in each panel and over panels.

use crate::stats::{
    Difference, Interval, LevelComparison, StatsError, TargetReward, cost_ratio, holm, improvement,
    paired_permutation, paired_t, stratified_welch, welch,
};
use serde::Serialize;
use tutelage::Stream;

use crate::arrange::{ComparisonPanel, LearningCurve};
use crate::comparison::Comparison;
use crate::score::ScoreKind;
use crate::table::LEVELS;

/// One curve against another in a panel, by one score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairInPanel {
    /// The panel.
    pub panel: String,
    /// The one.
    pub curve: String,
    /// The other.
    pub against: String,
    /// What runs are ranked by: `last five` or `average`.
    pub score: &'static str,
    /// How many runs each has, or how many pairs.
    pub runs: [usize; 2],
    /// The one's mean minus the other's.
    pub difference: Interval,
    /// The probability that a run of the one is above a run of the other.
    pub improvement: Interval,
    /// The p-value of no difference: Welch's t test, or for pairs Student's.
    pub p: Option<f64>,
    /// The same, corrected for all comparisons in panels.
    pub p_holm: Option<f64>,
    /// The p-value of the sign-flip permutation test, for pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_permutation: Option<f64>,
}

/// One curve against another over all panels that have both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairOverPanels {
    /// The one.
    pub curve: String,
    /// The other.
    pub against: String,
    /// How many panels have both, with several runs each where there are such.
    pub panels: usize,
    /// What runs are ranked by: `last five` or `average`.
    pub score: &'static str,
    /// The mean difference over panels in units of the expert's reward.
    pub difference: Interval,
    /// The probability that a run of the one is above a run of the other, in the mean over panels.
    pub improvement: Interval,
    /// The p-value of no difference.
    pub p: Option<f64>,
    /// The same, corrected for all comparisons over panels.
    pub p_holm: Option<f64>,
    /// The one's cost in units of the other's to 50, 75, 90 and 95 % of the expert's reward ([`LEVELS`]).
    pub cost_ratio: [CostRatio; 4],
    /// The same to where the other ends: the mean of its last five rounds in each panel.
    pub cost_of_its_level: CostRatio,
}

/// What one curve costs in units of another's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CostRatio {
    /// In how many panels both mean curves get there.
    pub panels: usize,
    /// In how many the one alone does, and in how many the other: there is no ratio in these.
    pub alone: [usize; 2],
    /// The geometric mean over the panels where both do.
    #[serde(flatten)]
    pub ratio: Option<Interval>,
}

/// All comparisons.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairs {
    /// In each panel.
    pub in_panels: Vec<PairInPanel>,
    /// Over panels; in units of the expert's reward, so empty where no expert's is known.
    pub over_panels: Vec<PairOverPanels>,
}

impl Comparison {
    /// Every curve against the baseline, or all against all; by both scores, p-values corrected by Holm's method over all
    /// comparisons in panels, and apart from these over all comparisons over panels.
    pub fn pairs(&self) -> Pairs {
        let pairs = self.pairs_of_names();
        let mut in_panels = Vec::new();
        for panel in &self.panels {
            for (one, other) in &pairs {
                if let (Some(a), Some(b)) = (panel.curve(one), panel.curve(other)) {
                    let both = ScoreKind::BOTH.map(|score| self.in_panel(panel, a, b, score));
                    in_panels.extend(both.into_iter().flatten());
                }
            }
        }
        let over = |(one, other): &(String, String)| {
            ScoreKind::BOTH.map(|score| self.over_panels(one, other, score))
        };
        let over_panels = pairs.iter().flat_map(over).flatten().collect();
        let mut pairs = Pairs { in_panels, over_panels };
        correct(pairs.in_panels.iter_mut().map(|pair| (pair.p, &mut pair.p_holm)).collect());
        correct(pairs.over_panels.iter_mut().map(|pair| (pair.p, &mut pair.p_holm)).collect());
        pairs
    }

    fn pairs_of_names(&self) -> Vec<(String, String)> {
        let names = self.names();
        if let Some(baseline) = &self.baseline {
            let others = names.iter().filter(|name| *name != baseline);
            return others.map(|name| (name.clone(), baseline.clone())).collect();
        }
        let later = |(i, name): (usize, &String)| {
            names[..i].iter().map(|earlier| (name.clone(), earlier.clone())).collect::<Vec<_>>()
        };
        names.iter().enumerate().flat_map(later).collect()
    }

    fn in_panel(
        &self,
        panel: &ComparisonPanel,
        a: &LearningCurve,
        b: &LearningCurve,
        score: ScoreKind,
    ) -> Option<PairInPanel> {
        let (x, y) = self.matched(panel, (a, b), score, &|score| Some(score))?;
        let level = self.settings.level;
        let (found, p_permutation) = match self.settings.paired {
            true => {
                let flips = paired_permutation(&x, &y, &Stream::new(0).fork("permutation", 0));
                (paired_t(&x, &y, level), flips.ok())
            }
            false => (welch(&x, &y, level), None),
        };
        let Difference { interval: difference, p } = found.ok()?;
        Some(PairInPanel {
            panel: panel.title.clone(),
            curve: a.name.clone(),
            against: b.name.clone(),
            score: score.name(),
            runs: [x.len(), y.len()],
            difference,
            improvement: improvement(&[(&x, &y)], level).ok()?,
            p,
            p_holm: None,
            p_permutation,
        })
    }

    fn over_panels(&self, one: &str, other: &str, score: ScoreKind) -> Option<PairOverPanels> {
        let panels = self.panels.iter().filter(|panel| panel.expert.is_some());
        let mut panels: Vec<_> = panels
            .filter_map(|panel| Some((panel, panel.curve(one)?, panel.curve(other)?)))
            .collect();
        // Where a curve is a single run nobody knows how much others would differ, nor then of the mean over panels: such
        // panels count only where there are no others.
        let is_known = |(_, a, b): &(&ComparisonPanel, &LearningCurve, &LearningCurve)| {
            a.runs.len() > 1 && b.runs.len() > 1
        };
        if panels.iter().any(is_known) {
            panels.retain(is_known);
        }
        let shares: Vec<_> = panels
            .iter()
            .map(|(panel, a, b)| self.matched(panel, (a, b), score, &|score| panel.share(score)))
            .collect::<Option<_>>()?;
        let shares: Vec<(&[f64], &[f64])> = shares.iter().map(|(x, y)| (&x[..], &y[..])).collect();
        let Difference { interval, p } = self.difference(&shares).ok()?;
        let comparison = |target: &dyn Fn(&ComparisonPanel) -> Option<TargetReward>| {
            let comparisons = panels.iter().filter_map(|(panel, a, b)| {
                Some(LevelComparison { a: &a.curves, b: &b.curves, target: target(panel)? })
            });
            self.cost_ratio(comparisons.collect())
        };
        Some(PairOverPanels {
            curve: one.into(),
            against: other.into(),
            panels: panels.len(),
            score: score.name(),
            difference: interval,
            improvement: improvement(&shares, self.settings.level).ok()?,
            p,
            p_holm: None,
            cost_ratio: LEVELS
                .map(|share| comparison(&|panel| panel.reward_at(share).map(TargetReward::Fixed))),
            cost_of_its_level: comparison(&|_| Some(TargetReward::EndOfB)),
        })
    }

    fn cost_ratio(&self, mut comparisons: Vec<LevelComparison>) -> CostRatio {
        let count = |reached| {
            comparisons.iter().filter(|comparison| comparison.reached() == reached).count()
        };
        let alone = [count([true, false]), count([false, true])];
        comparisons.retain(LevelComparison::both_reach);
        let ratio = self.bootstrap().and_then(|bootstrap| cost_ratio(&comparisons, &bootstrap));
        CostRatio { panels: comparisons.len(), alone, ratio: ratio.ok().flatten() }
    }

    /// The mean difference over panels; of pairs, that of each seed's mean over the panels that it has.
    fn difference(&self, panels: &[(&[f64], &[f64])]) -> Result<Difference, StatsError> {
        let level = self.settings.level;
        if !self.settings.paired {
            return stratified_welch(panels, level);
        }
        // Seeds are independent between panels as well, so that every panel's pairs are a stratum of differences.
        let differences: Vec<Vec<f64>> =
            panels.iter().map(|(x, y)| x.iter().zip(*y).map(|(x, y)| x - y).collect()).collect();
        let nothing = [0.0, 0.0];
        let strata: Vec<(&[f64], &[f64])> =
            differences.iter().map(|stratum| (&stratum[..], &nothing[..])).collect();
        stratified_welch(&strata, level)
    }

    /// The scores of both; where runs belong together, those of the seeds that both have, in the same order.
    fn matched(
        &self,
        panel: &ComparisonPanel,
        (a, b): (&LearningCurve, &LearningCurve),
        score: ScoreKind,
        unit: &dyn Fn(f64) -> Option<f64>,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let scores = |curve: &LearningCurve| -> Option<Vec<f64>> {
            panel.scores(curve, score).into_iter().map(unit).collect()
        };
        let (x, y) = (scores(a)?, scores(b)?);
        if !self.settings.paired {
            return Some((x, y));
        }
        let partner = |(i, run): (usize, &crate::ComparedRun)| {
            let j = b.runs.iter().position(|other| other.seed() == run.seed())?;
            Some((x[i], y[j]))
        };
        let (x, y): (Vec<f64>, Vec<f64>) = a.runs.iter().enumerate().filter_map(partner).unzip();
        (!x.is_empty()).then_some((x, y))
    }
}

/// Holm's correction of those that have a p-value.
fn correct(tests: Vec<(Option<f64>, &mut Option<f64>)>) {
    let known: Vec<f64> = tests.iter().filter_map(|(p, _)| *p).collect();
    let mut corrected = holm(&known).into_iter();
    for (p, place) in tests {
        *place = p.and_then(|_| corrected.next());
    }
}
