//! One matrix product for everything: `C = epilogue(A·B, aux)`, in register tiles.

use super::LANES;
use super::simd::Simd;

/// What is stored in place of the plain sum `s = (AB)_ij`, given `x = aux_ij`.
///
/// A type instead of a closure: the choice is made while compiling and costs nothing in the loop.
pub(super) trait Epilogue {
    fn finish<S: Simd>(s: S::V, x: S::V) -> S::V;
}

/// `s + x`: adds a bias (`aux` with row stride 0) or accumulates (`aux = C`).
pub(super) struct Add;
/// `tanh(s + x)`: a hidden layer.
pub(super) struct AddTanh;
/// `s·(1 − x²)`: the chain rule through `x = tanh(·)`.
pub(super) struct TimesTanhSlope;

impl Epilogue for Add {
    #[inline(always)]
    fn finish<S: Simd>(s: S::V, x: S::V) -> S::V {
        S::add(s, x)
    }
}

impl Epilogue for AddTanh {
    #[inline(always)]
    fn finish<S: Simd>(s: S::V, x: S::V) -> S::V {
        super::tanh::tanh::<S>(S::add(s, x))
    }
}

impl Epilogue for TimesTanhSlope {
    #[inline(always)]
    fn finish<S: Simd>(s: S::V, x: S::V) -> S::V {
        S::mul(s, S::fnma(x, x, S::splat(1.0)))
    }
}

/// The operands of `C = epilogue(A·B, aux)`.
///
/// `A` is `m × k` through any two strides (so a transposed matrix costs nothing); `B` is `k × n`, `C` and `aux` are `m × n` with
/// contiguous rows; `n` is a multiple of [`LANES`]. `aux` may be `C` itself.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) a: *const f32,
    /// From one row of `A` to the next.
    pub(super) a_row: usize,
    /// From one column of `A` to the next.
    pub(super) a_col: usize,
    pub(super) b: *const f32,
    pub(super) b_row: usize,
    pub(super) c: *mut f32,
    pub(super) c_row: usize,
    pub(super) aux: *const f32,
    pub(super) aux_row: usize,
}

/// Rows of a tile that is two vectors wide: twelve accumulators, two vectors of `B` and a broadcast fill the sixteen registers.
const WIDE_ROWS: usize = 6;
/// Rows of a tile that is one vector wide.
const NARROW_ROWS: usize = 10;

/// Computes the product.
///
/// # Safety
/// All elements that the description names must be readable, those of `C` writable, and `C` may overlap only `aux`, and that exactly.
#[inline(always)]
pub(super) unsafe fn multiply<S: Simd, E: Epilogue>(p: &Product) {
    let wide = p.n / (2 * LANES) * (2 * LANES);
    // SAFETY (all blocks): tiles cover rows below m and columns below n, which the caller vouches for.
    if wide > 0 {
        for (row, rows) in balanced(p.m, WIDE_ROWS) {
            for col in (0..wide).step_by(2 * LANES) {
                unsafe { wide_tile::<S, E>(p, row, rows, col) };
            }
        }
    }
    if wide < p.n {
        for (row, rows) in balanced(p.m, NARROW_ROWS) {
            unsafe { narrow_tile::<S, E>(p, row, rows, wide) };
        }
    }
}

/// Splits `0..total` into the fewest runs of at most `limit`, whose lengths differ by at most one: `(start, length)` of each.
///
/// Even runs keep enough independent sums in flight everywhere; a short last run would wait on its own latency.
#[inline(always)]
pub(super) fn balanced(total: usize, limit: usize) -> impl Iterator<Item = (usize, usize)> {
    let runs = total.div_ceil(limit).max(1);
    let (short, longer) = (total / runs, total % runs);
    (0..runs).map(move |i| (i * short + i.min(longer), short + usize::from(i < longer)))
}

#[inline(always)]
unsafe fn wide_tile<S: Simd, E: Epilogue>(p: &Product, row: usize, rows: usize, col: usize) {
    // SAFETY: forwarded to the caller of `multiply`.
    unsafe {
        match rows {
            6 => tile::<S, E, 6, 2>(p, row, col),
            5 => tile::<S, E, 5, 2>(p, row, col),
            4 => tile::<S, E, 4, 2>(p, row, col),
            3 => tile::<S, E, 3, 2>(p, row, col),
            2 => tile::<S, E, 2, 2>(p, row, col),
            1 => tile::<S, E, 1, 2>(p, row, col),
            _ => {}
        }
    }
}

#[inline(always)]
unsafe fn narrow_tile<S: Simd, E: Epilogue>(p: &Product, row: usize, rows: usize, col: usize) {
    // SAFETY: forwarded to the caller of `multiply`.
    unsafe {
        match rows {
            10 => tile::<S, E, 10, 1>(p, row, col),
            9 => tile::<S, E, 9, 1>(p, row, col),
            8 => tile::<S, E, 8, 1>(p, row, col),
            7 => tile::<S, E, 7, 1>(p, row, col),
            6 => tile::<S, E, 6, 1>(p, row, col),
            5 => tile::<S, E, 5, 1>(p, row, col),
            4 => tile::<S, E, 4, 1>(p, row, col),
            3 => tile::<S, E, 3, 1>(p, row, col),
            2 => tile::<S, E, 2, 1>(p, row, col),
            1 => tile::<S, E, 1, 1>(p, row, col),
            _ => {}
        }
    }
}

/// `R` rows by `C` vectors of the result, kept in registers over the whole inner dimension.
#[inline(always)]
unsafe fn tile<S: Simd, E: Epilogue, const R: usize, const C: usize>(p: &Product, row: usize, col: usize) {
    // SAFETY: rows `row..row + R` and columns `col..col + 8C` lie inside the operands.
    unsafe {
        let mut sums = [[S::splat(0.0); C]; R];
        let a: [*const f32; R] = std::array::from_fn(|i| p.a.add((row + i) * p.a_row));
        let mut b = p.b.add(col);
        let mut offset = 0;
        for _ in 0..p.k {
            let b_vectors: [S::V; C] = std::array::from_fn(|j| S::load(b.add(j * LANES)));
            for i in 0..R {
                let a_ik = S::splat(*a[i].add(offset));
                for j in 0..C {
                    sums[i][j] = S::fma(a_ik, b_vectors[j], sums[i][j]);
                }
            }
            b = b.add(p.b_row);
            offset += p.a_col;
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, &sum) in sums.iter().enumerate() {
                let x = S::load(p.aux.add((row + i) * p.aux_row + col + j * LANES));
                S::store(p.c.add((row + i) * p.c_row + col + j * LANES), E::finish::<S>(sum, x));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::simd::{Isa, Kernel, run};
    use super::*;

    #[test]
    fn balanced_runs_cover_everything_and_differ_by_at_most_one() {
        for total in 0..130 {
            let runs: Vec<_> = balanced(total, 6).collect();
            let end = runs.iter().fold(0, |end, &(start, length)| {
                assert_eq!(start, end);
                assert!(length <= 6);
                end + length
            });
            assert_eq!(end, total);
            let lengths = runs.iter().map(|r| r.1);
            assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1);
        }
        assert_eq!(balanced(28, 6).map(|r| r.1).collect::<Vec<_>>(), [6, 6, 6, 5, 5]);
    }

    struct Multiply(Product);

    impl Kernel for Multiply {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self) {
            // SAFETY: the test below passes operands of the described sizes.
            unsafe { multiply::<S, Add>(&self.0) };
        }
    }

    #[test]
    fn product_with_plain_and_transposed_a_is_exact_on_small_integers() {
        for isa in [Isa::Portable, Isa::Avx2Fma] {
            for (m, n, k) in [(1, 8, 1), (7, 24, 5), (13, 16, 28), (64, 64, 50), (11, 40, 3)] {
                for transposed in [false, true] {
                    check(isa, m, n, k, transposed);
                }
            }
        }
    }

    fn check(isa: Isa, m: usize, n: usize, k: usize, transposed: bool) {
        let number = |i: usize| (i * 7 % 11) as f32 - 5.0;
        let a: Vec<f32> = (0..m * k).map(number).collect();
        let b: Vec<f32> = (0..k * n).map(|i| number(i + 3)).collect();
        let mut c: Vec<f32> = (0..m * n).map(|i| number(i + 1)).collect();
        let (a_row, a_col) = if transposed { (1, m) } else { (k, 1) };
        let expected: Vec<f32> = (0..m * n)
            .map(|ij| c[ij] + (0..k).map(|l| a[ij / n * a_row + l * a_col] * b[l * n + ij % n]).sum::<f32>())
            .collect();
        let (c_ptr, a, b) = (c.as_mut_ptr(), a.as_ptr(), b.as_ptr());
        let product = Product { m, n, k, a, a_row, a_col, b, b_row: n, c: c_ptr, c_row: n, aux: c_ptr, aux_row: n };
        run(isa, Multiply(product));
        assert_eq!(c, expected, "{isa:?} {m}x{n}x{k}, transposed: {transposed}");
    }
}
