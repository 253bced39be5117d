//! Numbers as people read them.

use tutelage_runs::stats::Interval;
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
    let end = |end: f64| if end.is_finite() { format!("{end:.digits$}") } else { "…".into() };
    match low.is_finite() || high.is_finite() {
        true => format!("{estimate:.digits$} [{}, {}]", end(low), end(high)),
        false => format!("{estimate:.digits$}"),
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
