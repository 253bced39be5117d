//! A vectorized hyperbolic tangent.

use crate::simd::{Elementwise, Simd};

/// Arguments are clamped to ± this.
const LIMIT: f32 = 8.0;
/// Numerator in `x²`, lowest power first.
const P: [f32; 5] = [1.0, 0.134_445_15, 0.003_571_617_4, 2.189_498_3e-5, 1.523_087_4e-8];
/// Denominator in `x²`, lowest power first.
const Q: [f32; 5] = [1.0, 0.467_778_4, 0.026_164_517, 3.411_323_7e-4, 8.522_631e-7];

/// Computes `tanh x ≈ x·P(x²)/Q(x²)` on `[-8, 8]`, constant outside, with an error of at most 3e-7.
///
/// The result is odd and at most 1 in magnitude. The coefficients are the rational minimax fit of the
/// relative error for degrees 4 and 4 in `x²` (6e-9 before rounding to `f32`), by reweighted least
/// squares. All are positive, so the Horner sums have no cancellation.
#[inline(always)]
fn tanh<S: Simd>(x: S::V) -> S::V {
    // With this operand order NaN passes through, so that a diverged network is noticed.
    let x = S::max(S::splat(-LIMIT), S::min(S::splat(LIMIT), x));
    let square = S::mul(x, x);
    S::div(S::mul(x, horner::<S>(&P, square)), horner::<S>(&Q, square))
}

/// `x_i ← tanh x_i`.
///
/// This is a separate pass, because in the epilogue of a tile it would compete for registers.
#[derive(Clone, Copy)]
pub(crate) struct Tanh(pub(crate) *mut f32);

impl Elementwise for Tanh {
    #[inline(always)]
    unsafe fn at<S: Simd>(self, i: usize) {
        // SAFETY: forwarded to the caller.
        unsafe { S::store(self.0.add(i), tanh::<S>(S::load(self.0.add(i)))) };
    }
}

#[inline(always)]
fn horner<S: Simd>(coefficients: &[f32; 5], x: S::V) -> S::V {
    let [c0, c1, c2, c3, c4] = coefficients.map(S::splat);
    S::fma(S::fma(S::fma(S::fma(c4, x, c3), x, c2), x, c1), x, c0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Isa, SimdKernel, every_vector, run};

    /// A full and a half vector of the widest instruction set.
    const COUNT: usize = 24;

    struct TanhOf([f32; COUNT]);

    impl SimdKernel for TanhOf {
        type Output = [f32; COUNT];

        #[inline(always)]
        fn run<S: Simd>(mut self) -> [f32; COUNT] {
            // SAFETY: the array has `COUNT` numbers.
            unsafe { every_vector::<S>(COUNT, Tanh(self.0.as_mut_ptr())) };
            self.0
        }
    }

    #[test]
    fn error_is_at_most_3e_7_and_magnitude_at_most_1() {
        for isa in Isa::available() {
            // Every 1021st finite float of either sign, plus the infinities.
            let floats = (0..=0x7f80_0000_u32)
                .step_by(COUNT * 1021)
                .flat_map(|bits| [bits, bits | 0x8000_0000]);
            for bits in floats {
                let x: [f32; COUNT] =
                    std::array::from_fn(|i| f32::from_bits(bits + 1021 * i as u32))
                        .map(|x| if x.is_nan() { 0.0 } else { x });
                for (x, y) in x.into_iter().zip(run(isa, TanhOf(x))) {
                    let error = (f64::from(y) - f64::from(x).tanh()).abs();
                    assert!(
                        error <= 3e-7 && y.abs() <= 1.0,
                        "{isa:?}: tanh({x}) gave {y}, off by {error}"
                    );
                }
            }
            let edges = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 8.0, -8.0, 1e-30];
            let repeated = std::array::from_fn(|i| edges[i % edges.len()]);
            for out in run(isa, TanhOf(repeated)).chunks_exact(edges.len()) {
                assert_eq!((out[0], out[2], out[3]), (0.0, out[5], out[6]));
                assert!(out[4].is_nan());
            }
        }
    }
}
