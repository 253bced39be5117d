//! Estimates with confidence intervals.

use serde::Serialize;

use super::special::student_quantile;
use super::{StatsError, mean, sd};

/// An estimate with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end; −∞ if unbounded.
    pub low: f64,
    /// The upper end; ∞ if unbounded.
    pub high: f64,
}

impl Interval {
    /// An estimate without bounds.
    pub fn unbounded(estimate: f64) -> Self {
        Self { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY }
    }

    /// A symmetric interval.
    pub(super) fn around(estimate: f64, reach: f64) -> Self {
        Self { estimate, low: estimate - reach, high: estimate + reach }
    }
}

/// The mean of independent runs with Student's interval x̄ ± t s/√n, which is exact for normal runs, however few.
///
/// The interval of a single run is unbounded.
pub fn t_interval(values: &[f64], level: f64) -> Result<Interval, StatsError> {
    check_level(level)?;
    let centre = mean(values).ok_or(StatsError::NoRuns)?;
    let Some(sd) = sd(values) else { return Ok(Interval::unbounded(centre)) };
    let n = values.len() as f64;
    let t = student_quantile((1.0 - level) / 2.0, n - 1.0);
    Ok(Interval::around(centre, t * sd / n.sqrt()))
}

pub(super) fn check_level(level: f64) -> Result<(), StatsError> {
    if level > 0.0 && level < 1.0 { Ok(()) } else { Err(StatsError::Level(level)) }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use tutelage::Stream;

    use super::*;

    #[test]
    fn by_hand() {
        // 1, 2, 3, 4: x̄ = 2.5, s² = 5/3, and 10 % of t with 3 degrees of freedom lie beyond 1.6377.
        let four = t_interval(&[1.0, 2.0, 3.0, 4.0], 0.8).unwrap();
        assert!((four.high - 2.5 - 1.6377 * (5.0_f64 / 12.0).sqrt()).abs() < 1e-4, "{four:?}");
        let two = t_interval(&[0.0, 2.0], 0.95).unwrap();
        assert!((two.high - 1.0 - 12.706_204_736_432_095).abs() < 1e-9, "{two:?}");
        assert_eq!(t_interval(&[3.0], 0.9), Ok(Interval::unbounded(3.0)));
        assert_eq!(t_interval(&[], 0.9), Err(StatsError::NoRuns));
        assert_eq!(t_interval(&[1.0], 1.0), Err(StatsError::Level(1.0)));
    }

    #[test]
    fn intervals_of_three_runs_have_nominal_coverage() {
        let mut covered = 0;
        for trial in 0..2000 {
            let mut rng = Stream::new(trial).rng();
            let runs: Vec<f64> =
                (0..3).map(|_| (0..12).map(|_| rng.random::<f64>()).sum::<f64>()).collect();
            let Interval { low, high, .. } = t_interval(&runs, 0.8).unwrap();
            covered += u32::from(low <= 6.0 && 6.0 <= high);
        }
        assert!((0.77..0.83).contains(&(f64::from(covered) / 2000.0)), "{covered} of 2000");
    }
}
