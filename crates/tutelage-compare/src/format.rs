//! Numbers as text.

use tutelage_runs::terminal::digits;

use crate::stats::Interval;

/// Formats a reward with its interval.
pub fn reward(interval: Interval) -> String {
    let ends = [interval.low, interval.high].into_iter().filter(|end| end.is_finite());
    with_interval(interval, digits(ends.map(f64::abs).fold(interval.estimate.abs(), f64::max)))
}

/// Formats a share, a probability or a ratio with its interval.
pub fn share(interval: Interval) -> String {
    with_interval(interval, 2)
}

/// An unbounded end is `…`; without any bound, the interval is omitted.
fn with_interval(Interval { estimate, low, high }: Interval, digits: usize) -> String {
    let end = |end: f64| if end.is_finite() { number(end, digits) } else { "…".into() };
    match low.is_finite() || high.is_finite() {
        true => format!("{} [{}, {}]", number(estimate, digits), end(low), end(high)),
        false => number(estimate, digits),
    }
}

/// Formats a number with this number of decimals. A number that rounds to 0 has no sign.
fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| matches!(c, '0' | '.')) => size.into(),
        _ => text,
    }
}

/// Formats a p-value; `–` if there is none.
pub fn p_value(p: Option<f64>) -> String {
    match p {
        None => "–".into(),
        Some(p) if p < 0.001 => "<0.001".into(),
        Some(p) => format!("{p:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign_and_unbounded_ends_are_open() {
        let words = |estimate, low, high| share(Interval { estimate, low, high });
        assert_eq!(words(-0.001, -0.02, 0.01), "0.00 [-0.02, 0.01]");
        assert_eq!(words(0.5, f64::NEG_INFINITY, 0.75), "0.50 […, 0.75]");
        assert_eq!(share(Interval::unbounded(-0.25)), "-0.25");
    }
}
