//! Cost ratios as upper bounds.
//!
//! In a panel, the ratio compares the costs at which the mean curves reach a level and stay there (isotonic regression).
//! Over panels it is the geometric mean. Ratios are conservative. If only the baseline misses the level, its final cost
//! is used, so the ratio is an upper bound. If only the curve misses it, the panel counts as missed. If both miss it,
//! the panel is ignored. Intervals resample the runs of each curve and panel independently.

use tutelage::Stream;
use tutelage_compare::format::share;
use tutelage_compare::stats::{
    Bootstrap, Interval, LevelComparison, StatsError, TargetReward, cost_ratio_at_most,
};
use tutelage_compare::tables::TextTable;
use tutelage_compare::{CompareError, Comparison, ComparisonPanel, LEVELS};

use crate::paper::curve_name;
use crate::{CurveSpec, ReproduceError};

/// The cost ratios of every curve to the baseline over panels, or of one curve in each panel.
pub(super) fn ratios(
    comparison: &Comparison,
    of: Option<&str>,
) -> Result<TextTable, ReproduceError> {
    let unknown = |curve: &str| ReproduceError::Curve(curve.into());
    let against = comparison.baseline.as_ref().ok_or_else(|| unknown("dagger"))?;
    let all: Vec<_> = comparison.panels.iter().collect();
    let row = |name: &str, panels: &[_], curve: &str| row(name, panels, curve, against);
    let levels = ["seeds", "to 50 %", "75 %", "90 %", "95 %"];
    match of {
        None => {
            let names = comparison.names();
            let curves = names.iter().filter(|name| *name != against);
            let rows: Vec<_> =
                curves.map(|curve| row(curve, &all, curve)).collect::<Result<_, _>>()?;
            Ok(TextTable::new(&[&["", "panels"], &levels[..]].concat(), rows))
        }
        Some(text) => {
            let curve = curve_name(&text.parse::<CurveSpec>().map_err(|_| unknown(text))?);
            let rows = all.iter().map(|panel| row(&panel.title, &[panel], &curve));
            let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
            Ok(TextTable::new(&[&[""], &levels[..]].concat(), rows))
        }
    }
}

/// A row of ratios, one per level, with the number of panels if there are several.
fn row(
    name: &str,
    panels: &[&ComparisonPanel],
    curve: &str,
    against: &str,
) -> Result<Vec<String>, ReproduceError> {
    let both = panels.iter().filter_map(|panel| Some([panel.curve(curve)?, panel.curve(against)?]));
    let counts: Vec<usize> = both.flatten().map(|curve| curve.runs.len()).collect();
    let mut cells = vec![name.to_owned()];
    if panels.len() > 1 {
        cells.push((counts.len() / 2).to_string());
    }
    cells.push(range(&counts));
    for level in LEVELS {
        let ratio = BoundedCostRatio::over(panels, curve, against, level);
        let ratio = ratio.map_err(CompareError::from)?;
        cells.push(ratio.to_text(panels.len()));
    }
    Ok(cells)
}

/// Formats the minimum and maximum.
pub(super) fn range(counts: &[usize]) -> String {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(fewest), Some(most)) if fewest == most => most.to_string(),
        (Some(fewest), Some(most)) => format!("{fewest}–{most}"),
        _ => "–".into(),
    }
}

/// The cost of a curve to a share of the expert's reward, divided by that of a baseline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BoundedCostRatio {
    /// The number of panels in which the curve reaches the level.
    reached: usize,
    /// Those of them in which the baseline does not, so that its final cost is used.
    bounded: usize,
    /// The number of panels in which only the baseline reaches the level.
    missed: usize,
    /// The geometric mean over the panels in which the curve reaches the level.
    ratio: Option<Interval>,
}

impl BoundedCostRatio {
    /// Compares two curves over these panels at a share of the expert's reward.
    fn over(
        panels: &[&ComparisonPanel],
        curve: &str,
        against: &str,
        share: f64,
    ) -> Result<Self, StatsError> {
        let mut comparisons = Vec::new();
        for panel in panels {
            let (curves, reward) =
                ((panel.curve(curve), panel.curve(against)), panel.reward_at(share));
            let ((Some(a), Some(b)), Some(reward)) = (curves, reward) else { continue };
            // The spread of a single run is unknown.
            if a.runs.len() > 1 && b.runs.len() > 1 {
                let target = TargetReward::Fixed(reward);
                let comparison = LevelComparison { a: &a.curves, b: &b.curves, target };
                comparisons.push((comparison, comparison.reached()));
            }
        }
        let count = |kind| comparisons.iter().filter(|(_, reached)| *reached == kind).count();
        let won = comparisons.iter().filter(|(_, reached)| reached[0]);
        let won: Vec<LevelComparison<'_>> = won.map(|(comparison, _)| *comparison).collect();
        let bootstrap = Bootstrap::new(0.95, 2000, Stream::new(0).fork("savings", 0))?.expanded();
        let ratio = match won.is_empty() {
            true => None,
            false => Some(cost_ratio_at_most(&won, &bootstrap)?),
        };
        let (bounded, missed) = (count([true, false]), count([false, true]));
        Ok(Self { reached: won.len(), bounded, missed, ratio })
    }

    /// Formats a ratio: `≤` for a bound, and the number of panels if it is not all.
    fn to_text(self, panels: usize) -> String {
        let none = if self.missed > 0 { "never" } else { "–" };
        let Some(ratio) = self.ratio else { return none.into() };
        let bound = if self.bounded > 0 { "≤ " } else { "" };
        let mut text = format!("{bound}{}", share(ratio));
        if self.reached < panels {
            text += &format!(" in {}", self.reached);
        }
        if self.missed > 0 {
            text += &format!(", never in {}", self.missed);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tutelage_compare::{ComparedRun, ComparisonSettings};
    use tutelage_runs::RoundLine;

    /// A run of 10 rounds whose reward grows linearly with annotations; the expert's is 10.
    fn run(task: &str, algorithm: &str, seed: u64, slope: f64) -> ComparedRun {
        let spec = format!("task = '{task}'\nalgorithm = '{algorithm}'\nseed = {seed}");
        let line = |round: usize| {
            let reward = slope * round as f64;
            RoundLine { round, annotations: round, reward, ..RoundLine::default() }
        };
        ComparedRun::new(task.into(), &spec, (1..=10).map(line).collect(), Some(10.0))
    }

    /// Compares two runs of BD-5 with two of DAgger in each panel, with about these slopes.
    fn ratio(panels: &[(&str, f64, f64)]) -> BoundedCostRatio {
        let both = |task: &str, algorithm: &str, slope: f64| {
            [run(task, algorithm, 1, 0.99 * slope), run(task, algorithm, 2, 1.01 * slope)]
        };
        let runs = panels.iter().flat_map(|&(task, one, other)| {
            both(task, "bd-5", one).into_iter().chain(both(task, "dagger", other))
        });
        let comparison = Comparison::new(runs.collect(), ComparisonSettings::default()).unwrap();
        let panels: Vec<_> = comparison.panels.iter().collect();
        BoundedCostRatio::over(&panels, "BD-5", "DAgger", 0.75).unwrap()
    }

    fn estimate(ratio: BoundedCostRatio) -> f64 {
        ratio.ratio.unwrap().estimate
    }

    #[test]
    fn the_ratio_is_the_geometric_mean_over_panels() {
        let both = ratio(&[("a", 2.0, 1.0), ("b", 2.0, 2.0)]);
        assert_eq!((both.reached, both.bounded, both.missed), (2, 0, 0));
        assert!((estimate(both) - 0.5f64.sqrt()).abs() < 1e-9, "{both:?}");
    }

    #[test]
    fn ratios_are_conservative_if_a_curve_misses_the_level() {
        // The one reaches 7.5 at 3.75 annotations; the other ends at 5 with 10 annotations.
        let bounded = ratio(&[("a", 2.0, 0.5), ("b", 0.5, 0.5)]);
        assert_eq!((bounded.reached, bounded.bounded, bounded.missed), (1, 1, 0));
        assert!((estimate(bounded) - 0.375).abs() < 1e-9, "{bounded:?}");
        let missed = ratio(&[("a", 2.0, 1.0), ("b", 0.5, 1.0)]);
        assert_eq!((missed.reached, missed.missed), (1, 1));
        assert_eq!(ratio(&[("a", 0.1, 0.1)]), BoundedCostRatio::default(), "both miss the level");
    }

    #[test]
    fn ratios_show_bounds_and_missed_panels() {
        let ratio = Some(Interval { estimate: 0.5, low: 0.4, high: 0.6 });
        let text = |reached, bounded, missed, panels| {
            BoundedCostRatio { reached, bounded, missed, ratio }.to_text(panels)
        };
        assert_eq!(text(8, 0, 0, 8), "0.50 [0.40, 0.60]");
        assert_eq!(text(7, 2, 1, 8), "≤ 0.50 [0.40, 0.60] in 7, never in 1");
        let none = BoundedCostRatio { missed: 1, ..BoundedCostRatio::default() };
        assert_eq!(none.to_text(8), "never");
        assert_eq!(BoundedCostRatio::default().to_text(8), "–");
    }
}
