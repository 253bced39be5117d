//! Bullet's damping of links.

use crate::simd::Real;

/// Of both velocity and spin, as single precision gives it.
const DAMPING: f64 = 0.04_f32 as f64;

/// The force per momentum that brakes a motion of this speed: k + k · speed.
#[inline(always)]
pub(crate) fn damping<R: Real>(speed: R) -> R {
    R::splat(DAMPING) + R::splat(DAMPING) * speed
}
