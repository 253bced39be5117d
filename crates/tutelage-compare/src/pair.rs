//! One curve compared with another, in each panel and over panels.

use crate::stats::{
    Difference, Interval, LevelComparison, StatsError, TargetReward, cost_ratio, holm, improvement,
    paired_permutation, paired_t, stratified_welch, welch,
};
use serde::Serialize;
use tutelage::Stream;

use crate::arrange::{ComparisonPanel, LearningCurve};
use crate::comparison::Comparison;
use crate::numbers::LEVELS;
use crate::score::ScoreKind;

/// One curve compared with another by one score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The curve.
    pub curve: String,
    /// The other curve.
    pub against: String,
    /// The score of a run: `last five` or `average`.
    pub score: &'static str,
    /// The mean of the curve minus the mean of the other; over panels, in units of the expert's reward.
    pub difference: Interval,
    /// The probability that a run of the curve has a higher score than a run of the other.
    pub improvement: Interval,
    /// The p-value of no difference: Welch's t test, or Student's for pairs.
    pub p: Option<f64>,
    /// The p-value, corrected for all comparisons in panels or for all comparisons over panels.
    pub p_holm: Option<f64>,
}

/// One curve compared with another in a panel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairInPanel {
    /// The title of the panel.
    pub panel: String,
    /// The comparison.
    #[serde(flatten)]
    pub pair: Pair,
    /// The number of runs of each curve, or the number of pairs.
    pub runs: [usize; 2],
    /// The p-value of the sign-flip permutation test, for pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_permutation: Option<f64>,
}

/// One curve compared with another over all panels that show both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairOverPanels {
    /// The number of panels. Panels with a single run of a curve count only if there are no others.
    pub panels: usize,
    /// The comparison.
    #[serde(flatten)]
    pub pair: Pair,
    /// The cost ratio at each of the [`LEVELS`].
    pub cost_ratio: [CostRatio; 4],
    /// The cost ratio at the reward where the other curve ends (the mean of its last five rounds).
    pub cost_of_its_level: CostRatio,
}

/// The cost of one curve divided by that of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CostRatio {
    /// The number of panels in which both mean curves reach the level.
    pub panels: usize,
    /// The numbers of panels in which only the curve, or only the other, does. These have no ratio.
    pub alone: [usize; 2],
    /// The geometric mean over the panels in which both do.
    #[serde(flatten)]
    pub ratio: Option<Interval>,
}

/// All comparisons of two curves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairs {
    /// In each panel.
    pub in_panels: Vec<PairInPanel>,
    /// Over panels; empty if no expert's reward is known.
    pub over_panels: Vec<PairOverPanels>,
}

impl Pair {
    fn new(
        [curve, against]: [&str; 2],
        score: ScoreKind,
        Difference { interval: difference, p }: Difference,
        improvement: Interval,
    ) -> Self {
        let (curve, against, score) = (curve.into(), against.into(), score.name());
        Self { curve, against, score, difference, improvement, p, p_holm: None }
    }
}

impl Comparison {
    /// Compares every curve with the baseline, or with every other curve, by both scores.
    ///
    /// P-values are corrected by Holm's method, separately for the comparisons in panels and over panels.
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
        correct(pairs.in_panels.iter_mut().map(|row| &mut row.pair));
        correct(pairs.over_panels.iter_mut().map(|row| &mut row.pair));
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
        let improvement = improvement(&[(&x, &y)], level).ok()?;
        let pair = Pair::new([&a.name, &b.name], score, found.ok()?, improvement);
        let (panel, runs) = (panel.title.clone(), [x.len(), y.len()]);
        Some(PairInPanel { panel, pair, runs, p_permutation })
    }

    fn over_panels(&self, one: &str, other: &str, score: ScoreKind) -> Option<PairOverPanels> {
        let panels = self.panels.iter().filter(|panel| panel.expert.is_some());
        let mut panels: Vec<_> = panels
            .filter_map(|panel| Some((panel, panel.curve(one)?, panel.curve(other)?)))
            .collect();
        // The spread of a single run is unknown, so panels with one count only if there are no others.
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
        let difference = self.difference(&shares).ok()?;
        let comparison = |target: &dyn Fn(&ComparisonPanel) -> Option<TargetReward>| {
            let comparisons = panels.iter().filter_map(|(panel, a, b)| {
                Some(LevelComparison { a: &a.curves, b: &b.curves, target: target(panel)? })
            });
            self.cost_ratio(comparisons.collect())
        };
        let improvement = improvement(&shares, self.settings.level).ok()?;
        let pair = Pair::new([one, other], score, difference, improvement);
        Some(PairOverPanels {
            panels: panels.len(),
            pair,
            cost_ratio: LEVELS
                .map(|share| comparison(&|panel| panel.reward_at(share).map(TargetReward::Fixed))),
            cost_of_its_level: comparison(&|_| Some(TargetReward::EndOfB)),
        })
    }

    fn cost_ratio(&self, mut comparisons: Vec<LevelComparison>) -> CostRatio {
        let count = |reached| comparisons.iter().filter(|c| c.reached() == reached).count();
        let alone = [count([true, false]), count([false, true])];
        comparisons.retain(|comparison| comparison.reached() == [true, true]);
        let ratio = self.bootstrap().and_then(|bootstrap| cost_ratio(&comparisons, &bootstrap));
        CostRatio { panels: comparisons.len(), alone, ratio: ratio.ok().flatten() }
    }

    /// The mean difference over panels.
    fn difference(&self, panels: &[(&[f64], &[f64])]) -> Result<Difference, StatsError> {
        let level = self.settings.level;
        if !self.settings.paired {
            return stratified_welch(panels, level);
        }
        // Runs of the same seed in different panels are independent, so each panel's differences are a stratum.
        let differences: Vec<Vec<f64>> =
            panels.iter().map(|(x, y)| x.iter().zip(*y).map(|(x, y)| x - y).collect()).collect();
        let nothing = [0.0, 0.0];
        let strata: Vec<(&[f64], &[f64])> =
            differences.iter().map(|stratum| (&stratum[..], &nothing[..])).collect();
        stratified_welch(&strata, level)
    }

    /// Returns the scores of both curves. If runs are paired, only seeds of both curves count, in the same order.
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

/// Corrects the known p-values by Holm's method.
fn correct<'a>(pairs: impl Iterator<Item = &'a mut Pair>) {
    let tests: Vec<(f64, &mut Pair)> = pairs.filter_map(|pair| Some((pair.p?, pair))).collect();
    let corrected = holm(&tests.iter().map(|(p, _)| *p).collect::<Vec<_>>());
    tests.into_iter().zip(corrected).for_each(|((_, pair), p)| pair.p_holm = Some(p));
}
