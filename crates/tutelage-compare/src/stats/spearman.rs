//! Rank correlation.

use super::mean;

/// Spearman's rank correlation; `None` for fewer than two points or if one side is constant.
pub fn spearman(points: &[(f64, f64)]) -> Option<f64> {
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    correlation(&ranks(&x), &ranks(&y))
}

/// Returns ranks from 1; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut begin = 0;
    for same in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = begin as f64 + (same.len() as f64 + 1.0) / 2.0;
        same.iter().for_each(|&i| ranks[i] = rank);
        begin += same.len();
    }
    ranks
}

fn correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    let (mx, my) = (mean(x)?, mean(y)?);
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        x.iter().zip(y).map(|(&x, &y)| of(x - mx, y - my)).sum()
    };
    let (xy, xx, yy) = (sum(&|x, y| x * y), sum(&|x, _| x * x), sum(&|_, y| y * y));
    (xx > 0.0 && yy > 0.0).then(|| xy / (xx * yy).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(spearman(&[(1.0, 9.0), (2.0, 5.0), (30.0, 1.0)]), Some(-1.0));
        // Ranks 1, 2½, 2½, 4 and 2, 1, 3, 4: deviations −1½, 0, 0, 1½ and −½, −1½, ½, 1½.
        let tied = spearman(&[(1.0, 20.0), (2.0, 10.0), (2.0, 30.0), (5.0, 40.0)]).unwrap();
        assert!((tied - 3.0 / (4.5_f64 * 5.0).sqrt()).abs() < 1e-12, "{tied}");
        assert_eq!(spearman(&[(1.0, 2.0)]), None);
        assert_eq!(spearman(&[(1.0, 2.0), (1.0, 3.0)]), None, "one side is constant");
    }
}
