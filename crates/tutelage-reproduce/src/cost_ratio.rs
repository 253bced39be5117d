//! How much of another curve's cost a curve needs, over panels and in each.
//!
//! In a panel the ratio is that of the costs at which the two mean curves reach a level for good (isotonic regression); over
//! panels it is the geometric mean. Where only the other never gets there, its last point stands for it, so that the ratio is
//! an upper bound; where only the curve itself never does, there is no ratio, and the panel is counted as missed; where neither
//! does, the panel says nothing. Intervals resample the runs of each curve and panel on their own.

use tutelage::Stream;
use tutelage_compare::ComparisonPanel;
use tutelage_compare::stats::{
    Bootstrap, Interval, LevelComparison, StatsError, TargetReward, cost_ratio_at_most,
};

/// What a curve costs in units of another's to a share of the expert's reward.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoundedCostRatio {
    /// The panels where the curve gets there.
    pub reached: usize,
    /// Those of them where the other never does, so that its end stands for it.
    pub bounded: usize,
    /// The panels where the other gets there and the curve never does.
    pub missed: usize,
    /// The geometric mean over the panels where the curve gets there.
    pub ratio: Option<Interval>,
}

impl BoundedCostRatio {
    /// Over these panels, at a share of the expert's reward.
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

/// The two curves of a panel on their way to a share of the expert's reward.
fn comparison<'a>(
    panel: &'a ComparisonPanel,
    curve: &str,
    against: &str,
    share: f64,
) -> Option<LevelComparison<'a>> {
    let (a, b) = (panel.curve(curve)?, panel.curve(against)?);
    // One run says nothing of how much others would differ.
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

    /// A run whose reward rises by a slope for every annotation, up to 10 of them, where the expert earns 10.
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

    /// In each panel two runs of BD-5 and two of DAgger, about these slopes.
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
    fn who_never_gets_there_is_counted_and_never_to_the_curves_advantage() {
        // 7.5 is reached at 3.75 of the one; the other ends at 5 with 10 annotations.
        let bounded = saving(&[("a", 2.0, 0.5), ("b", 0.5, 0.5)], 0.75);
        assert_eq!((bounded.reached, bounded.bounded, bounded.missed), (1, 1, 0));
        assert!((estimate(bounded) - 0.375).abs() < 1e-9, "{bounded:?}");
        let missed = saving(&[("a", 2.0, 1.0), ("b", 0.5, 1.0)], 0.75);
        assert_eq!((missed.reached, missed.missed), (1, 1));
        assert_eq!(
            saving(&[("a", 0.1, 0.1)], 0.75),
            BoundedCostRatio::default(),
            "neither gets there"
        );
    }
}
