//! Aggregates over panels.

use super::{Bootstrap, Interval, StatsError};

/// The interquartile mean of the scores of all runs (Agarwal et al. 2021), with the runs of each panel resampled
/// independently.
///
/// Scores need a common unit, such as the expert's reward. Every panel counts the same, regardless of its number of runs.
pub fn aggregate(
    panels: &[impl AsRef<[f64]>],
    bootstrap: &Bootstrap,
) -> Result<Interval, StatsError> {
    bootstrap.stratified(panels, interquartile_mean_over)
}

/// Returns the mean without the ⌊n/4⌋ lowest and highest of n runs, as a share of the total weight.
fn interquartile_mean_over(panels: &[Vec<f64>]) -> f64 {
    let weighted = |panel: &Vec<f64>| {
        let weight = 1.0 / panel.len() as f64;
        panel.iter().map(|&run| (run, weight)).collect::<Vec<_>>()
    };
    let mut runs: Vec<(f64, f64)> = panels.iter().flat_map(weighted).collect();
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all = panels.len() as f64;
    let aside = all * (runs.len() / 4) as f64 / runs.len() as f64;
    let (mut below, mut sum) = (0.0_f64, 0.0);
    for (run, weight) in runs {
        let above = below + weight;
        sum += run * (above.min(all - aside) - below.max(aside)).max(0.0);
        below = above;
    }
    sum / (all - 2.0 * aside)
}

/// A performance profile (Agarwal et al. 2021): the share of runs above each of these scores, averaged over panels, with
/// pointwise intervals.
pub fn performance_profile(
    panels: &[impl AsRef<[f64]>],
    scores: &[f64],
    bootstrap: &Bootstrap,
) -> Result<Vec<Interval>, StatsError> {
    let above = |score: f64| {
        move |runs: &[Vec<f64>]| {
            let share = |panel: &Vec<f64>| {
                panel.iter().filter(|&&run| run > score).count() as f64 / panel.len() as f64
            };
            runs.iter().map(share).sum::<f64>() / runs.len() as f64
        }
    };
    scores.iter().map(|&score| bootstrap.stratified(panels, above(score))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aggregates_by_hand() {
        // Two of eight scores are cut on each side: the mean of 3, 4, 5, 6.
        let panels: [&[f64]; 2] = [&[1.0, 3.0, 5.0, 7.0], &[2.0, 4.0, 6.0, 80.0]];
        let found = aggregate(&panels, &Bootstrap::default()).unwrap();
        assert_eq!(found.estimate, 4.5);
        assert!(found.low < 4.5 && found.high > 4.5 && found.high < 80.0, "{found:?}");
        // Two of ten scores are cut on each side: the mean of 3, …, 8.
        let ten: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        let found = aggregate(&[&ten], &Bootstrap::default()).unwrap();
        assert!((found.estimate - 5.5).abs() < 1e-12, "{found:?}");
        assert_eq!(aggregate(&[[]; 0], &Bootstrap::default()), Err(StatsError::NoRuns));
        assert_eq!(aggregate(&[[]], &Bootstrap::default()), Err(StatsError::NoRuns));
    }

    #[test]
    fn all_panels_have_the_same_weight_in_aggregates() {
        // The weights are 1/4 and 1. One of 5 runs is cut on each side, or 0.4 of 2; 0.6 of each panel is left.
        let panels: [&[f64]; 2] = [&[0.0; 4], &[1.0]];
        let found = aggregate(&panels, &Bootstrap::default()).unwrap();
        assert!((found.estimate - 0.5).abs() < 1e-12, "{found:?}");
        // The same runs once and twice.
        let once: [&[f64]; 2] = [&[1.0, 3.0, 5.0, 7.0], &[2.0, 4.0, 6.0, 80.0]];
        let twice: [&[f64]; 2] = [&[1.0, 1.0, 3.0, 3.0, 5.0, 5.0, 7.0, 7.0], once[1]];
        let found = aggregate(&twice, &Bootstrap::default()).unwrap();
        assert!((found.estimate - 4.5).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn panels_are_resampled_independently() {
        // Without variation within panels, resamples must not vary.
        let panels: [&[f64]; 2] = [&[1.0; 5], &[9.0; 5]];
        let found = aggregate(&panels, &Bootstrap::default()).unwrap();
        assert_eq!((found.low, found.high), (found.estimate, found.estimate));
    }

    #[test]
    fn profiles_are_shares_of_runs_with_equal_weights_of_panels() {
        let panels: [&[f64]; 2] = [&[0.2, 0.6, 0.6, 0.6], &[1.0]];
        let profile =
            performance_profile(&panels, &[0.0, 0.5, 0.9], &Bootstrap::default()).unwrap();
        let shares: Vec<f64> = profile.iter().map(|point| point.estimate).collect();
        assert_eq!(shares, [1.0, 0.875, 0.5]);
    }
}
