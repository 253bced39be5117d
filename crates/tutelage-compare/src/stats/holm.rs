//! Corrections for multiple comparisons.

/// Returns p-values adjusted by Holm's method (1979), in the given order.
///
/// The smallest of n p-values is multiplied by n, the next by n - 1, and so on; no value is less than the one before.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let (mut adjusted, mut highest) = (vec![0.0; count], 0.0_f64);
    for (rank, &index) in order.iter().enumerate() {
        highest = highest.max((count - rank) as f64 * p_values[index]).min(1.0);
        adjusted[index] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // 3 · 0.02 = 0.06; 2 · 0.025 = 0.05 is raised to 0.06; 0.9 stays.
        assert_eq!(holm(&[0.9, 0.02, 0.025]), [0.9, 0.06, 0.06]);
        assert_eq!(holm(&[0.7, 0.6]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
