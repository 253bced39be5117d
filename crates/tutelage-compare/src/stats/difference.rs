//! Differences of means, with tests.

use rand::RngExt;
use serde::Serialize;
use tutelage::Stream;

use super::interval::check_level;
use super::special::{student_quantile, student_tail};
use super::{Interval, StatsError, mean, sd};

/// A difference of means with its interval and p-value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The mean of the first minus the mean of the second.
    pub interval: Interval,
    /// The two-sided p-value of no difference; `None` if there are too few runs.
    pub p: Option<f64>,
}

/// Welch's t test (1947): the difference of two groups of runs with possibly different variances.
///
/// ```
/// use tutelage_compare::stats::welch;
///
/// let (bd_5, dagger) = ([2600.0, 2620.0, 2610.0], [2400.0, 2500.0, 2450.0]);
/// let difference = welch(&bd_5, &dagger, 0.95).unwrap();
/// assert_eq!(difference.interval.estimate, 160.0);
/// assert!(difference.interval.low > 0.0 && difference.p.is_some_and(|p| p < 0.05));
/// ```
pub fn welch(a: &[f64], b: &[f64], level: f64) -> Result<Difference, StatsError> {
    stratified_welch(&[(a, b)], level)
}

/// Welch's test of the mean difference over panels. Every panel counts the same.
///
/// With D = (1/P) Σ (āₚ - b̄ₚ), its variance is (1/P²) Σ (s²ₐₚ/nₐₚ + s²_bₚ/n_bₚ), with Welch and
/// Satterthwaite's degrees of freedom.
pub fn stratified_welch(panels: &[(&[f64], &[f64])], level: f64) -> Result<Difference, StatsError> {
    check_level(level)?;
    let (mut sum, mut variance, mut spread) = (0.0, 0.0, 0.0);
    let mut known = true;
    for (a, b) in panels {
        sum += mean(a).ok_or(StatsError::NoRuns)? - mean(b).ok_or(StatsError::NoRuns)?;
        for side in [a, b] {
            let n = side.len() as f64;
            let Some(sd) = sd(side) else {
                known = false;
                continue;
            };
            variance += sd * sd / n;
            spread += (sd * sd / n).powi(2) / (n - 1.0);
        }
    }
    if panels.is_empty() {
        return Err(StatsError::NoRuns);
    }
    let count = panels.len() as f64;
    let estimate = sum / count;
    if !known {
        return Ok(Difference { interval: Interval::unbounded(estimate), p: None });
    }
    Ok(difference(estimate, variance.sqrt() / count, variance * variance / spread, level))
}

/// Student's t test of paired runs, such as runs of the same seed.
pub fn paired_t(a: &[f64], b: &[f64], level: f64) -> Result<Difference, StatsError> {
    check_level(level)?;
    let differences = pairs(a, b)?;
    let centre = mean(&differences).ok_or(StatsError::NoRuns)?;
    let Some(sd) = sd(&differences) else {
        return Ok(Difference { interval: Interval::unbounded(centre), p: None });
    };
    let n = differences.len() as f64;
    Ok(difference(centre, sd / n.sqrt(), n - 1.0, level))
}

fn difference(estimate: f64, error: f64, freedom: f64, level: f64) -> Difference {
    if error == 0.0 {
        let p = if estimate == 0.0 { 1.0 } else { 0.0 };
        return Difference { interval: Interval::around(estimate, 0.0), p: Some(p) };
    }
    let reach = student_quantile((1.0 - level) / 2.0, freedom) * error;
    let p = 2.0 * student_tail((estimate / error).abs(), freedom);
    Difference { interval: Interval::around(estimate, reach), p: Some(p) }
}

fn pairs(a: &[f64], b: &[f64]) -> Result<Vec<f64>, StatsError> {
    if a.len() != b.len() {
        return Err(StatsError::Lengths { run: 1, found: b.len(), expected: a.len() });
    }
    Ok(a.iter().zip(b).map(|(a, b)| a - b).collect())
}

/// The maximum number of pairs for which all signs are enumerated. With more pairs, [`DRAWN`] signs are drawn.
const EXACT: usize = 16;
const DRAWN: usize = 1 << EXACT;

/// The two-sided sign-flip permutation test of paired runs, exact up to 16 pairs.
///
/// Like [`paired_t`], it tests the mean difference, but without assuming a distribution. (Wilcoxon's test would test ranks.)
/// With five pairs its smallest possible p-value is 2/2⁵ = 0.06, so reports use the t test.
pub fn paired_permutation(a: &[f64], b: &[f64], stream: &Stream) -> Result<f64, StatsError> {
    let differences = pairs(a, b)?;
    if differences.is_empty() {
        return Err(StatsError::NoRuns);
    }
    let observed = differences.iter().sum::<f64>().abs();
    // Rounding differs between sign patterns with equal sums.
    let limit = observed - 1e-9 * differences.iter().map(|d| d.abs()).sum::<f64>();
    let extreme = |flips: u64| {
        let signed = |(i, d): (usize, &f64)| if flips >> i & 1 == 1 { -d } else { *d };
        differences.iter().enumerate().map(signed).sum::<f64>().abs() >= limit
    };
    if differences.len() <= EXACT {
        let all = 1u64 << differences.len();
        return Ok((0..all).filter(|&flips| extreme(flips)).count() as f64 / all as f64);
    }
    let mut rng = stream.fork("flips", 0).rng();
    let mut flip = |d: &f64| if rng.random::<bool>() { -d } else { *d };
    let drawn =
        (0..DRAWN).filter(|_| differences.iter().map(&mut flip).sum::<f64>().abs() >= limit);
    Ok((drawn.count() + 1) as f64 / (DRAWN + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn welch_by_hand() {
        // Means 2 and 6, variances 1 and 4, three runs each: error √(5/3), degrees of freedom (5/3)² / ((1/9 + 16/9)/2).
        let found = welch(&[1.0, 2.0, 3.0], &[4.0, 6.0, 8.0], 0.95).unwrap();
        let freedom = (5.0_f64 / 3.0).powi(2) / ((1.0 / 9.0 + 16.0 / 9.0) / 2.0);
        let error = (5.0_f64 / 3.0).sqrt();
        assert_eq!(found.interval.estimate, -4.0);
        let reach = student_quantile(0.025, freedom) * error;
        assert!((found.interval.high - (reach - 4.0)).abs() < 1e-12, "{found:?}");
        assert!((found.p.unwrap() - 2.0 * student_tail(4.0 / error, freedom)).abs() < 1e-12);
    }

    #[test]
    fn all_panels_have_the_same_weight() {
        let (a, b) = ([1.0, 2.0, 3.0], [4.0, 6.0, 8.0]);
        let one = welch(&a, &b, 0.9).unwrap();
        let twice = stratified_welch(&[(&a, &b), (&a, &b)], 0.9).unwrap();
        assert_eq!(twice.interval.estimate, one.interval.estimate);
        assert!(twice.p < one.p, "two panels that agree are stronger evidence");
        let against = stratified_welch(&[(&a, &b), (&b, &a)], 0.9).unwrap();
        assert_eq!((against.interval.estimate, against.p), (0.0, Some(1.0)));
    }

    #[test]
    fn pairs_by_hand() {
        // Differences 1, 2, 3: mean 2, error 1/√3, so t = 2√3 with 2 degrees of freedom: p = 1 - t/√(2 + t²).
        let found = paired_t(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0], 0.95).unwrap();
        let t = 2.0 * 3.0_f64.sqrt();
        assert!((found.p.unwrap() - (1.0 - t / (2.0 + t * t).sqrt())).abs() < 1e-12);
        // All the same sign: only all flips or none are as extreme, 2 of 8.
        let p = paired_permutation(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0], &Stream::new(1)).unwrap();
        assert_eq!(p, 0.25);
        // 3 - 1 = 2: the sums are ±4, ±2; three of four… both ±2 and ±4 are as extreme as 2: all four.
        assert_eq!(paired_permutation(&[3.0, 0.0], &[0.0, 1.0], &Stream::new(1)).unwrap(), 1.0);
        assert!(paired_t(&[1.0], &[1.0, 2.0], 0.9).is_err());
    }

    #[test]
    fn drawn_signs_agree_with_the_t_test() {
        let a: Vec<f64> = (0..30).map(|i| f64::from(i % 7)).collect();
        let b: Vec<f64> = (0..30).map(|i| f64::from(i % 5)).collect();
        let drawn = paired_permutation(&a, &b, &Stream::new(3)).unwrap();
        let t = paired_t(&a, &b, 0.95).unwrap().p.unwrap();
        assert!((drawn - t).abs() < 0.02, "{drawn} {t}");
        assert_eq!(drawn, paired_permutation(&a, &b, &Stream::new(3)).unwrap());
    }

    #[test]
    fn single_runs_have_no_p_value() {
        assert_eq!(welch(&[1.0], &[2.0, 3.0], 0.9).unwrap().p, None);
        assert_eq!(paired_t(&[1.0], &[2.0], 0.9).unwrap().p, None);
        assert!(welch(&[], &[1.0], 0.9).is_err());
        let same = welch(&[2.0, 2.0], &[2.0, 2.0], 0.9).unwrap();
        assert_eq!((same.interval, same.p), (Interval::around(0.0, 0.0), Some(1.0)));
    }
}
