//! Rotations in space.

use crate::simd::Real;
use crate::vector::{
    Matrix, Quaternion, Vector, apply, apply_back, compose, length, product, scale, transpose,
};

/// Bullet's `ANGULAR_MOTION_THRESHOLD`: the largest rotation of the base in a substep, in radians.
const ANGULAR_MOTION_THRESHOLD: f64 = 0.5 * std::f64::consts::FRAC_PI_2;

/// A rotation matrix. One about z is sparse.
#[derive(Clone, Copy)]
pub(crate) enum Rotation<R> {
    Any(Matrix<R>),
    /// Takes (x, y) to (cos x + sin y, cos y − sin x).
    AboutZ {
        cos: R,
        sin: R,
    },
}

impl<R: Real> Rotation<R> {
    #[inline(always)]
    pub(crate) fn apply(self, v: Vector<R>) -> Vector<R> {
        match self {
            Rotation::Any(m) => apply(m, v),
            Rotation::AboutZ { cos, sin } => {
                [cos * v[0] + sin * v[1], (-sin) * v[0] + cos * v[1], v[2]]
            }
        }
    }

    #[inline(always)]
    pub(crate) fn apply_back(self, v: Vector<R>) -> Vector<R> {
        match self {
            Rotation::Any(m) => apply_back(m, v),
            Rotation::AboutZ { cos, sin } => {
                [cos * v[0] + (-sin) * v[1], sin * v[0] + cos * v[1], v[2]]
            }
        }
    }

    /// Tᵀ M T.
    #[inline(always)]
    pub(crate) fn around(self, m: Matrix<R>) -> Matrix<R> {
        match self {
            Rotation::Any(rotation) => product(product(transpose(rotation), m), rotation),
            Rotation::AboutZ { .. } => {
                let [a, b, c] = transpose(m);
                let [a, b, c] =
                    transpose([self.apply_back(a), self.apply_back(b), self.apply_back(c)]);
                [self.apply_back(a), self.apply_back(b), self.apply_back(c)]
            }
        }
    }

    #[inline(always)]
    pub(crate) fn rows(self) -> Matrix<R> {
        match self {
            Rotation::Any(m) => m,
            Rotation::AboutZ { cos, sin } => {
                let (zero, one) = (R::zero(), R::splat(1.0));
                [[cos, sin, zero], [-sin, cos, zero], [zero, zero, one]]
            }
        }
    }
}

/// Integrates a rotation (world to base) with an angular velocity in the world's frame.
///
/// Mirrors `pQuatUpdateFun` in `btMultiBody::stepPositionsMultiDof`: the exponential map (Grassia
/// 1998), with a Taylor series below 0.001 rad/s. The constant 0.020833333333 is Bullet's truncated
/// 1/48; 1/48 itself would change bits. The result is normalized by multiplying with a reciprocal,
/// as in `btQuaternion::normalize`.
#[inline(always)]
pub(crate) fn integrate_rotation<R: Real>(
    time_step: f64,
    spin: Vector<R>,
    rotation: Quaternion<R>,
) -> Quaternion<R> {
    let (dt, half) = (R::splat(time_step), R::splat(0.5));
    let speed = length(spin);
    let fastest = R::splat(ANGULAR_MOTION_THRESHOLD / time_step);
    let speed = R::select((speed * dt).gt(R::splat(ANGULAR_MOTION_THRESHOLD)), fastest, speed);
    let slow = R::splat(0.5 * time_step)
        - R::splat(time_step * time_step * time_step) * R::splat(0.020_833_333_333) * speed * speed;
    let fast = (half * speed * dt).map(f64::sin) / speed;
    let [x, y, z] = scale(spin, R::select(R::splat(0.001).gt(speed), slow, fast));
    let [x, y, z, w] = compose(rotation, [-x, -y, -z, (speed * dt * half).map(f64::cos)]);
    let inverse_length = R::splat(1.0) / (x * x + y * y + z * z + w * w).sqrt();
    [x * inverse_length, y * inverse_length, z * inverse_length, w * inverse_length]
}
