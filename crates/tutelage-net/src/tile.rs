//! The matrix product `C = epilogue(A·B, aux)` in register tiles, on which all passes are built.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{Ordering, compiler_fence};

use crate::LANES;
use crate::simd::{Simd, SimdKernel};

/// The value to store for the sum `s = (AB)_ij`, given `x = aux_ij`.
///
/// A type instead of a closure, so that the choice is made at compile time.
pub(crate) trait Epilogue {
    fn finish<S: Simd>(s: S::V, x: S::V) -> S::V;
}

/// `s + x`: adds a bias (`aux` with row stride 0) or accumulates (`aux = C`).
pub(crate) struct Add;
/// `s·(1 − x²)`: the chain rule through `x = tanh(·)`.
pub(crate) struct TimesTanhSlope;

impl Epilogue for Add {
    #[inline(always)]
    fn finish<S: Simd>(s: S::V, x: S::V) -> S::V {
        S::add(s, x)
    }
}

impl Epilogue for TimesTanhSlope {
    #[inline(always)]
    fn finish<S: Simd>(s: S::V, x: S::V) -> S::V {
        S::mul(s, S::fnma(x, x, S::splat(1.0)))
    }
}

/// The storage order of `A`. A transposed matrix needs no copy, and unit strides are compile-time constants.
pub(crate) trait StorageOrder {
    /// Returns the offset of `A_il`.
    fn offset(stride: usize, i: usize, l: usize) -> usize;
}

/// `A_il` at `i·stride + l`.
pub(crate) struct RowMajor;
/// `A_il` at `l·stride + i`: the transpose of a row-major matrix.
pub(crate) struct ColumnMajor;

impl StorageOrder for RowMajor {
    #[inline(always)]
    fn offset(stride: usize, i: usize, l: usize) -> usize {
        i * stride + l
    }
}

impl StorageOrder for ColumnMajor {
    #[inline(always)]
    fn offset(stride: usize, i: usize, l: usize) -> usize {
        l * stride + i
    }
}

/// The operands of `C = epilogue(A·B, aux)`.
///
/// `A` is `m × k` in the given [`StorageOrder`]; `B` is `k × n`; `C` and `aux` are `m × n` with contiguous
/// rows; `n` is a multiple of [`LANES`]. Strides are between stored rows. `aux` may be `C` itself.
#[derive(Clone, Copy)]
pub(crate) struct Product {
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) a: *const f32,
    pub(crate) a_stride: usize,
    pub(crate) b: *const f32,
    pub(crate) b_stride: usize,
    pub(crate) c: *mut f32,
    pub(crate) c_stride: usize,
    pub(crate) aux: *const f32,
    pub(crate) aux_stride: usize,
}

/// Unrolling of the inner dimension. Short loops end where the branch predictor expects it.
const UNROLL: usize = 4;

/// Computes the product.
///
/// # Safety
/// All operands must be readable and `C` writable. `C` may overlap only `aux`, and only exactly.
#[inline(always)]
pub(crate) unsafe fn multiply<S: Simd, E: Epilogue, O: StorageOrder>(product: &Product) {
    // SAFETY: code for `S` runs only on CPUs with its instructions. The call through `enter` compiles each
    // epilogue once instead of once per use.
    unsafe { S::enter(Multiply(product, PhantomData::<(E, O)>)) };
}

struct Multiply<'a, E, O>(&'a Product, PhantomData<(E, O)>);

impl<E: Epilogue, O: StorageOrder> SimdKernel for Multiply<'_, E, O> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let p = self.0;
        let wide = p.n / (2 * S::LANES) * (2 * S::LANES);
        let narrow = p.n / S::LANES * S::LANES;
        // SAFETY: tiles cover rows below m and columns below n, which the caller of `multiply` ensures.
        unsafe {
            tiles::<S, E, O, 2>(p, 0..wide);
            tiles::<S, E, O, 1>(p, wide..narrow);
            if S::LANES > LANES {
                tiles::<S::Eight, E, O, 1>(p, narrow..p.n);
            }
        }
    }
}

/// Computes all rows of some columns, in tiles of `C` vectors.
#[inline(always)]
unsafe fn tiles<S: Simd, E: Epilogue, O: StorageOrder, const C: usize>(
    p: &Product,
    columns: Range<usize>,
) {
    if columns.is_empty() {
        return;
    }
    for (row, rows) in balanced(p.m, S::TILE_ROWS[C - 1]) {
        for col in columns.clone().step_by(C * S::LANES) {
            // SAFETY: forwarded to the caller.
            unsafe { tile_of::<S, E, O, C>(p, (row, rows), col) };
        }
    }
}

/// Splits `0..total` into the fewest runs of at most `limit`, as `(start, length)`.
///
/// Lengths differ by at most one: a short last run would have too few independent sums to hide the
/// latency of the multiply-adds.
#[inline(always)]
pub(crate) fn balanced(total: usize, limit: usize) -> impl Iterator<Item = (usize, usize)> {
    let runs = total.div_ceil(limit);
    let (short, longer) = (total / runs.max(1), total % runs.max(1));
    (0..runs).map(move |i| (i * short + i.min(longer), short + usize::from(i < longer)))
}

/// Computes a tile of `rows` rows. The guards remove heights that the instruction set does not use.
#[inline(always)]
unsafe fn tile_of<S: Simd, E: Epilogue, O: StorageOrder, const C: usize>(
    p: &Product,
    (row, rows): (usize, usize),
    col: usize,
) {
    // SAFETY: forwarded to the caller of `multiply`.
    unsafe {
        match rows {
            14 if S::TILE_ROWS[C - 1] >= 14 => tile::<S, E, O, 14, C>(p, row, col),
            13 if S::TILE_ROWS[C - 1] >= 13 => tile::<S, E, O, 13, C>(p, row, col),
            12 if S::TILE_ROWS[C - 1] >= 12 => tile::<S, E, O, 12, C>(p, row, col),
            11 if S::TILE_ROWS[C - 1] >= 11 => tile::<S, E, O, 11, C>(p, row, col),
            10 if S::TILE_ROWS[C - 1] >= 10 => tile::<S, E, O, 10, C>(p, row, col),
            9 if S::TILE_ROWS[C - 1] >= 9 => tile::<S, E, O, 9, C>(p, row, col),
            8 if S::TILE_ROWS[C - 1] >= 8 => tile::<S, E, O, 8, C>(p, row, col),
            7 if S::TILE_ROWS[C - 1] >= 7 => tile::<S, E, O, 7, C>(p, row, col),
            6 if S::TILE_ROWS[C - 1] >= 6 => tile::<S, E, O, 6, C>(p, row, col),
            5 if S::TILE_ROWS[C - 1] >= 5 => tile::<S, E, O, 5, C>(p, row, col),
            4 if S::TILE_ROWS[C - 1] >= 4 => tile::<S, E, O, 4, C>(p, row, col),
            3 if S::TILE_ROWS[C - 1] >= 3 => tile::<S, E, O, 3, C>(p, row, col),
            2 if S::TILE_ROWS[C - 1] >= 2 => tile::<S, E, O, 2, C>(p, row, col),
            1 if S::TILE_ROWS[C - 1] >= 1 => tile::<S, E, O, 1, C>(p, row, col),
            _ => {}
        }
    }
}

/// Computes `R` rows by `C` vectors of the result in registers, over the whole inner dimension.
///
/// Every sum adds products in the order of the inner dimension, whatever the tile: this makes the bits
/// independent of the vector width.
#[inline(always)]
unsafe fn tile<S: Simd, E: Epilogue, O: StorageOrder, const R: usize, const C: usize>(
    p: &Product,
    row: usize,
    col: usize,
) {
    // SAFETY: rows `row..row + R` and columns `col..` of `C` vectors lie inside the operands.
    unsafe {
        let mut sums = [[S::splat(0.0); C]; R];
        let (mut a, mut b) = (p.a.add(O::offset(p.a_stride, row, 0)), p.b.add(col));
        for _ in 0..p.k / UNROLL {
            for l in 0..UNROLL {
                step::<S, O, R, C>(a.add(O::offset(p.a_stride, 0, l)), p.a_stride, b, &mut sums);
                b = b.add(p.b_stride);
                // Without the fence, LLVM moves loads between steps until sums spill to the stack.
                compiler_fence(Ordering::SeqCst);
            }
            a = a.add(O::offset(p.a_stride, 0, UNROLL));
        }
        for _ in 0..p.k % UNROLL {
            step::<S, O, R, C>(a, p.a_stride, b, &mut sums);
            (a, b) = (a.add(O::offset(p.a_stride, 0, 1)), b.add(p.b_stride));
        }
        for (i, sums) in sums.iter().enumerate() {
            for (j, &sum) in sums.iter().enumerate() {
                let x = S::load(p.aux.add((row + i) * p.aux_stride + col + j * S::LANES));
                S::store(
                    p.c.add((row + i) * p.c_stride + col + j * S::LANES),
                    E::finish::<S>(sum, x),
                );
            }
        }
    }
}

/// One step of the inner dimension: `sums_ij += a_i · b_j`.
///
/// A function instead of a closure, because closures are compiled without the caller's instructions.
#[inline(always)]
unsafe fn step<S: Simd, O: StorageOrder, const R: usize, const C: usize>(
    a: *const f32,
    a_stride: usize,
    b: *const f32,
    sums: &mut [[S::V; C]; R],
) {
    // SAFETY: forwarded to the caller.
    unsafe {
        let mut b_vectors = [S::splat(0.0); C];
        for (j, vector) in b_vectors.iter_mut().enumerate() {
            *vector = S::load(b.add(j * S::LANES));
        }
        for (i, row) in sums.iter_mut().enumerate() {
            let a_i = S::splat(*a.add(O::offset(a_stride, i, 0)));
            for (sum, &vector) in row.iter_mut().zip(&b_vectors) {
                *sum = S::settled(S::fma(a_i, vector, *sum));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, run};

    #[test]
    fn balanced_runs_cover_all_and_differ_by_at_most_1() {
        assert_eq!(balanced(0, 6).count(), 0, "no runs for an empty range");
        for total in 1..130 {
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

    #[test]
    fn products_are_exact_on_small_integers() {
        for isa in Isa::available() {
            for (m, n, k) in [(1, 8, 1), (7, 24, 5), (13, 16, 28), (64, 64, 50), (11, 40, 3)] {
                check::<RowMajor>(isa, (m, n, k), k);
                check::<ColumnMajor>(isa, (m, n, k), m);
            }
        }
    }

    fn check<O: StorageOrder>(isa: Isa, (m, n, k): (usize, usize, usize), a_stride: usize) {
        let number = |i: usize| (i * 7 % 11) as f32 - 5.0;
        let a: Vec<f32> = (0..m * k).map(number).collect();
        let b: Vec<f32> = (0..k * n).map(|i| number(i + 3)).collect();
        let mut c: Vec<f32> = (0..m * n).map(|i| number(i + 1)).collect();
        let sum = |i: usize, j: usize| {
            (0..k).map(|l| a[O::offset(a_stride, i, l)] * b[l * n + j]).sum::<f32>()
        };
        let expected: Vec<f32> = (0..m * n).map(|ij| c[ij] + sum(ij / n, ij % n)).collect();
        let (c_ptr, a, b) = (c.as_mut_ptr(), a.as_ptr(), b.as_ptr());
        let product = Product {
            m,
            n,
            k,
            a,
            a_stride,
            b,
            b_stride: n,
            c: c_ptr,
            c_stride: n,
            aux: c_ptr,
            aux_stride: n,
        };
        run(isa, Multiply(&product, PhantomData::<(Add, O)>));
        assert_eq!(c, expected, "{isa:?} {m}x{n}x{k}, stride of A {a_stride}");
    }
}
