//! Numbers as people read them.

use crate::stats::Interval;
use tutelage_runs::terminal::digits;

/// A reward with its interval.
pub fn reward(interval: Interval) -> String {
    let ends = [interval.low, interval.high].into_iter().filter(|end| end.is_finite());
    written(interval, digits(ends.map(f64::abs).fold(interval.estimate.abs(), f64::max)))
}

/// A share, a probability or a ratio with its interval.
pub fn share(interval: Interval) -> String {
    written(interval, 2)
}

/// An estimate with its interval; ends that nobody knows are left open.
fn written(Interval { estimate, low, high }: Interval, digits: usize) -> String {
    let end = |end: f64| if end.is_finite() { number(end, digits) } else { "…".into() };
    match low.is_finite() || high.is_finite() {
        true => format!("{} [{}, {}]", number(estimate, digits), end(low), end(high)),
        false => number(estimate, digits),
    }
}

/// A number with so many digits behind the point; what rounds to nothing has no sign.
fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| matches!(c, '0' | '.')) => size.into(),
        _ => text,
    }
}

/// A p-value, where there is one.
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
    fn what_rounds_to_nothing_has_no_sign_and_what_nobody_knows_is_open() {
        let words = |estimate, low, high| share(Interval { estimate, low, high });
        assert_eq!(words(-0.001, -0.02, 0.01), "0.00 [-0.02, 0.01]");
        assert_eq!(words(0.5, f64::NEG_INFINITY, 0.75), "0.50 […, 0.75]");
        assert_eq!(share(Interval::unbounded(-0.25)), "-0.25");
    }
}
