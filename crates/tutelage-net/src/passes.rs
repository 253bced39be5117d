//! The forward, backward and tangent passes over a block of rows.
//!
//! They are generic over the instruction set ([`Simd`]) and inlined into the kernels.

use crate::simd::{EightLanes, Elementwise, Simd, every_vector};
use crate::tanh::Tanh;
use crate::tape::Levels;
use crate::tile::{Add, ColumnMajor, Epilogue, Product, RowMajor, TimesTanhSlope, multiply};
use crate::{LANES, Layer, Layout, padded};

/// Forward pass over `rows` rows: `h_l = tanh(h_{l−1} W_l + b_l)`, the last layer without tanh.
///
/// # Safety
/// `levels` must belong to `layout`, have these rows, and not be accessed by other threads.
#[inline(always)]
pub(crate) unsafe fn forward<S: Simd>(
    layout: &Layout,
    params: &[f32],
    levels: &Levels,
    first: usize,
    rows: usize,
) {
    assert_eq!(params.len(), layout.len());
    let last = layout.layers().len() - 1;
    for (l, layer) in layout.layers().iter().enumerate() {
        let product = affine(layer, params, levels, levels, l, first, rows);
        // SAFETY: the level sizes match the layer (see above); levels l and l + 1 are disjoint.
        unsafe {
            multiply::<S, Add, RowMajor>(&product);
            if l < last {
                every_vector::<S>(rows * product.c_stride, Tanh(product.c));
            }
        }
    }
}

/// `to_{l+1} = from_l · W_l + b_l`.
#[inline(always)]
fn affine(
    layer: &Layer,
    params: &[f32],
    from: &Levels,
    to: &Levels,
    l: usize,
    first: usize,
    rows: usize,
) -> Product {
    Product {
        m: rows,
        n: layer.stride,
        k: layer.inputs,
        a: from.row(l, first),
        a_stride: from.stride(l),
        b: params[layer.weights.clone()].as_ptr(),
        b_stride: layer.stride,
        c: to.row(l + 1, first),
        c_stride: to.stride(l + 1),
        aux: params[layer.bias.clone()].as_ptr(),
        aux_stride: 0,
    }
}

/// Backward pass over `rows` rows.
///
/// Given `δ_L` in the top level of `deltas`, adds `h_{l−1}ᵀ δ_l` (weights) and `Σ δ_l` (bias) to the
/// gradient and sets `δ_{l−1} = (δ_l W_lᵀ)·(1 − h_{l−1}²)`, down to the first hidden layer. The gradient
/// of the input is not computed. `deltas` may be `activations` itself: each level is read for the last
/// time before it is overwritten, so the weight gradient must come before the delta of a layer.
///
/// # Safety
/// As for [`forward`], for both sets of levels; `transposed` comes from [`transpose_weights`] for the same layout.
#[inline(always)]
pub(crate) unsafe fn backward<S: Simd>(
    layout: &Layout,
    transposed: &[f32],
    (activations, deltas): (&Levels, &Levels),
    (first, rows): (usize, usize),
    gradient: &mut [f32],
) {
    assert!(gradient.len() == layout.len() && transposed.len() == transposed_len(layout));
    let mut transposed_end = transposed.len();
    for (l, layer) in layout.layers().iter().enumerate().rev() {
        let (delta, delta_stride) = (deltas.row(l + 1, first), deltas.stride(l + 1));
        let weights = gradient[layer.weights.clone()].as_mut_ptr();
        let weight_gradient = Product {
            m: layer.inputs,
            n: layer.stride,
            k: rows,
            a: activations.row(l, first),
            a_stride: activations.stride(l),
            b: delta,
            b_stride: delta_stride,
            c: weights,
            c_stride: layer.stride,
            aux: weights,
            aux_stride: layer.stride,
        };
        // SAFETY: sizes match (see above); the gradient is borrowed mutably and overlaps no level.
        unsafe {
            multiply::<S, Add, ColumnMajor>(&weight_gradient);
            add_column_sums::<S>(&mut gradient[layer.bias.clone()], delta, delta_stride, rows);
        }
        if l == 0 {
            break;
        }
        let width = padded(layer.inputs);
        let start = transposed_end - layer.outputs * width;
        let input_gradient = Product {
            m: rows,
            n: width,
            k: layer.outputs,
            a: delta,
            a_stride: delta_stride,
            b: transposed[start..transposed_end].as_ptr(),
            b_stride: width,
            c: deltas.row(l, first),
            c_stride: deltas.stride(l),
            aux: activations.row(l, first),
            aux_stride: activations.stride(l),
        };
        transposed_end = start;
        // SAFETY: as above; levels l and l + 1 are disjoint, and aux is either C itself or another buffer.
        unsafe { multiply::<S, TimesTanhSlope, RowMajor>(&input_gradient) };
    }
}

/// `sums_j += Σ_i δ_ij`.
#[inline(always)]
unsafe fn add_column_sums<S: Simd>(
    sums: &mut [f32],
    delta: *const f32,
    stride: usize,
    rows: usize,
) {
    let wide = sums.len() / (4 * S::LANES) * (4 * S::LANES);
    let narrow = sums.len() / S::LANES * S::LANES;
    // SAFETY: the caller's delta has `rows` rows of at least `sums.len()` (a multiple of eight) numbers.
    unsafe {
        for j in (0..wide).step_by(4 * S::LANES) {
            add_sums::<S, 4>(sums.as_mut_ptr().add(j), delta.add(j), stride, rows);
        }
        for j in (wide..narrow).step_by(S::LANES) {
            add_sums::<S, 1>(sums.as_mut_ptr().add(j), delta.add(j), stride, rows);
        }
        for j in (narrow..sums.len()).step_by(LANES) {
            add_sums::<S::Eight, 1>(sums.as_mut_ptr().add(j), delta.add(j), stride, rows);
        }
    }
}

/// Adds the column sums of `C` vectors, with separate sums for even and odd rows.
///
/// Independent sums hide the latency of the additions. Their order is part of the bits.
#[inline(always)]
unsafe fn add_sums<S: Simd, const C: usize>(
    sums: *mut f32,
    delta: *const f32,
    stride: usize,
    rows: usize,
) {
    // SAFETY: forwarded to the caller.
    unsafe {
        let mut parts = [[S::splat(0.0); C]; 2];
        for i in 0..rows / 2 {
            for (p, part) in parts.iter_mut().enumerate() {
                for (j, sum) in part.iter_mut().enumerate() {
                    *sum = S::add(*sum, S::load(delta.add((2 * i + p) * stride + j * S::LANES)));
                }
            }
        }
        let [mut even, odd] = parts;
        for j in 0..C {
            if rows % 2 == 1 {
                even[j] = S::add(even[j], S::load(delta.add((rows - 1) * stride + j * S::LANES)));
            }
            let at = sums.add(j * S::LANES);
            S::store(at, S::add(S::load(at), S::add(even[j], odd[j])));
        }
    }
}

/// Tangent pass: the derivative of the output along `direction` in parameter space.
///
/// `ż_l = ḣ_{l−1} W_l + h_{l−1} Ẇ_l + ḃ_l`, `ḣ_l = ż_l·(1 − h_l²)`, with `ḣ_0 = 0`.
///
/// # Safety
/// As for [`forward`], for both sets of levels, which must not overlap.
#[inline(always)]
pub(crate) unsafe fn tangent<S: Simd>(
    layout: &Layout,
    (params, direction): (&[f32], &[f32]),
    (activations, tangents): (&Levels, &Levels),
    (first, rows): (usize, usize),
) {
    assert!(params.len() == layout.len() && direction.len() == layout.len());
    let last = layout.layers().len() - 1;
    for (l, layer) in layout.layers().iter().enumerate() {
        let moved_weights = affine(layer, direction, activations, tangents, l, first, rows);
        // SAFETY: sizes match (see above), and the two sets of levels are disjoint.
        unsafe { multiply::<S, Add, RowMajor>(&moved_weights) };
        if l > 0 {
            let mut moved_input = affine(layer, params, tangents, tangents, l, first, rows);
            (moved_input.aux, moved_input.aux_stride) = (moved_input.c, moved_input.c_stride);
            // SAFETY: as above; aux is C itself.
            unsafe { multiply::<S, Add, RowMajor>(&moved_input) };
        }
        if l < last {
            let len = rows * tangents.stride(l + 1);
            let (x, h) = (tangents.row(l + 1, first), activations.row(l + 1, first));
            // SAFETY: both levels have `rows` rows of the same stride after `first`.
            unsafe { every_vector::<S>(len, TimesSlope { x, h }) };
        }
    }
}

/// `x_i ← x_i·(1 − h_i²)`.
#[derive(Clone, Copy)]
struct TimesSlope {
    x: *mut f32,
    h: *const f32,
}

impl Elementwise for TimesSlope {
    #[inline(always)]
    unsafe fn at<S: Simd>(self, i: usize) {
        // SAFETY: forwarded to the caller.
        unsafe {
            let (x, h) = (self.x.add(i), S::load(self.h.add(i)));
            S::store(x, TimesTanhSlope::finish::<S>(S::load(x), h));
        }
    }
}

/// Returns the length of the buffer for [`transpose_weights`].
pub(crate) fn transposed_len(layout: &Layout) -> usize {
    layout.layers()[1..].iter().map(|l| l.outputs * padded(l.inputs)).sum()
}

/// Transposes `W_l` of every layer but the first to `[outputs][inputs padded]`, one after the other.
///
/// Padding in `transposed` is not written and must be zero.
#[inline(always)]
pub(crate) fn transpose_weights<S: Simd>(layout: &Layout, params: &[f32], transposed: &mut [f32]) {
    let mut rest = transposed;
    for layer in &layout.layers()[1..] {
        let width = padded(layer.inputs);
        let (target, tail) = rest.split_at_mut(layer.outputs * width);
        transpose::<S::Eight>(&params[layer.weights.clone()], layer, target, width);
        rest = tail;
    }
}

#[inline(always)]
fn transpose<S: EightLanes>(weights: &[f32], layer: &Layer, target: &mut [f32], width: usize) {
    let whole = (layer.inputs / LANES * LANES, layer.outputs / LANES * LANES);
    for i in (0..whole.0).step_by(LANES) {
        for j in (0..whole.1).step_by(LANES) {
            // SAFETY: the 8 × 8 block at (i, j) lies inside the weights, and at (j, i) inside the target.
            unsafe {
                let mut rows = [S::splat(0.0); LANES];
                for (r, row) in rows.iter_mut().enumerate() {
                    *row = S::load(weights.as_ptr().add((i + r) * layer.stride + j));
                }
                for (c, column) in S::transpose(rows).into_iter().enumerate() {
                    S::store(target.as_mut_ptr().add((j + c) * width + i), column);
                }
            }
        }
    }
    for i in 0..layer.inputs {
        let done = if i < whole.0 { whole.1 } else { 0 };
        for j in done..layer.outputs {
            target[j * width + i] = weights[i * layer.stride + j];
        }
    }
}
