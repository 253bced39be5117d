//! Rows of the solver (`btMultiBodySolverConstraint`): one inequality each.

use crate::algebra::Algebra;
use crate::multibody::Bits;
use crate::simd::Real;

/// One inequality on the velocity, J v ≥ b, enforced by an impulse within bounds.
#[derive(Clone, Copy)]
pub(crate) struct Row<R> {
    /// 1 / (J response), or 0 if the impulse moves nothing.
    pub(crate) inverse: R,
    /// The impulse that satisfies the row if no other row acts (`m_rhs`).
    pub(crate) rhs: R,
    pub(crate) impulse: R,
}

impl<R: Real> Row<R> {
    /// Creates a row without impulse from its denominator J M⁻¹ Jᵀ.
    ///
    /// Bullet treats denominators up to `SIMD_EPSILON` as zero, and such a row does nothing.
    #[inline(always)]
    pub(crate) fn new(denominator: R) -> Self {
        let moves = denominator.gt(R::splat(f64::EPSILON));
        let inverse = R::select(moves, R::splat(1.0) / denominator, R::zero());
        Row { inverse, rhs: R::zero(), impulse: R::zero() }
    }
}

/// Rows with their Jacobians J and responses.
pub(crate) struct Rows<R> {
    pub(crate) rows: Vec<Row<R>>,
    pub(crate) jacobian: Vec<R>,
    pub(crate) response: Vec<R>,
}

impl<R: Real> Rows<R> {
    pub(crate) fn new(count: usize, coordinates: usize) -> Self {
        let row = Row { inverse: R::zero(), rhs: R::zero(), impulse: R::zero() };
        Rows {
            rows: vec![row; count],
            jacobian: vec![R::zero(); count * coordinates],
            response: vec![R::zero(); count * coordinates],
        }
    }
}

/// Returns J v, summed in the order of the coordinates from zero.
#[inline(always)]
pub(crate) fn row_velocity<A: Algebra, R: Real>(jacobian: &[R], velocity: &[R]) -> R {
    match (A::BASE, jacobian.len()) {
        (0, 6) => row_velocity_unrolled::<R, 6>(jacobian, velocity),
        (0, 9) => row_velocity_unrolled::<R, 9>(jacobian, velocity),
        (6, 14) => row_velocity_unrolled::<R, 14>(jacobian, velocity),
        _ => row_velocity_all(jacobian, velocity),
    }
}

/// The same with a constant length, so that the compiler unrolls the loop. The order of the sum
/// stays.
#[inline(always)]
pub(crate) fn row_velocity_unrolled<R: Real, const N: usize>(jacobian: &[R], velocity: &[R]) -> R {
    match (jacobian.first_chunk::<N>(), velocity.first_chunk::<N>()) {
        (Some(jacobian), Some(velocity)) => row_velocity_all(jacobian, velocity),
        _ => row_velocity_all(jacobian, velocity),
    }
}

#[inline(always)]
pub(crate) fn row_velocity_all<R: Real>(jacobian: &[R], velocity: &[R]) -> R {
    let mut speed = R::zero();
    for (&rate, &velocity) in jacobian.iter().zip(velocity) {
        speed = speed + rate * velocity;
    }
    speed
}

/// The same if only some coordinates of the row differ from zero. Skipped products are exact zeros.
#[inline(always)]
pub(crate) fn row_velocity_at<R: Real>(coordinates: u64, jacobian: &[R], velocity: &[R]) -> R {
    let mut speed = R::zero();
    for i in Bits(coordinates) {
        speed = speed + jacobian[i] * velocity[i];
    }
    speed
}

/// Adds the velocity change of an impulse (`btMultiBodyConstraintSolver::applyDeltaVee`).
#[inline(always)]
pub(crate) fn apply_delta_velocity<A: Algebra, R: Real>(
    response: &[R],
    change: &mut [R],
    impulse: R,
) {
    match (A::BASE, response.len()) {
        (0, 6) => apply_unrolled::<R, 6>(response, change, impulse),
        (0, 9) => apply_unrolled::<R, 9>(response, change, impulse),
        (6, 14) => apply_unrolled::<R, 14>(response, change, impulse),
        _ => apply_all(response, change, impulse),
    }
}

#[inline(always)]
pub(crate) fn apply_unrolled<R: Real, const N: usize>(
    response: &[R],
    change: &mut [R],
    impulse: R,
) {
    if let (Some(response), Some(change)) =
        (response.first_chunk::<N>(), change.first_chunk_mut::<N>())
    {
        apply_all(response, change, impulse);
    }
}

#[inline(always)]
pub(crate) fn apply_all<R: Real>(response: &[R], change: &mut [R], impulse: R) {
    for (change, &response) in change.iter_mut().zip(response) {
        *change = *change + response * impulse;
    }
}

/// Relaxes a row within [0, `most`] and returns the change of its impulse.
///
/// Mirrors `btMultiBodyConstraintSolver::resolveSingleConstraintRowGeneric`. At a bound the change
/// is bound − old impulse, and the impulse becomes the bound itself: adding the change to the old
/// impulse could differ in the last bit.
#[inline(always)]
pub(crate) fn resolve_row<R: Real>(row: &mut Row<R>, speed: R, most: f64, acting: R::Mask) -> R {
    let (zero, most) = (R::zero(), R::splat(most));
    let step = row.rhs - speed * row.inverse;
    let sum = row.impulse + step;
    let (pulls, too_strong) = (zero.gt(sum), sum.gt(most));
    let step = R::select(too_strong, most - row.impulse, step);
    let step = R::select(pulls, zero - row.impulse, step);
    let impulse = R::select(pulls, zero, R::select(too_strong, most, sum));
    row.impulse = R::select(acting, impulse, row.impulse);
    R::select(acting, step, zero)
}

/// Sets a row's impulse to `sum`, clamped to ±`bound` in the lanes of `outside`; returns the
/// change.
#[inline(always)]
pub(crate) fn clamp_friction<R: Real>(
    row: &mut Row<R>,
    sum: R,
    step: R,
    bound: R,
    outside: R::Mask,
    acting: R::Mask,
) -> R {
    let (low, high) = ((-bound).gt(sum), sum.gt(bound));
    let clipped_step = R::select(high, bound - row.impulse, step);
    let clipped_step = R::select(low, -bound - row.impulse, clipped_step);
    let clipped = R::select(low, -bound, R::select(high, bound, sum));
    let impulse = R::select(outside, clipped, sum);
    row.impulse = R::select(acting, impulse, row.impulse);
    R::select(acting, R::select(outside, clipped_step, step), R::zero())
}
