//! The constraint solver: impulses that keep a body above the floor and its joints within limits.
//!
//! Mirrors `btMultiBodyConstraintSolver`, a projected Gauss–Seidel method, for one articulated body
//! and a static floor. The rows of all lanes are packed: row `k` is the `k`-th row of each lane
//! that has more than `k`.

use crate::algebra::Algebra;
use crate::contact::Contacts;
use crate::dynamics::{Dynamics, clamp};
use crate::limit::ViolatedLimits;
use crate::manifold::MAX_POINTS;
use crate::multibody::{Bits, MultiBody};
use crate::response::{LinkChain, Response};
use crate::row::{
    Row, Rows, apply_delta_velocity, clamp_friction, resolve_row, row_velocity, row_velocity_at,
};
use crate::simd::Real;
use crate::state::State;

// Constants of `btContactSolverInfo`, as the physics server of pybullet sets them.
const LINEAR_SLOP: f64 = 0.000_01;
const LIMIT_ERP: f64 = 0.2;
/// `m_splitImpulsePenetrationThreshold`: a limit row with a deeper violation corrects only
/// velocity.
const SPLIT_IMPULSE_THRESHOLD: f64 = -0.04_f32 as f64;
const MAX_LIMIT_IMPULSE: f64 = 100.0;
const MAX_CONTACT_IMPULSE: f64 = 1e10;
/// `m_leastSquaresResidualThreshold`: iteration stops at this squared change of velocity.
const RESIDUAL_THRESHOLD: f64 = 1e-7;

pub(crate) struct Solver<A: Algebra, R: Real> {
    response: Response<A, R>,
    contacts: Contacts<A, R>,
    limits: ViolatedLimits<R>,
    contact_rows: Rows<R>,
    limit_rows: Rows<R>,
    /// The accumulated change of velocity (`m_deltaVelocities`).
    delta_velocity: Vec<R>,
}

impl<A: Algebra, R: Real> Solver<A, R> {
    pub(crate) fn new(multibody: &MultiBody) -> Self {
        let coordinates = A::BASE + multibody.joints;
        let (contacts, limits) =
            (MAX_POINTS * multibody.colliders.len(), 2 * multibody.limits.len());
        Solver {
            response: Response::new(multibody),
            contacts: Contacts::new(multibody),
            limits: ViolatedLimits::new(multibody),
            contact_rows: Rows::new(A::DIRECTIONS * contacts, coordinates),
            limit_rows: Rows::new(limits, coordinates),
            delta_velocity: vec![R::zero(); coordinates],
        }
    }

    /// Applies contact and limit impulses to the velocity.
    ///
    /// `dynamics` must hold the inertias of the current pose. Like Bullet, the solver accumulates a
    /// change of velocity from zero and adds it once at the end; adding each impulse to the
    /// velocity would round differently.
    #[inline(always)]
    pub(crate) fn solve(
        &mut self,
        multibody: &MultiBody,
        state: &mut State<A, R>,
        dynamics: &Dynamics<A, R>,
        active: u8,
    ) {
        self.contacts.collect(multibody, state, active);
        self.limits.collect(multibody, state, active);
        self.delta_velocity.fill(R::zero());
        if self.contacts.lanes() | self.limits.lanes() != 0 {
            self.setup_contact_rows(multibody, state, dynamics);
            self.setup_limit_rows(multibody, state, dynamics);
            self.solve_iterations(multibody);
        }
        for (velocity, &change) in state.velocity.iter_mut().zip(&self.delta_velocity) {
            *velocity = clamp(*velocity + change) + R::zero();
        }
    }

    /// Mirrors `btMultiBodyConstraintSolver::setupMultiBodyContactConstraint`, and its friction
    /// variant.
    ///
    /// The effective mass is the reciprocal of a dot product in the order of the coordinates. The
    /// right side multiplies with that reciprocal; a division would round differently.
    #[inline(always)]
    fn setup_contact_rows(
        &mut self,
        multibody: &MultiBody,
        state: &State<A, R>,
        dynamics: &Dynamics<A, R>,
    ) {
        let stride = A::BASE + multibody.joints;
        let body = (multibody, state, dynamics);
        for (slot, contact) in self.contacts.list.iter().enumerate() {
            let chain = LinkChain::new(&contact.chains, contact.valid);
            let (first, last) = (slot * A::DIRECTIONS, (slot + 1) * A::DIRECTIONS);
            let jacobian = &mut self.contact_rows.jacobian[first * stride..last * stride];
            let response = &mut self.contact_rows.response[first * stride..last * stride];
            self.response.contact_jacobian(body, contact.at, &chain, jacobian);
            if A::DIRECTIONS == 2 {
                self.response.compute::<2>(body, &chain, jacobian, response);
            } else {
                self.response.compute::<3>(body, &chain, jacobian, response);
            }
            let rows = &mut self.contact_rows.rows[first..last];
            for (index, row) in rows.iter_mut().enumerate() {
                let range = index * stride..(index + 1) * stride;
                let (jacobian, response) = (&jacobian[range.clone()], &response[range]);
                *row = Row::new(row_velocity::<A, R>(jacobian, response));
                let speed = row_velocity::<A, R>(jacobian, &state.velocity);
                row.rhs = if index == 0 {
                    let erp = multibody.contact_erp;
                    normal_rhs(A::height(contact.at), -speed, row.inverse, erp, multibody.time_step)
                } else {
                    (-speed) * row.inverse
                };
            }
        }
    }

    /// Mirrors `btMultiBodyJointLimitConstraint::createConstraintRows` and
    /// `btMultiBodyConstraint::fillMultiBodyConstraint`.
    #[inline(always)]
    fn setup_limit_rows(
        &mut self,
        multibody: &MultiBody,
        state: &State<A, R>,
        dynamics: &Dynamics<A, R>,
    ) {
        let stride = A::BASE + multibody.joints;
        let dt = R::splat(multibody.time_step);
        for (slot, limit) in self.limits.list.iter().enumerate() {
            let chain = LinkChain::new(&limit.chains, limit.valid);
            let range = slot * stride..(slot + 1) * stride;
            let jacobian = &mut self.limit_rows.jacobian[range.clone()];
            let response = &mut self.limit_rows.response[range];
            for joint in Bits(chain.links).filter_map(|link| multibody.links[link].joint) {
                jacobian[A::BASE + joint.coordinate] = R::zero();
            }
            for lane in (0..R::LANES).filter(|lane| limit.valid >> lane & 1 != 0) {
                let coordinate = limit.limits[lane].coordinate;
                jacobian[A::BASE + coordinate].lanes_mut()[lane] = limit.directions.lanes()[lane];
            }
            self.response.compute::<1>((multibody, state, dynamics), &chain, jacobian, response);
            let mut row = Row::new(row_velocity_at(limit.coordinates, jacobian, response));
            let speed = row_velocity_at(limit.coordinates, jacobian, &state.velocity);
            let correction = (-limit.distance) * R::splat(LIMIT_ERP) / dt;
            let goal = (-speed) * row.inverse;
            let shallow = limit.distance.gt(R::splat(SPLIT_IMPULSE_THRESHOLD));
            // Position and velocity impulses are scaled separately and then added, in this order.
            row.rhs = R::select(shallow, correction * row.inverse + goal, goal);
            self.limit_rows.rows[slot] = row;
        }
    }

    /// Iterates until the residual is small or the maximum number of iterations is reached.
    ///
    /// A lane that has converged takes part no longer, as if it were solved alone.
    #[inline(always)]
    fn solve_iterations(&mut self, multibody: &MultiBody) {
        let mut running = self.contacts.lanes() | self.limits.lanes();
        for iteration in 0..multibody.iterations {
            let residual = self.single_iteration(multibody, iteration, running);
            let mut small = R::bits(R::splat(RESIDUAL_THRESHOLD).ge(residual));
            if A::DIRECTIONS == 2 {
                // Friction across the plane moves nothing: Bullet's residual is 0 / 0, which does
                // not compare as small. A planar body with a contact therefore never stops early.
                small &= !self.contacts.lanes();
            }
            running &= !small;
            if running == 0 {
                break;
            }
        }
    }

    /// Relaxes each row once and returns the residual: the largest squared change of velocity.
    ///
    /// Mirrors `btMultiBodyConstraintSolver::solveSingleIteration`. Limit rows run forward in odd
    /// and backward in even iterations; contact rows always run forward; friction rows follow all
    /// contact rows. A row that moves nothing has the residual 0 / 0. `btMax(a, b)` is `a > b ? a :
    /// b`, so the next row replaces that NaN.
    #[inline(always)]
    fn single_iteration(&mut self, multibody: &MultiBody, iteration: u32, running: u8) -> R {
        let stride = A::BASE + multibody.joints;
        let mut residual = R::zero();
        let count = self.limits.list.len();
        for i in 0..count {
            let slot = if iteration & 1 == 1 { i } else { count - 1 - i };
            let acting = R::mask(self.limits.list[slot].valid & running);
            let jacobian = &self.limit_rows.jacobian[slot * stride..(slot + 1) * stride];
            let response = &self.limit_rows.response[slot * stride..(slot + 1) * stride];
            let row = &mut self.limit_rows.rows[slot];
            let speed =
                row_velocity_at(self.limits.list[slot].coordinates, jacobian, &self.delta_velocity);
            let step = resolve_row(row, speed, MAX_LIMIT_IMPULSE, acting);
            apply_delta_velocity::<A, R>(response, &mut self.delta_velocity, step);
            let moved = step / row.inverse;
            residual = R::select(acting, residual.larger(moved * moved), residual);
        }
        residual = R::zero().larger(residual);
        for slot in 0..self.contacts.list.len() {
            let acting = R::mask(self.contacts.list[slot].valid & running);
            let index = slot * A::DIRECTIONS;
            let jacobian = &self.contact_rows.jacobian[index * stride..(index + 1) * stride];
            let response = &self.contact_rows.response[index * stride..(index + 1) * stride];
            let row = &mut self.contact_rows.rows[index];
            let speed = row_velocity::<A, R>(jacobian, &self.delta_velocity);
            let step = resolve_row(row, speed, MAX_CONTACT_IMPULSE, acting);
            apply_delta_velocity::<A, R>(response, &mut self.delta_velocity, step);
            if A::DIRECTIONS == 3 {
                let moved = step / row.inverse;
                residual = R::select(acting, residual.larger(moved * moved), residual);
            }
        }
        for slot in 0..self.contacts.list.len() {
            let acting = R::mask(self.contacts.list[slot].valid & running);
            let bound = -(self.contacts.list[slot].friction
                * self.contact_rows.rows[slot * A::DIRECTIONS].impulse);
            if A::DIRECTIONS == 2 {
                self.resolve_planar_friction(stride, slot, bound, acting);
            } else {
                let moved = self.resolve_friction_cone(
                    stride,
                    slot,
                    bound,
                    self.contacts.list[slot].valid & running,
                );
                residual = R::select(acting, residual.larger(moved * moved), residual);
            }
        }
        residual
    }

    /// Friction of a planar body: [`Solver::resolve_friction_cone`] without the direction across
    /// the plane.
    #[inline(always)]
    fn resolve_planar_friction(&mut self, stride: usize, slot: usize, bound: R, acting: R::Mask) {
        let index = slot * 2 + 1;
        let jacobian = &self.contact_rows.jacobian[index * stride..(index + 1) * stride];
        let response = &self.contact_rows.response[index * stride..(index + 1) * stride];
        let row = &mut self.contact_rows.rows[index];
        let speed = row_velocity::<A, R>(jacobian, &self.delta_velocity);
        let step = row.rhs - speed * row.inverse;
        let sum = row.impulse + step;
        let outside = (sum * sum).ge(bound * bound);
        let step = clamp_friction(row, sum, step, bound.abs(), outside, acting);
        apply_delta_velocity::<A, R>(response, &mut self.delta_velocity, step);
    }

    /// Resolves both friction directions within the friction cone and returns the change of
    /// velocity.
    ///
    /// Mirrors `btMultiBodyConstraintSolver::resolveConeFrictionConstraintRows`. Both speeds are
    /// read before either impulse is applied. The bounds come from `sin` and `cos` of an `atan2`,
    /// not from a division by the norm: these are calls of the platform's functions that decide
    /// bits.
    #[inline(always)]
    fn resolve_friction_cone(&mut self, stride: usize, slot: usize, bound: R, acting: u8) -> R {
        let index = slot * 3;
        let Rows { rows, jacobian, response } = &mut self.contact_rows;
        let jacobian = |row: usize| &jacobian[(index + row) * stride..(index + row + 1) * stride];
        let response = |row: usize| &response[(index + row) * stride..(index + row + 1) * stride];
        let speed_along = row_velocity::<A, R>(jacobian(2), &self.delta_velocity);
        let speed_across = row_velocity::<A, R>(jacobian(1), &self.delta_velocity);
        let [_, across, along] = &mut rows[index..index + 3] else { return R::zero() };
        let step_along = along.rhs - speed_along * along.inverse;
        let step_across = across.rhs - speed_across * across.inverse;
        let sum_along = along.impulse + step_along;
        let sum_across = across.impulse + step_across;
        let outside = (sum_across * sum_across + sum_along * sum_along).ge(bound * bound);

        // If the sum across is zero, the angle is 0 or π: sin gives 0 and |cos| gives 1 exactly.
        let (mut bound_across, mut bound_along) = (R::zero(), bound.abs());
        for lane in (0..R::LANES).filter(|lane| R::bits(outside) & acting & 1 << lane != 0) {
            let (across, along) = (sum_across.lanes()[lane], sum_along.lanes()[lane]);
            if across != 0.0 {
                let (angle, bound) = (across.atan2(along), bound.lanes()[lane]);
                bound_across.lanes_mut()[lane] = (bound * angle.sin()).abs();
                bound_along.lanes_mut()[lane] = (bound * angle.cos()).abs();
            }
        }
        let acting = R::mask(acting);
        let step_across =
            clamp_friction(across, sum_across, step_across, bound_across, outside, acting);
        let step_along = clamp_friction(along, sum_along, step_along, bound_along, outside, acting);
        apply_delta_velocity::<A, R>(response(1), &mut self.delta_velocity, step_across);
        apply_delta_velocity::<A, R>(response(2), &mut self.delta_velocity, step_along);
        step_across / across.inverse + step_along / along.inverse
    }
}

/// Returns the right side of a normal row.
///
/// A point above the floor may approach it within the step; a point below is pushed out by the
/// fraction `erp` of its depth. Both terms are scaled by the effective mass before they are added.
#[inline(always)]
fn normal_rhs<R: Real>(height: R, speed: R, inverse: R, erp: f64, time_step: f64) -> R {
    let dt = R::splat(time_step);
    let distance = height + R::splat(LINEAR_SLOP);
    let above = distance.gt(R::zero());
    let correction = R::select(above, R::zero(), (-distance) * R::splat(erp) / dt);
    let speed = R::select(above, speed - distance / dt, speed);
    correction * inverse + speed * inverse
}
