//! Mean learning curves, and the cost at which they reach a level.

use super::{Interval, StatsError, mean, t_interval};

/// The rewards of several runs at common costs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCurves {
    /// The costs, in ascending order.
    pub costs: Vec<f64>,
    /// The rewards of each run at these costs.
    pub runs: Vec<Vec<f64>>,
}

impl RunCurves {
    /// Interpolates runs of (cost, reward) points linearly at the costs of all runs within the range that all of them cover.
    ///
    /// The costs of a run must not decrease. If a run has several points at one cost, the last counts.
    pub fn on_common_points(runs: &[Vec<(f64, f64)>]) -> Result<Self, StatsError> {
        let ends = || runs.iter().map(|run| Some((run.first()?.0, run.last()?.0)));
        let ends = ends().collect::<Option<Vec<_>>>().filter(|ends| !ends.is_empty());
        let ends = ends.ok_or(StatsError::NoRuns)?;
        let from = ends.iter().map(|end| end.0).fold(f64::NEG_INFINITY, f64::max);
        let to = ends.iter().map(|end| end.1).fold(f64::INFINITY, f64::min);
        let costs = runs.iter().flatten().map(|point| point.0).filter(|x| (from..=to).contains(x));
        let mut costs: Vec<f64> = costs.collect();
        costs.sort_by(f64::total_cmp);
        costs.dedup();
        if costs.is_empty() {
            return Err(StatsError::NoCommonPoints);
        }
        let at = |run: &Vec<(f64, f64)>| costs.iter().map(|&cost| reward_at(run, cost)).collect();
        Ok(Self { runs: runs.iter().map(at).collect(), costs })
    }

    /// Returns the mean over runs at each point with its t interval.
    pub fn intervals(&self, level: f64) -> Result<Vec<Interval>, StatsError> {
        let at = |i: usize| self.runs.iter().map(|run| run[i]).collect::<Vec<_>>();
        (0..self.costs.len()).map(|i| t_interval(&at(i), level)).collect()
    }

    /// Returns the mean over runs at each point.
    pub fn mean(&self) -> Vec<f64> {
        mean_of(&self.runs.iter().collect::<Vec<_>>(), self.costs.len())
    }
}

/// Returns the mean of some of the runs at each point.
pub(super) fn mean_of(runs: &[&Vec<f64>], points: usize) -> Vec<f64> {
    let at = |i: usize| runs.iter().map(|run| run[i]).collect::<Vec<_>>();
    (0..points).map(|i| mean(&at(i)).unwrap_or(f64::NAN)).collect()
}

/// Interpolates the reward of a run at a cost within its range.
fn reward_at(run: &[(f64, f64)], cost: f64) -> f64 {
    let next = run.partition_point(|point| point.0 <= cost);
    match (next.checked_sub(1).and_then(|last| run.get(last)), run.get(next)) {
        (Some(&(x, y)), Some(&(beyond, z))) => y + (z - y) * (cost - x) / (beyond - x),
        (Some(&(_, y)), None) | (None, Some(&(_, y))) => y,
        (None, None) => f64::NAN,
    }
}

/// Returns the mean height of a run of (cost, reward) points between two costs, with linear interpolation.
///
/// Rounds count in proportion to their cost. The costs must not decrease and must cover the range. Returns `None` for an
/// empty run.
pub fn mean_between(run: &[(f64, f64)], from: f64, to: f64) -> Option<f64> {
    if run.is_empty() {
        return None;
    }
    let within = run.iter().copied().filter(|point| from < point.0 && point.0 <= to);
    let ends = [from, to].map(|cost| (cost, reward_at(run, cost)));
    let path: Vec<(f64, f64)> = [ends[0]].into_iter().chain(within).chain([ends[1]]).collect();
    let area = path.windows(2).map(|pair| (pair[1].0 - pair[0].0) * (pair[0].1 + pair[1].1) / 2.0);
    if from == to { Some(ends[1].1) } else { Some(area.sum::<f64>() / (to - from)) }
}

/// Isotonic regression: the least-squares curve that never decreases, by pooling adjacent violators.
pub fn isotonic(values: &[f64]) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        let (mut level, mut size) = (value, 1);
        while let Some(&(before, count)) = blocks.last().filter(|(before, _)| *before >= level) {
            blocks.pop();
            level = (before * count as f64 + level * size as f64) / (count + size) as f64;
            size += count;
        }
        blocks.push((level, size));
    }
    blocks.into_iter().flat_map(|(level, size)| std::iter::repeat_n(level, size)).collect()
}

/// Returns the cost at which a curve reaches a level and stays above it: the crossing of its isotonic regression, with linear
/// interpolation.
///
/// A single lucky round does not count, because later rounds pull the regression down. Returns `None` if the curve misses the
/// level, and the first cost if it starts above it.
///
/// ```
/// use tutelage_compare::stats::first_sustained_crossing;
///
/// let annotations = [50.0, 100.0, 150.0, 200.0];
/// assert_eq!(first_sustained_crossing(&annotations, &[0.0, 1.0, 1.0, 1.0], 0.5), Some(75.0));
/// assert_eq!(first_sustained_crossing(&annotations, &[0.0, 1.0, 0.0, 0.0], 0.5), None, "a lucky round");
/// ```
pub fn first_sustained_crossing(costs: &[f64], rewards: &[f64], level: f64) -> Option<f64> {
    let smooth = isotonic(rewards);
    let reached = smooth.iter().position(|&value| value >= level)?;
    let Some(before) = reached.checked_sub(1) else { return costs.first().copied() };
    let share = (level - smooth[before]) / (smooth[reached] - smooth[before]);
    Some(costs[before] + share * (costs[reached] - costs[before]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isotonic_regression_by_hand() {
        assert_eq!(isotonic(&[3.0, 2.0, 1.0]), [2.0; 3]);
        assert_eq!(isotonic(&[1.0, 2.0, 2.0, 5.0]), [1.0, 2.0, 2.0, 5.0]);
        // 10 and 0 pool to 5, which is above 4: together 14/3.
        assert_eq!(isotonic(&[10.0, 0.0, 4.0]), [14.0 / 3.0; 3]);
        assert!(isotonic(&[]).is_empty());
    }

    #[test]
    fn rounds_count_in_proportion_to_their_cost() {
        let run = [(10.0, 0.0), (20.0, 4.0), (50.0, 4.0)];
        assert_eq!(mean_between(&run, 10.0, 50.0), Some(3.5));
        assert_eq!(mean_between(&run, 15.0, 20.0), Some(3.0));
    }

    #[test]
    fn a_lucky_round_is_not_a_crossing() {
        let costs = [50.0, 100.0, 150.0, 200.0, 250.0];
        // 950 falls back to 750: pooled 850, so that 900 is reached between 200 (900 exactly) at 200 annotations.
        let rewards = [300.0, 950.0, 750.0, 900.0, 1000.0];
        assert_eq!(first_sustained_crossing(&costs, &rewards, 900.0), Some(200.0));
        assert_eq!(first_sustained_crossing(&costs, &rewards, 875.0), Some(175.0));
        assert_eq!(first_sustained_crossing(&costs, &rewards, 575.0), Some(75.0));
        assert_eq!(first_sustained_crossing(&costs, &rewards, 1001.0), None);
        // Reached at the start.
        assert_eq!(first_sustained_crossing(&costs, &rewards, 300.0), Some(50.0));
    }

    #[test]
    fn runs_are_interpolated_between_common_points() {
        let run = |rewards: [f64; 2]| vec![(50.0, rewards[0]), (100.0, rewards[1])];
        let curves = RunCurves::on_common_points(&[run([1.0, 2.0]), run([3.0, 5.0])]).unwrap();
        assert_eq!((curves.costs.clone(), curves.mean()), (vec![50.0, 100.0], vec![2.0, 3.5]));
        assert_eq!(curves.intervals(0.95).unwrap()[1], t_interval(&[2.0, 5.0], 0.95).unwrap());
        let runs = [vec![(10.0, 0.0), (30.0, 2.0)], vec![(20.0, 5.0), (30.0, 6.0), (40.0, 7.0)]];
        let curves = RunCurves::on_common_points(&runs).unwrap();
        assert_eq!(curves.costs, [20.0, 30.0], "the range that all runs cover");
        assert_eq!(curves.runs, [[1.0, 2.0], [5.0, 6.0]]);
        // If the expert never drives, all points have cost 0, and the last counts.
        let idle = RunCurves::on_common_points(&[vec![(0.0, 1.0), (0.0, 7.0)]]).unwrap();
        assert_eq!((idle.costs.clone(), idle.mean()), (vec![0.0], vec![7.0]));
        let apart = [vec![(1.0, 0.0), (2.0, 0.0)], vec![(3.0, 0.0)]];
        assert_eq!(RunCurves::on_common_points(&apart), Err(StatsError::NoCommonPoints));
        assert_eq!(RunCurves::on_common_points(&[]), Err(StatsError::NoRuns));
        assert_eq!(RunCurves::on_common_points(&[vec![]]), Err(StatsError::NoRuns));
    }
}
