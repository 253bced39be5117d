//! Velocity damping, as in `btMultiBody::computeAccelerationsArticulatedBodyAlgorithmMultiDof`.

use crate::simd::Real;

/// `m_linearDamping`, `m_angularDamping` and both `DAMPING_K2` constants.
///
/// The server sets 0.04 in single precision, so the double has the rounded value.
const DAMPING: f64 = 0.04_f32 as f64;

/// Returns the damping force per unit of momentum at this speed: k + k · speed.
#[inline(always)]
pub(crate) fn damping<R: Real>(speed: R) -> R {
    R::splat(DAMPING) + R::splat(DAMPING) * speed
}
