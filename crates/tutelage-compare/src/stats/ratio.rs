//! The cost of one algorithm divided by that of another.

use super::curve::mean_of;
use super::{Bootstrap, Interval, RunCurves, StatsError, first_sustained_crossing, last_five};

/// The reward at which costs are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TargetReward {
    /// This reward.
    Fixed(f64),
    /// The end of B's mean curve: the mean of its last five points, recomputed in each resample.
    EndOfB,
}

/// The runs of two algorithms in one panel, and the reward that both should reach.
#[derive(Clone, Copy, Debug)]
pub struct LevelComparison<'a> {
    /// The runs in the numerator.
    pub a: &'a RunCurves,
    /// The runs in the denominator.
    pub b: &'a RunCurves,
    /// The reward.
    pub target: TargetReward,
}

impl LevelComparison<'_> {
    /// Returns whether A's and whether B's mean curve reaches the target and stays above it.
    pub fn reached(&self) -> [bool; 2] {
        self.costs(&self.a.mean(), &self.b.mean()).map(|cost| cost.is_some())
    }

    /// Returns the costs at which these mean curves reach the target.
    fn costs(&self, a: &[f64], b: &[f64]) -> [Option<f64>; 2] {
        let level = match self.target {
            TargetReward::Fixed(reward) => reward,
            // The regression ends at or above any mean of last points, except for rounding.
            TargetReward::EndOfB => last_five(b).map_or(f64::NAN, |end| end - 1e-9 * end.abs()),
        };
        [
            first_sustained_crossing(&self.a.costs, a, level),
            first_sustained_crossing(&self.b.costs, b, level),
        ]
    }
}

/// Returns the cost at which the mean curve reaches a level ([`first_sustained_crossing`]), or `None` if it misses the level.
///
/// The upper end of the interval is infinite if too many resamples miss the level.
pub fn cost_to_reach(
    curves: &RunCurves,
    level: f64,
    bootstrap: &Bootstrap,
) -> Result<Option<Interval>, StatsError> {
    let cost = |runs: &[&Vec<f64>]| {
        first_sustained_crossing(&curves.costs, &mean_of(runs, curves.costs.len()), level)
            .unwrap_or(f64::INFINITY)
    };
    let interval = bootstrap.of_runs(&[&curves.runs], |runs| cost(&runs[0]))?;
    Ok(interval.estimate.is_finite().then_some(interval))
}

/// Returns the cost of A divided by the cost of B to reach the target: the geometric mean over panels, or `None` if a mean
/// curve misses the target in some panel.
///
/// The ratio of a resample is infinite if A misses the target, and 0 if only B does. Such an end of the interval is unbounded,
/// because the real cost is unknown.
pub fn cost_ratio(
    comparisons: &[LevelComparison],
    bootstrap: &Bootstrap,
) -> Result<Option<Interval>, StatsError> {
    let interval = geometric_mean(comparisons, bootstrap, |_| 0.0)?;
    let is_known = interval.estimate.is_finite() && interval.estimate > 0.0;
    // 0 means that B missed the target.
    let low = if interval.low > 0.0 { interval.low } else { f64::NEG_INFINITY };
    Ok(is_known.then_some(Interval { low, ..interval }))
}

/// Returns an upper bound of the cost of A divided by the cost of B. If B misses the target, its final cost is used as a lower
/// bound of its cost. If A misses it, the ratio is infinite.
pub fn cost_ratio_at_most(
    comparisons: &[LevelComparison],
    bootstrap: &Bootstrap,
) -> Result<Interval, StatsError> {
    let end =
        |comparison: &LevelComparison| comparison.b.costs.last().map_or(f64::NAN, |end| 1.0 / end);
    geometric_mean(comparisons, bootstrap, end)
}

/// Returns the geometric mean over panels. If only B misses the target, the ratio is the cost of A times `without_b`.
fn geometric_mean(
    comparisons: &[LevelComparison],
    bootstrap: &Bootstrap,
    without_b: impl Fn(&LevelComparison) -> f64,
) -> Result<Interval, StatsError> {
    let groups: Vec<&Vec<Vec<f64>>> = comparisons
        .iter()
        .flat_map(|comparison| [&comparison.a.runs, &comparison.b.runs])
        .collect();
    let log_ratio = |comparison: &LevelComparison, a: &[&Vec<f64>], b: &[&Vec<f64>]| {
        let [a, b] = [(comparison.a, a), (comparison.b, b)]
            .map(|(curves, runs)| mean_of(runs, curves.costs.len()));
        match comparison.costs(&a, &b).into() {
            (Some(a), Some(b)) => (a / b).ln(),
            (None, _) => f64::INFINITY,
            (Some(a), None) => (a * without_b(comparison)).ln(),
        }
    };
    let geometric_mean = |runs: &[Vec<&Vec<f64>>]| {
        let logs = comparisons.iter().zip(runs.chunks_exact(2));
        let logs: Vec<f64> =
            logs.map(|(comparison, pair)| log_ratio(comparison, &pair[0], &pair[1])).collect();
        let worst = logs.iter().copied().find(|log| *log == f64::INFINITY);
        worst.unwrap_or_else(|| logs.iter().sum::<f64>() / logs.len() as f64).exp()
    };
    bootstrap.of_runs(&groups, |runs| geometric_mean(runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn straight(slopes: &[f64]) -> RunCurves {
        let costs: Vec<f64> = (1..=10).map(|n| 10.0 * f64::from(n)).collect();
        let runs = slopes.iter().map(|slope| costs.iter().map(|cost| slope * cost).collect());
        RunCurves { runs: runs.collect(), costs }
    }

    #[test]
    fn by_hand() {
        // Mean slopes 2 and 1: 60 is reached at 30 and at 60.
        let (fast, slow) = (straight(&[1.9, 2.1]), straight(&[0.9, 1.1]));
        let bootstrap = Bootstrap::default();
        let cost = cost_to_reach(&fast, 60.0, &bootstrap).unwrap().unwrap();
        assert!((cost.estimate - 30.0).abs() < 1e-9, "{cost:?}");
        let comparison = LevelComparison { a: &fast, b: &slow, target: TargetReward::Fixed(60.0) };
        let ratio = cost_ratio(&[comparison], &bootstrap).unwrap().unwrap();
        assert!((ratio.estimate - 0.5).abs() < 1e-12 && ratio.low < 0.5 && ratio.high > 0.5);
        // One panel at ½, another at 2: the geometric mean is 1.
        let back = LevelComparison { a: &slow, b: &fast, target: TargetReward::Fixed(60.0) };
        let both = cost_ratio(&[comparison, back], &bootstrap).unwrap().unwrap();
        assert!((both.estimate - 1.0).abs() < 1e-12, "{both:?}");
    }

    #[test]
    fn the_other_curve_always_reaches_its_own_end() {
        // Slopes 2 and 1: the other's last five points average 80, reached at costs 40 and 80.
        let (fast, slow) = (straight(&[1.9, 2.1]), straight(&[0.8, 1.2]));
        let comparison = LevelComparison { a: &fast, b: &slow, target: TargetReward::EndOfB };
        let ratio = cost_ratio(&[comparison], &Bootstrap::default()).unwrap().unwrap();
        assert!((ratio.estimate - 0.5).abs() < 1e-12 && ratio.low > 0.3, "{ratio:?}");
    }

    #[test]
    fn missed_targets_give_bounds_or_infinity() {
        // The first reaches 120 at a cost of 60; the other ends at 110, at a cost of 100.
        let (fast, slow) = (straight(&[1.9, 2.1]), straight(&[1.0, 1.2]));
        let comparison = |a, b| LevelComparison { a, b, target: TargetReward::Fixed(120.0) };
        let bootstrap = Bootstrap::default();
        assert_eq!(cost_ratio(&[comparison(&fast, &slow)], &bootstrap), Ok(None));
        let bound = cost_ratio_at_most(&[comparison(&fast, &slow)], &bootstrap).unwrap();
        assert!((bound.estimate - 0.6).abs() < 1e-9, "{bound:?}");
        assert!(bound.low > 0.5 && bound.high < 0.7, "{bound:?}");
        let never = cost_ratio_at_most(&[comparison(&slow, &fast)], &bootstrap).unwrap();
        assert_eq!(never.estimate, f64::INFINITY);
        // If both reach the target, the bound is the ratio.
        let comparison = LevelComparison { a: &fast, b: &slow, target: TargetReward::Fixed(60.0) };
        let ratio = cost_ratio(&[comparison], &bootstrap).unwrap().unwrap();
        assert_eq!(cost_ratio_at_most(&[comparison], &bootstrap), Ok(ratio));
    }

    #[test]
    fn missed_targets_in_resamples_unbound_the_interval() {
        let (fast, slow) = (straight(&[2.0, 2.0]), straight(&[0.5, 1.4]));
        let bootstrap = Bootstrap::default();
        assert_eq!(cost_to_reach(&slow, 100.0, &bootstrap), Ok(None), "the mean ends at 95");
        let cost = cost_to_reach(&slow, 90.0, &bootstrap).unwrap().unwrap();
        assert_eq!(cost.high, f64::INFINITY);
        let comparison = |a, b| LevelComparison { a, b, target: TargetReward::Fixed(90.0) };
        let ratio = cost_ratio(&[comparison(&slow, &fast)], &bootstrap).unwrap().unwrap();
        assert_eq!(ratio.high, f64::INFINITY);
        let ratio = cost_ratio(&[comparison(&fast, &slow)], &bootstrap).unwrap().unwrap();
        assert_eq!(ratio.low, f64::NEG_INFINITY, "not 0: the cost of the other is unknown");
        assert_eq!(cost_ratio(&[], &bootstrap), Err(StatsError::NoRuns));
    }
}
