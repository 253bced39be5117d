//! The probability that a run of one algorithm beats a run of another.

use super::interval::check_level;
use super::special::normal_quantile;
use super::{Interval, StatsError};

/// The probability that a run of A beats a run of B, (1/nm) Σᵢⱼ I(aᵢ > bⱼ) + ½ I(aᵢ = bⱼ), averaged over panels (Agarwal et
/// al. 2021).
///
/// The interval contains all θ with |θ̂ - θ| ≤ z √V(θ). V(θ) is the variance of the estimate if θ is true; in each panel it is
/// θ (1 - θ) (1 + N ((1 - θ)/(2 - θ) + θ/(1 + θ))) / (n m) with N = (n + m)/2 - 1 (Hanley & McNeil 1982, solved for θ as by
/// Newcombe 2006). Unlike a bootstrap, it is not degenerate if all runs of A beat all runs of B.
///
/// ```
/// use tutelage_compare::stats::improvement;
///
/// let all = improvement(&[(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0])], 0.8).unwrap();
/// assert_eq!(all.estimate, 1.0);
/// assert!((0.70..0.71).contains(&all.low), "three wins of three are not certain");
/// ```
pub fn improvement(panels: &[(&[f64], &[f64])], level: f64) -> Result<Interval, StatsError> {
    check_level(level)?;
    if panels.is_empty() || panels.iter().any(|(a, b)| a.is_empty() || b.is_empty()) {
        return Err(StatsError::NoRuns);
    }
    let count = panels.len() as f64;
    let estimate = panels.iter().map(|(a, b)| wins(a, b)).sum::<f64>() / count;
    let z = normal_quantile((1.0 - level) / 2.0);
    let too_far = |theta: f64| {
        let variance: f64 = panels.iter().map(|(a, b)| variance(theta, a.len(), b.len())).sum();
        (theta - estimate).abs() > z * variance.sqrt() / count
    };
    Ok(Interval { estimate, low: edge(estimate, 0.0, too_far), high: edge(estimate, 1.0, too_far) })
}

fn variance(theta: f64, n: usize, m: usize) -> f64 {
    let (n, m) = (n as f64, m as f64);
    let more = 0.5 * (n + m) - 1.0;
    let dependence = (1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta);
    theta * (1.0 - theta) * (1.0 + more * dependence) / (n * m)
}

/// Finds the last value between `inside` and `outside` that is not too far, by bisection.
fn edge(mut inside: f64, mut outside: f64, too_far: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if too_far(middle) { outside = middle } else { inside = middle }
    }
    inside
}

/// (1/nm) Σᵢⱼ I(aᵢ > bⱼ) + ½ I(aᵢ = bⱼ).
pub(super) fn wins(a: &[f64], b: &[f64]) -> f64 {
    let score = |x: f64, y: f64| match x.total_cmp(&y) {
        std::cmp::Ordering::Greater => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Less => 0.0,
    };
    let total: f64 = a.iter().flat_map(|&x| b.iter().map(move |&y| score(x, y))).sum();
    total / (a.len() * b.len()) as f64
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use tutelage::Stream;

    use super::*;

    #[test]
    fn wins_and_ties_by_hand() {
        // 3 beats 1 and 2 and ties 3; 1 ties 1 and loses twice: (2½ + ½) / 6.
        assert_eq!(wins(&[3.0, 1.0], &[1.0, 2.0, 3.0]), 0.5);
        assert_eq!(wins(&[5.0], &[1.0, 2.0]), 1.0);
    }

    #[test]
    fn three_wins_of_three_are_not_certain() {
        let (a, b) = ([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]);
        let found = improvement(&[(&a, &b)], 0.8).unwrap();
        assert_eq!((found.estimate, found.high), (1.0, 1.0));
        // θ = 0.70…: z² V(θ) = (1 - θ)².
        let z = normal_quantile(0.1);
        assert!(((1.0 - found.low).powi(2) - z * z * variance(found.low, 3, 3)).abs() < 1e-9);
        let mirrored = improvement(&[(&b, &a)], 0.8).unwrap();
        assert!((mirrored.high - (1.0 - found.low)).abs() < 1e-12);
        let more = improvement(&[(&a, &b), (&a, &b)], 0.8).unwrap();
        assert!(more.low > found.low, "a second panel narrows the interval");
        assert!(improvement(&[], 0.8).is_err() && improvement(&[(&a, &[])], 0.8).is_err());
    }

    #[test]
    fn intervals_of_few_runs_have_nominal_coverage() {
        // Two normal distributions one standard deviation apart: P = Φ(1/√2) = 0.760.
        let truth = 1.0 - super::super::special::normal_tail(0.5_f64.sqrt());
        let (mut covered, trials) = (0, 1000);
        for trial in 0..trials {
            let mut rng = Stream::new(trial).rng();
            let mut draw = |shift: f64| {
                let normal = |rng: &mut tutelage::Rng| {
                    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
                };
                (0..4).map(|_| shift + normal(&mut rng)).collect::<Vec<f64>>()
            };
            let (a, b) = (draw(1.0), draw(0.0));
            let Interval { low, high, .. } = improvement(&[(&a, &b)], 0.8).unwrap();
            covered += u32::from(low <= truth && truth <= high);
        }
        let share = f64::from(covered) / trials as f64;
        assert!((0.74..0.92).contains(&share), "{share}");
    }
}
