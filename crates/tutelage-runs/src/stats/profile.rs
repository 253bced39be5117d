//! How good runs are as a whole, over panels.

use super::{Bootstrap, Interval, StatsError, interquartile_mean};

/// The interquartile mean of all runs' scores over panels, the runs of each panel resampled on their own (Agarwal et al.
/// 2021). Scores should be in one unit, such as the expert's reward.
///
/// ```
/// use tutelage_runs::stats::{Bootstrap, aggregate};
///
/// let iqm = aggregate(&[&[0.7, 0.8], &[0.8, 0.9]], &Bootstrap::default()).unwrap();
/// assert!((iqm.estimate - 0.8).abs() < 1e-12);
/// ```
pub fn aggregate(panels: &[&[f64]], bootstrap: &Bootstrap) -> Result<Interval, StatsError> {
    bootstrap.stratified(panels, |runs| interquartile_mean(&runs.concat()).unwrap_or(f64::NAN))
}

/// A performance profile: at each of these scores the share of runs that lie above it, in the mean over panels (Agarwal et
/// al. 2021), with pointwise intervals.
///
/// ```
/// use tutelage_runs::stats::{Bootstrap, performance_profile};
///
/// let profile = performance_profile(&[&[0.2, 0.6], &[0.9, 1.0]], &[0.0, 0.5, 0.9], &Bootstrap::default()).unwrap();
/// let shares: Vec<f64> = profile.iter().map(|point| point.estimate).collect();
/// assert_eq!(shares, [1.0, 0.75, 0.25]);
/// ```
pub fn performance_profile(
    panels: &[&[f64]],
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
        // Eight scores, two put aside on each side: the mean of 3, 4, 5, 6.
        let panels: [&[f64]; 2] = [&[1.0, 3.0, 5.0, 7.0], &[2.0, 4.0, 6.0, 80.0]];
        let found = aggregate(&panels, &Bootstrap::default()).unwrap();
        assert_eq!(found.estimate, 4.5);
        assert!(found.low < 4.5 && found.high > 4.5 && found.high < 80.0, "{found:?}");
        assert_eq!(aggregate(&[], &Bootstrap::default()), Err(StatsError::NoRuns));
        assert_eq!(aggregate(&[&[]], &Bootstrap::default()), Err(StatsError::NoRuns));
    }

    #[test]
    fn panels_are_resampled_on_their_own() {
        // Within a panel nothing varies, so nothing may vary between resamples, however far panels are apart.
        let panels: [&[f64]; 2] = [&[1.0; 5], &[9.0; 5]];
        let found = aggregate(&panels, &Bootstrap::default()).unwrap();
        assert_eq!((found.low, found.high), (found.estimate, found.estimate));
    }

    #[test]
    fn a_profile_counts_every_panel_the_same() {
        let panels: [&[f64]; 2] = [&[1.0, 1.0, 1.0, 1.0], &[0.0]];
        let profile = performance_profile(&panels, &[0.5], &Bootstrap::default()).unwrap();
        assert_eq!(profile[0].estimate, 0.5);
    }
}
