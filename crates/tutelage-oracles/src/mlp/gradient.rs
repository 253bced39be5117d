//! The loss gradient of a run of rows: gather, forward, loss, backward, a block of rows at a time.

use super::examples::Examples;
use super::head::{Head, Loss, copy_row};
use crate::net::passes::{backward, forward};
use crate::net::simd::{Kernel, Simd};
use crate::net::{AlignedVec, BLOCK, LANES, Layout, Tape, balanced, padded};

/// Working memory for one thread's share of a minibatch.
pub(crate) struct Workspace {
    tape: Tape,
    targets: AlignedVec,
    pub(crate) gradient: AlignedVec,
}

impl Workspace {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self {
            tape: Tape::new(layout, BLOCK),
            targets: AlignedVec::zeros(BLOCK * padded(layout.outputs())),
            gradient: layout.zeros(),
        }
    }
}

/// Adds the gradient of `Σ_rows loss · scale` to the workspace's gradient.
pub(crate) struct Gradient<'a, A> {
    pub(crate) layout: &'a Layout,
    pub(crate) params: &'a [f32],
    pub(crate) transposed: &'a [f32],
    pub(crate) examples: &'a Examples<'a, A>,
    pub(crate) rows: &'a [u32],
    pub(crate) scale: f32,
    pub(crate) workspace: &'a mut Workspace,
}

impl<A: Head> Kernel for Gradient<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Workspace { tape, targets, gradient } = self.workspace;
        let outputs = self.layout.outputs();
        let (top, stride) = (self.layout.layers().len(), padded(outputs));
        for (first, count) in balanced(self.rows.len(), BLOCK) {
            tape.set_rows(count);
            for (i, &row) in self.rows[first..first + count].iter().enumerate() {
                let (state, label) = self.examples.get(row);
                copy_row(state, tape.row_mut(0, i));
                A::write_target(label, &mut targets[i * stride..][..outputs]);
            }
            let levels = tape.levels_mut();
            // SAFETY: the tape was made for this layout, holds `count` rows, and is ours; the top level has `count · stride` numbers.
            unsafe {
                forward::<S>(self.layout, self.params, &levels, 0, count);
                let z = std::slice::from_raw_parts_mut(levels.row(top, 0), count * stride);
                match A::LOSS {
                    Loss::ClippedSquares => {
                        clipped_squares::<S>(z, &targets[..count * stride], self.scale)
                    }
                    Loss::CrossEntropy => {
                        cross_entropy(z, &targets[..count * stride], stride, outputs, self.scale)
                    }
                }
                backward::<S>(
                    self.layout,
                    self.transposed,
                    (&levels, &levels),
                    (0, count),
                    gradient,
                );
            }
        }
    }
}

/// `δ = |z| ≤ 1 ? (z − clip y)·scale : 0`.
#[inline(always)]
fn clipped_squares<S: Simd>(z: &mut [f32], y: &[f32], scale: f32) {
    let (scale, one, minus_one) = (S::splat(scale), S::splat(1.0), S::splat(-1.0));
    for (z, y) in z.chunks_exact_mut(LANES).zip(y.chunks_exact(LANES)) {
        // SAFETY: both chunks hold eight numbers.
        unsafe {
            let output = S::load(z.as_ptr());
            let label = S::max(minus_one, S::min(one, S::load(y.as_ptr())));
            S::store(z.as_mut_ptr(), S::keep_inside(output, S::mul(S::sub(output, label), scale)));
        }
    }
}

/// `δ = (softmax z − y)·scale`.
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
