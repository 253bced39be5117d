//! Exponents: linear regression on logarithms.

/// A slope with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The fitted slope.
    pub value: f64,
    /// Its standard error from the residuals; infinite if there are no degrees of freedom.
    pub error: f64,
}

/// The exponents a of y = c · Π xⱼ^{aⱼ} by least squares on logarithms, from points (x₁ … x_p, y).
///
/// An xⱼ that does not vary has no exponent. Returns `None` if there are too few points or a number
/// is not positive.
pub(crate) fn exponents(points: &[(Vec<f64>, f64)]) -> Option<Vec<Option<Slope>>> {
    let logs: Vec<(Vec<f64>, f64)> =
        points.iter().map(|(x, y)| (x.iter().map(|x| x.ln()).collect(), y.ln())).collect();
    let columns = logs.first()?.0.len();
    if logs.iter().any(|(x, y)| !y.is_finite() || x.iter().any(|x| !x.is_finite())) {
        return None;
    }
    let varies = |j: usize| logs.iter().any(|(x, _)| (x[j] - logs[0].0[j]).abs() > 1e-12);
    let used: Vec<usize> = (0..columns).filter(|&j| varies(j)).collect();
    let rows: Vec<Vec<f64>> = logs
        .iter()
        .map(|(x, _)| [1.0].into_iter().chain(used.iter().map(|&j| x[j])).collect())
        .collect();
    let y: Vec<f64> = logs.iter().map(|(_, y)| *y).collect();
    let slopes = least_squares(&rows, &y)?;
    let place = |j: usize| used.iter().position(|&used| used == j);
    Some((0..columns).map(|j| place(j).map(|index| slopes[index + 1])).collect())
}

/// The coefficients that minimize Σ (y − row · β)², with their standard errors.
fn least_squares(rows: &[Vec<f64>], y: &[f64]) -> Option<Vec<Slope>> {
    let width = rows.first()?.len();
    if rows.len() < width {
        return None;
    }
    let sum = |f: &dyn Fn(usize) -> f64| (0..rows.len()).map(f).sum::<f64>();
    let moments: Vec<Vec<f64>> = (0..width)
        .map(|i| (0..width).map(|j| sum(&|row| rows[row][i] * rows[row][j])).collect())
        .collect();
    let inverse = invert(moments)?;
    let projected: Vec<f64> = (0..width).map(|i| sum(&|row| rows[row][i] * y[row])).collect();
    let coefficient = |i: usize| (0..width).map(|j| inverse[i][j] * projected[j]).sum::<f64>();
    let beta: Vec<f64> = (0..width).map(coefficient).collect();
    let predicted = |row: usize| (0..width).map(|j| rows[row][j] * beta[j]).sum::<f64>();
    let squares = sum(&|row| (y[row] - predicted(row)).powi(2));
    let variance = match rows.len() - width {
        0 => f64::INFINITY,
        freedom => squares / freedom as f64,
    };
    let slope = |i: usize| Slope { value: beta[i], error: (variance * inverse[i][i]).sqrt() };
    Some((0..width).map(slope).collect())
}

/// The inverse of a small matrix, by elimination with pivots.
fn invert(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..n).map(|j| f64::from(u8::from(i == j))));
    }
    for column in 0..n {
        let size = |row: &usize| matrix[*row][column].abs();
        let pivot = (column..n).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if size(&pivot) < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        let scale = matrix[column][column];
        matrix[column].iter_mut().for_each(|x| *x /= scale);
        let leading = matrix[column].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|(row, _)| *row != column) {
            let factor = row[column];
            row.iter_mut().zip(&leading).for_each(|(x, lead)| *x -= factor * lead);
        }
    }
    Some(matrix.into_iter().map(|mut row| row.split_off(n)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_a_power_law_are_exact() {
        let law = |h: f64, e: f64| (vec![h, e], 3.0 * h.powf(4.0) * e.powf(2.0));
        let points: Vec<_> =
            [5.0, 10.0, 20.0].iter().flat_map(|&h| [1.0, 2.0].map(|e| law(h, e))).collect();
        let slopes = exponents(&points).unwrap();
        for (slope, expected) in slopes.iter().zip([4.0, 2.0]) {
            let slope = slope.unwrap();
            assert!((slope.value - expected).abs() < 1e-9 && slope.error < 1e-6, "{slope:?}");
        }
    }

    #[test]
    fn standard_error_agrees_with_the_textbook() {
        // y = 0, 1, 1 in logarithms at x = 0, 1, 2: slope ½, residuals ∓1/6, ±1/3, s² = 1/6, error √(1/12).
        let e = 1f64.exp();
        let points = [(vec![1.0], 1.0), (vec![e], e), (vec![e * e], e)];
        let slope = exponents(&points).unwrap()[0].unwrap();
        assert!((slope.value - 0.5).abs() < 1e-12);
        assert!((slope.error - (1.0f64 / 12.0).sqrt()).abs() < 1e-9, "{}", slope.error);
    }

    #[test]
    fn degenerate_points_have_no_fit() {
        assert!(exponents(&[]).is_none());
        assert!(exponents(&[(vec![1.0], 1.0)]).unwrap()[0].is_none(), "x does not vary");
        assert!(exponents(&[(vec![1.0], 1.0), (vec![2.0], 0.0)]).is_none(), "ln 0");
        let two = exponents(&[(vec![1.0], 1.0), (vec![2.0], 2.0)]).unwrap()[0].unwrap();
        assert!((two.value - 1.0).abs() < 1e-12 && two.error.is_infinite());
    }
}
