//! `X⁺Y`: the minimum-norm least-squares solution, by QR and one-sided Jacobi in `f64`.
//!
//! 1. QR with column pivoting by Householder reflections: `XP = QR`, where `R` has `k = min(m, n)` rows.
//!    The reflections also turn `Y` into `C = QᵀY`.
//! 2. Jacobi rotations of pairs of rows of `[R | C]`, until the rows of `R` are orthogonal: `VᵀR = ΣUᵀ`.
//!    Row `i` is then `σᵢuᵢᵀ`, followed by row `i` of `VᵀC`.
//! 3. `XP = (QV)ΣUᵀ` is a singular value decomposition, so
//!    `X⁺Y = P UΣ⁺VᵀC = P Σᵢ (σᵢuᵢ)(VᵀC)ᵢ / σᵢ²` over the `σᵢ` that are not negligible.
//!
//! References: Golub & Van Loan, *Matrix Computations* (4th ed.), sections 5.2 and 8.6; Drmač &
//! Veselić, "New fast and accurate Jacobi SVD algorithm" (2008), for rotating the triangular factor
//! instead of `X` and for the pivoting `P`, which protects small columns from the rounding errors of
//! large ones. The code uses only additions, multiplications, divisions and square roots in a fixed
//! order, so the result is bit-identical on every machine. Reordering a sum breaks that.

/// A matrix as a list of columns.
pub(crate) type ColumnMatrix = Vec<Vec<f64>>;

/// The most sweeps over all pairs of rows; about eight are typical.
const MAX_SWEEPS: usize = 100;

/// Returns `X⁺Y`, or `None` if the rotations do not converge.
///
/// Singular values up to `ε·max(m, n)·σ_max` count as zero.
pub(crate) fn solve(mut x: ColumnMatrix, mut y: ColumnMatrix) -> Option<ColumnMatrix> {
    let (m, n) = size(&x);
    let (mut rows, order) = triangularise(&mut x, &mut y);
    orthogonalise(&mut rows, n)?;
    let squares: Vec<f64> = rows.iter().map(|row| dot(&row[..n], &row[..n])).collect();
    let largest = squares.iter().copied().fold(0.0, f64::max).sqrt();
    let negligible = f64::EPSILON * m.max(n) as f64 * largest;
    let mut solution = vec![vec![0.0; n]; y.len()];
    for (row, square) in rows.iter().zip(squares).filter(|(_, square)| square.sqrt() > negligible) {
        for (column, c) in solution.iter_mut().zip(&row[n..]) {
            add(c / square, &row[..n], column);
        }
    }
    Some(solution.iter().map(|column| unordered(column, &order)).collect())
}

/// Returns `Pw`: element `i` moves to position `order[i]`.
fn unordered(w: &[f64], order: &[usize]) -> Vec<f64> {
    let mut placed = vec![0.0; w.len()];
    order.iter().zip(w).for_each(|(&place, w)| placed[place] = *w);
    placed
}

fn size(x: &ColumnMatrix) -> (usize, usize) {
    (x.first().map_or(0, Vec::len), x.len())
}

/// Returns the rows of `[R | QᵀY]`, and the column of `X` of each column of `R`.
///
/// Step `k` reflects the longest remaining column onto a multiple of `e_k`.
fn triangularise(x: &mut ColumnMatrix, y: &mut ColumnMatrix) -> (Vec<Vec<f64>>, Vec<usize>) {
    let (m, n) = size(x);
    let mut order: Vec<usize> = (0..n).collect();
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(m.min(n));
    for k in 0..m.min(n) {
        let pivot = longest(x, k);
        x.swap(k, pivot);
        order.swap(k, pivot);
        rows.iter_mut().for_each(|row| row.swap(k, pivot));
        let (done, rest) = x.split_at_mut(k + 1);
        let diagonal = reflect(&mut done[k][k..], rest.iter_mut().chain(&mut *y), k);
        let beside = rest.iter().chain(&*y).map(|column| column[k]);
        rows.push(std::iter::repeat_n(0.0, k).chain([diagonal]).chain(beside).collect());
    }
    (rows, order)
}

/// Returns the column, among those starting at `k`, with the largest norm below row `k`.
///
/// Norms are recomputed at each step: downdating them would lose accuracy to cancellation.
fn longest(x: &ColumnMatrix, k: usize) -> usize {
    let square = |j: usize| dot(&x[j][k..], &x[j][k..]);
    let longer = |(best, most), j| if square(j) > most { (j, square(j)) } else { (best, most) };
    (k + 1..x.len()).fold((k, square(k)), longer).0
}

/// Replaces `x` by the Householder vector `v`, reflects the other columns below row `k`, returns `d`.
///
/// `I − vvᵀ/h` maps `x` to `d·e₁`, where `d = ∓‖x‖`, `v = x − d·e₁`, `h = ‖v‖²/2 = ‖x‖(‖x‖ + |x₁|)`. The
/// sign of `d` is opposite to that of `x₁`, so that `v` has no cancellation.
fn reflect<'a>(x: &mut [f64], others: impl Iterator<Item = &'a mut Vec<f64>>, k: usize) -> f64 {
    let norm = dot(x, x).sqrt();
    if norm == 0.0 {
        return 0.0;
    }
    let d = if x[0] > 0.0 { -norm } else { norm };
    let h = norm * (norm + x[0].abs());
    x[0] -= d;
    for column in others {
        let along = dot(x, &column[k..]) / h;
        add(-along, x, &mut column[k..]);
    }
    d
}

/// Rotates rows until the first `n` numbers of any two are orthogonal up to rounding.
fn orthogonalise(rows: &mut [Vec<f64>], n: usize) -> Option<()> {
    let tolerance = f64::EPSILON * n as f64;
    // Rows below this squared norm are rounding noise: they never count, and their angles are random.
    let total: f64 = rows.iter().map(|row| dot(&row[..n], &row[..n])).sum();
    let noise = (f64::EPSILON * f64::EPSILON).powi(2) * total;
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for i in 1..rows.len() {
            let (above, below) = rows.split_at_mut(i);
            for p in above {
                rotated |= rotate(p, &mut below[0], n, tolerance, noise);
            }
        }
        if !rotated {
            return Some(());
        }
    }
    None
}

/// Makes the first `n` numbers of two rows orthogonal: `(p, q) ← (cp − sq, sp + cq)`.
///
/// Returns whether a rotation was necessary. With `α = ‖p‖²`, `β = ‖q‖²`, `γ = p·q` and
/// `ζ = (β − α)/2γ`, the tangent is the smaller root of `t² + 2ζt − 1 = 0`, in the form that avoids
/// cancellation.
fn rotate(p: &mut [f64], q: &mut [f64], n: usize, tolerance: f64, noise: f64) -> bool {
    let (alpha, beta) = (dot(&p[..n], &p[..n]), dot(&q[..n], &q[..n]));
    let gamma = dot(&p[..n], &q[..n]);
    if alpha <= noise || beta <= noise || gamma.abs() <= tolerance * (alpha * beta).sqrt() {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let t = 1.0_f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = c * t;
    for (p, q) in p.iter_mut().zip(q) {
        (*p, *q) = (c * *p - s * *q, s * *p + c * *q);
    }
    true
}

/// Returns `a·b`, in eight independent sums, which hides the latency of the additions.
///
/// The order of the sums is part of the result's bits.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|lane| sums[lane] += a[lane] * b[lane]);
    }
    a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>() + sums.iter().sum::<f64>()
}

/// `y ← y + a·x`.
fn add(a: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use tutelage::Stream;

    use super::*;

    /// Returns a matrix from its rows.
    fn columns<const N: usize>(rows: &[[f64; N]]) -> ColumnMatrix {
        (0..N).map(|j| rows.iter().map(|row| row[j]).collect()).collect()
    }

    fn random(m: usize, n: usize, seed: u64) -> ColumnMatrix {
        let mut rng = Stream::new(seed).rng();
        (0..n).map(|_| (0..m).map(|_| rng.random_range(-1.0..1.0)).collect()).collect()
    }

    /// Returns `A·B`.
    fn product(a: &ColumnMatrix, b: &ColumnMatrix) -> ColumnMatrix {
        let column = |b: &Vec<f64>| {
            let mut out = vec![0.0; a.first().map_or(0, Vec::len)];
            a.iter().zip(b).for_each(|(a, b)| add(*b, a, &mut out));
            out
        };
        b.iter().map(column).collect()
    }

    fn assert_close(found: &ColumnMatrix, expected: &ColumnMatrix, tolerance: f64) {
        let pairs = found.iter().flatten().zip(expected.iter().flatten());
        let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert_eq!((found.len(), size(found)), (expected.len(), size(expected)));
        assert!(apart <= tolerance, "{apart:e} apart");
    }

    /// Checks the two conditions that characterize the minimum-norm solution.
    ///
    /// The residual is orthogonal to the columns of `X`, and the solution lies in the row space.
    fn is_least_norm_solution(x: &ColumnMatrix, y: &ColumnMatrix, row_space: &ColumnMatrix) {
        let w = solve(x.clone(), y.clone()).unwrap();
        let predicted = product(x, &w);
        for (y, p) in y.iter().zip(&predicted) {
            let residual: Vec<f64> = y.iter().zip(p).map(|(y, p)| y - p).collect();
            for column in x {
                let scale = dot(column, column).sqrt() * dot(y, y).sqrt();
                assert!(dot(column, &residual).abs() <= 1e-13 * scale);
            }
        }
        // Projecting the solution onto the row space does not change it.
        let coordinates = solve(row_space.clone(), w.clone()).unwrap();
        assert_close(&product(row_space, &coordinates), &w, 1e-12);
    }

    fn transpose(x: &ColumnMatrix) -> ColumnMatrix {
        let (m, _) = size(x);
        (0..m).map(|i| x.iter().map(|column| column[i]).collect()).collect()
    }

    #[test]
    fn full_rank_systems_give_the_minimum_norm() {
        for (m, n) in [(1, 1), (40, 7), (7, 40), (13, 13), (1, 9), (9, 1), (300, 29)] {
            let (x, y) = (random(m, n, 1), random(m, 3, 2));
            is_least_norm_solution(&x, &y, &transpose(&x));
        }
    }

    #[test]
    fn rank_deficient_systems_give_the_minimum_norm() {
        for (m, n, rank) in [(60, 12, 5), (12, 60, 5), (20, 20, 1), (200, 29, 28)] {
            let (left, right) = (random(m, rank, 3), random(n, rank, 4));
            let x = product(&left, &transpose(&right));
            is_least_norm_solution(&x, &random(m, 2, 5), &right);
        }
    }

    #[test]
    fn known_pseudo_inverses() {
        let x = columns(&[[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]]);
        let y = vec![vec![3.0, 5.0, 8.0]];
        assert_close(&solve(x, y).unwrap(), &vec![vec![3.0, 4.0]], 1e-15);
        // A constant column and its double; the mean of 1, 2 and 6 is 3: (1, 2)·3/5.
        let x = columns(&[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]);
        let y = vec![vec![1.0, 2.0, 6.0]];
        assert_close(&solve(x, y).unwrap(), &vec![vec![0.6, 1.2]], 1e-14);
        let zeros = vec![vec![0.0; 4]; 3];
        assert_eq!(solve(zeros, vec![vec![1.0; 4]]), Some(vec![vec![0.0; 3]]));
        assert_eq!(solve(vec![vec![]; 3], vec![vec![]]), Some(vec![vec![0.0; 3]]));
    }

    /// Problems from `tools/lstsq_cases.py`: name, `[X, Y, X⁺Y]`, and the tolerance of the solution.
    fn cases() -> Vec<(&'static str, [ColumnMatrix; 3], f64)> {
        let mut lines = include_str!("../tests/data/lstsq.txt").lines().skip(1);
        let mut cases = Vec::new();
        while let Some(line) = lines.next() {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |i: usize| words[i].parse::<f64>().unwrap();
            let mut matrix = |rows: f64| {
                let row = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect();
                transpose(&lines.by_ref().take(rows as usize).map(row).collect())
            };
            let matrices = [number(1), number(1), number(2)].map(&mut matrix);
            cases.push((words[0], matrices, number(4)));
        }
        cases
    }

    #[test]
    fn solutions_agree_with_scipy() {
        let cases = cases();
        assert_eq!(cases.len(), 15);
        for (name, [x, y, expected], tolerance) in cases {
            let found = solve(x, y).unwrap();
            assert_eq!((found.len(), size(&found)), (expected.len(), size(&expected)), "{name}");
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                let apart = (found - expected).abs();
                assert!(apart <= tolerance * expected.abs() + 1e-15, "{name}: {found} {expected}");
            }
        }
    }

    #[test]
    fn nan_does_not_converge() {
        assert_eq!(solve(vec![vec![1.0, f64::NAN], vec![2.0, 1.0]], vec![vec![1.0, 1.0]]), None);
    }

    #[test]
    fn only_negligible_singular_values_are_dropped() {
        let diagonal = |small: f64| columns(&[[1.0, 0.0], [0.0, small]]);
        let y = |small: f64| vec![vec![1.0, small]];
        assert_close(&solve(diagonal(1e-12), y(1e-12)).unwrap(), &vec![vec![1.0, 1.0]], 1e-12);
        assert_close(&solve(diagonal(1e-16), y(1e-16)).unwrap(), &vec![vec![1.0, 0.0]], 1e-12);
    }

    #[test]
    fn extreme_scales_are_handled() {
        for scale in [1e-40, 1e38] {
            let (x, y) = (random(50, 6, 6), random(50, 2, 7));
            let scaled = x.iter().map(|column| column.iter().map(|x| scale * x).collect());
            let mut w = solve(scaled.collect(), y.clone()).unwrap();
            w.iter_mut().flatten().for_each(|w| *w *= scale);
            assert_close(&w, &solve(x, y).unwrap(), 1e-13);
        }
    }
}
