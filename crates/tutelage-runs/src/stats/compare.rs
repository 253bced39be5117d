//! One algorithm against another.

use super::{Bootstrap, Interval, StatsError};

/// P(A > B) with its interval.
pub type Improvement = Interval;

/// The probability that a run of A beats a run of B, a tie counting half:
/// (1/nm) Σᵢⱼ I(aᵢ > bⱼ) + ½ I(aᵢ = bⱼ) (Agarwal et al. 2021). The runs of each are resampled on their own.
pub fn probability_of_improvement(
    a: &[f64],
    b: &[f64],
    bootstrap: &Bootstrap,
) -> Result<Improvement, StatsError> {
    if a.is_empty() || b.is_empty() {
        return Err(StatsError::NoRuns);
    }
    let pick =
        |values: &[f64], rows: &[usize]| rows.iter().map(|&row| values[row]).collect::<Vec<_>>();
    let draws = bootstrap.draws(a.len(), "a").into_iter().zip(bootstrap.draws(b.len(), "b"));
    let resampled = draws.map(|(rows_a, rows_b)| wins(&pick(a, &rows_a), &pick(b, &rows_b)));
    Ok(bootstrap.interval(wins(a, b), resampled.collect()))
}

fn wins(a: &[f64], b: &[f64]) -> f64 {
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
    use super::*;

    #[test]
    fn wins_and_ties_by_hand() {
        // 3 beats 1 and 2 and ties 3; 1 ties 1 and loses twice: (2½ + ½) / 6.
        assert_eq!(wins(&[3.0, 1.0], &[1.0, 2.0, 3.0]), 0.5);
        assert_eq!(wins(&[5.0], &[1.0, 2.0]), 1.0);
    }

    #[test]
    fn runs_that_always_win_leave_no_doubt() {
        let always =
            probability_of_improvement(&[5.0, 6.0], &[1.0, 2.0], &Bootstrap::default()).unwrap();
        assert_eq!(always, Interval { estimate: 1.0, low: 1.0, high: 1.0 });
        let even =
            probability_of_improvement(&[1.0, 4.0], &[2.0, 3.0], &Bootstrap::default()).unwrap();
        assert_eq!((even.estimate, even.low, even.high), (0.5, 0.0, 1.0));
        let none = probability_of_improvement(&[], &[1.0], &Bootstrap::default());
        assert_eq!(none, Err(StatsError::NoRuns));
    }
}
