//! Means and standard deviations.

/// (1/n) Σ xᵢ; `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// √(Σ (xᵢ - x̄)² / (n - 1)); `None` for fewer than two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    let centre = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// The mean of the last five rounds, or of all if there are fewer: the final performance. A single round is too noisy.
pub fn last_five(rewards: &[f64]) -> Option<f64> {
    mean(&rewards[rewards.len().saturating_sub(5)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_by_hand() {
        assert_eq!((mean(&[1.0, 2.0, 6.0]), mean(&[])), (Some(3.0), None));
        assert_eq!(sd(&[2.0, 4.0, 4.0, 6.0]), Some((8.0_f64 / 3.0).sqrt()));
        assert_eq!((sd(&[2.0]), sd(&[])), (None, None));
        assert_eq!(last_five(&[9.0, 1.0, 2.0, 3.0, 4.0, 5.0]), Some(3.0));
        assert_eq!((last_five(&[4.0, 6.0]), last_five(&[])), (Some(5.0), None));
    }
}
