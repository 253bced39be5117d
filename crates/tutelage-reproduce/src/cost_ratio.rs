//! Cost ratios of two curves, as upper bounds.
//!
//! In a panel, the ratio compares the costs at which the mean curves reach a level and stay there (isotonic regression).
//! Over panels it is the geometric mean. Ratios are conservative. If only the baseline misses the level, its final cost
//! is used, so the ratio is an upper bound. If only the curve misses it, the panel counts as missed. If both miss it,
//! the panel is ignored. Intervals resample the runs of each curve and panel independently.

use tutelage::Stream;
use tutelage_compare::ComparisonPanel;
use tutelage_compare::stats::{
    Bootstrap, Interval, LevelComparison, StatsError, TargetReward, cost_ratio_at_most,
};

/// The cost of a curve to a share of the expert's reward, divided by that of a baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoundedCostRatio {
    /// The number of panels in which the curve reaches the level.
    pub reached: usize,
    /// Those of them in which the baseline does not, so that its final cost is used.
    pub bounded: usize,
    /// The number of panels in which only the baseline reaches the level.
    pub missed: usize,
    /// The geometric mean over the panels in which the curve reaches the level.
    pub ratio: Option<Interval>,
}

impl BoundedCostRatio {
    /// Compares two curves over these panels at a share of the expert's reward.
    pub(crate) fn over<'a>(
        panels: impl Iterator<Item = &'a ComparisonPanel>,
        curve: &str,
        against: &str,
        share: f64,
    ) -> Result<Self, StatsError> {
        let comparisons: Vec<LevelComparison<'_>> =
            panels.filter_map(|panel| comparison(panel, curve, against, share)).collect();
        let of_kind =
            |kind| comparisons.iter().filter(|comparison| comparison.reached() == kind).count();
        let (bounded, missed) = (of_kind([true, false]), of_kind([false, true]));
        let won: Vec<LevelComparison<'_>> =
            comparisons.iter().filter(|comparison| comparison.reached()[0]).copied().collect();
        let ratio = match won.is_empty() {
            true => None,
            false => Some(cost_ratio_at_most(&won, &bootstrap()?)?),
        };
        Ok(Self { reached: won.len(), bounded, missed, ratio })
    }
}

/// Compares the two curves of a panel.
fn comparison<'a>(
    panel: &'a ComparisonPanel,
    curve: &str,
    against: &str,
    share: f64,
) -> Option<LevelComparison<'a>> {
    let (a, b) = (panel.curve(curve)?, panel.curve(against)?);
    // The spread of a single run is unknown.
    let is_known = a.runs.len() > 1 && b.runs.len() > 1;
    is_known.then_some(())?;
    Some(LevelComparison {
        a: &a.curves,
        b: &b.curves,
        target: TargetReward::Fixed(panel.reward_at(share)?),
    })
}

fn bootstrap() -> Result<Bootstrap, StatsError> {
    Ok(Bootstrap::new(0.95, 2000, Stream::new(0).fork("savings", 0))?.expanded())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage_compare::{ComparedRun, Comparison, ComparisonSettings, SpecFields};
    use tutelage_runs::RoundLine;

    /// A run of 10 rounds whose reward grows linearly with annotations; the expert's is 10.
    fn run(task: &str, algorithm: &str, seed: u64, slope: f64) -> ComparedRun {
        let spec =
            format!("task = \"{task}\"\nalgorithm = \"{algorithm}\"\nseed = {seed}\nrounds = 10\n");
        let line = |round: usize| RoundLine {
            round,
            annotations: round,
            expert_steps: Some(0),
            reward: slope * round as f64,
            reward_sd: 0.0,
            reward_random: None,
            imitation_loss: None,
            seconds: None,
        };
        let (source, fields) = ("x".into(), SpecFields::parse(&spec));
        ComparedRun { source, fields, lines: (1..=10).map(line).collect(), expert: Some(10.0) }
    }

    /// Compares two runs of BD-5 with two of DAgger in each panel, with about these slopes.
    fn saving(panels: &[(&str, f64, f64)], share: f64) -> BoundedCostRatio {
        let both = |task: &str, algorithm: &str, slope: f64| {
            [run(task, algorithm, 1, 0.99 * slope), run(task, algorithm, 2, 1.01 * slope)]
        };
        let runs = panels.iter().flat_map(|&(task, one, other)| {
            both(task, "bd-5", one).into_iter().chain(both(task, "dagger", other))
        });
        let comparison = Comparison::new(runs.collect(), ComparisonSettings::default()).unwrap();
        BoundedCostRatio::over(comparison.panels.iter(), "BD-5", "DAgger", share).unwrap()
    }

    fn estimate(saving: BoundedCostRatio) -> f64 {
        saving.ratio.unwrap().estimate
    }

    #[test]
    fn the_ratio_is_the_geometric_mean_over_panels() {
        let both = saving(&[("a", 2.0, 1.0), ("b", 2.0, 2.0)], 0.75);
        assert_eq!((both.reached, both.bounded, both.missed), (2, 0, 0));
        assert!((estimate(both) - 0.5f64.sqrt()).abs() < 1e-9, "{both:?}");
    }

    #[test]
    fn ratios_are_conservative_if_a_curve_misses_the_level() {
        // The one reaches 7.5 at 3.75 annotations; the other ends at 5 with 10 annotations.
        let bounded = saving(&[("a", 2.0, 0.5), ("b", 0.5, 0.5)], 0.75);
        assert_eq!((bounded.reached, bounded.bounded, bounded.missed), (1, 1, 0));
        assert!((estimate(bounded) - 0.375).abs() < 1e-9, "{bounded:?}");
        let missed = saving(&[("a", 2.0, 1.0), ("b", 0.5, 1.0)], 0.75);
        assert_eq!((missed.reached, missed.missed), (1, 1));
        assert_eq!(
            saving(&[("a", 0.1, 0.1)], 0.75),
            BoundedCostRatio::default(),
            "both miss the level"
        );
    }
}
