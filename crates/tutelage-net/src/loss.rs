//! Losses, given by their derivatives with respect to the network output.

use crate::LANES;
use crate::simd::{Elementwise, Simd, every_vector};

/// A loss of the output `z` of one row with target `y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// `½ Σ_j (clip(z_j) − clip(y_j))²`, clipped to [-1, 1]; the derivative is zero for `|z_j| > 1`.
    ClippedSquares,
    /// `−Σ_j y_j log softmax(z)_j`.
    CrossEntropy,
}

impl Loss {
    /// Replaces outputs by deltas, `z ← scale · ∂loss/∂z`.
    ///
    /// Rows have `stride` numbers, of which the first `outputs` are not padding.
    #[inline(always)]
    pub(crate) fn delta<S: Simd>(
        self,
        z: &mut [f32],
        y: &[f32],
        (stride, outputs): (usize, usize),
        scale: f32,
    ) {
        match self {
            Self::ClippedSquares => clipped_squares::<S>(z, y, scale),
            Self::CrossEntropy => cross_entropy(z, y, stride, outputs, scale),
        }
    }
}

/// `δ = |z| ≤ 1 ? (z − clip y)·scale : 0`.
#[inline(always)]
fn clipped_squares<S: Simd>(z: &mut [f32], y: &[f32], scale: f32) {
    let len = z.len().min(y.len()) / LANES * LANES;
    // SAFETY: both slices have at least `len` numbers.
    unsafe { every_vector::<S>(len, ClippedSquares { z: z.as_mut_ptr(), y: y.as_ptr(), scale }) };
}

#[derive(Clone, Copy)]
struct ClippedSquares {
    z: *mut f32,
    y: *const f32,
    scale: f32,
}

impl Elementwise for ClippedSquares {
    #[inline(always)]
    unsafe fn at<S: Simd>(self, i: usize) {
        // SAFETY: forwarded to the caller.
        unsafe {
            let (output, label) = (S::load(self.z.add(i)), S::load(self.y.add(i)));
            let label = S::max(S::splat(-1.0), S::min(S::splat(1.0), label));
            let delta = S::mul(S::sub(output, label), S::splat(self.scale));
            S::store(self.z.add(i), S::keep_inside(output, delta));
        }
    }
}

/// `δ = (softmax z − y)·scale`.
///
/// Subtracting the largest logit first avoids overflow. `exp` is scalar: rows are short, and all
/// instruction sets then give the same bits.
#[inline(always)]
fn cross_entropy(z: &mut [f32], y: &[f32], stride: usize, outputs: usize, scale: f32) {
    for (z, y) in z.chunks_exact_mut(stride).zip(y.chunks_exact(stride)) {
        let z = &mut z[..outputs];
        let largest = z.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        z.iter_mut().for_each(|z| *z = (*z - largest).exp());
        let sum: f32 = z.iter().sum();
        z.iter_mut().zip(y).for_each(|(z, y)| *z = (*z / sum - y) * scale);
    }
}
