//! Impulses that keep a body out of the floor and its joints within their limits.
//!
//! Bullet's projected Gauss–Seidel for one articulated body against a floor that does not move. Every lane has its own rows, packed: row
//! `k` is the `k`-th of each lane that has so many.

use crate::algebra::Algebra;
use crate::dynamics::{Dynamics, clamp};
use crate::manifold::POINTS;
use crate::response::{Response, Way};
use crate::row::{Row, Rows, along, along_at, apply, clip, relax};
use crate::simd::Real;
use crate::state::State;
use crate::stop::Stops;
use crate::touch::Touches;
use crate::tree::{Bits, Tree};

// Constants of Bullet's physics server.
const SLOP: f64 = 0.000_01;
const LIMIT_ERP: f64 = 0.2;
/// Beyond it a limit row corrects velocity alone.
const DEEP: f64 = -0.04_f32 as f64;
const MOST_LIMIT_IMPULSE: f64 = 100.0;
const MOST_CONTACT_IMPULSE: f64 = 1e10;
/// Squared change of velocity at which iterating stops.
const SMALL_ENOUGH: f64 = 1e-7;

pub(crate) struct Solver<A: Algebra, R: Real> {
    response: Response<A, R>,
    touches: Touches<A, R>,
    stops: Stops<R>,
    contact_rows: Rows<R>,
    limit_rows: Rows<R>,
    /// Of the velocity so far.
    change: Vec<R>,
}

impl<A: Algebra, R: Real> Solver<A, R> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let coordinates = A::BASE + tree.joints;
        let (contacts, limits) = (POINTS * tree.contacts.len(), 2 * tree.limits.len());
        Solver {
            response: Response::new(tree),
            touches: Touches::new(tree),
            stops: Stops::new(tree),
            contact_rows: Rows::new(A::DIRECTIONS * contacts, coordinates),
            limit_rows: Rows::new(limits, coordinates),
            change: vec![R::zero(); coordinates],
        }
    }

    /// Changes the velocity; accelerations must have been computed for the current pose.
    #[inline(always)]
    pub(crate) fn solve(
        &mut self,
        tree: &Tree,
        state: &mut State<A, R>,
        dynamics: &Dynamics<A, R>,
        active: u8,
    ) {
        self.touches.collect(tree, state, active);
        self.stops.collect(tree, state, active);
        self.change.fill(R::zero());
        if self.touches.lanes() | self.stops.lanes() != 0 {
            self.prepare_touches(tree, state, dynamics);
            self.prepare_stops(tree, state, dynamics);
            self.iterate(tree);
        }
        for (velocity, &change) in state.velocity.iter_mut().zip(&self.change) {
            *velocity = clamp(*velocity + change) + R::zero();
        }
    }

    #[inline(always)]
    fn prepare_touches(&mut self, tree: &Tree, state: &State<A, R>, dynamics: &Dynamics<A, R>) {
        let stride = A::BASE + tree.joints;
        let body = (tree, state, dynamics);
        for (place, touch) in self.touches.list.iter().enumerate() {
            let way = Way::new(&touch.ways, touch.valid);
            let (first, last) = (place * A::DIRECTIONS, (place + 1) * A::DIRECTIONS);
            let jacobian = &mut self.contact_rows.jacobian[first * stride..last * stride];
            let response = &mut self.contact_rows.response[first * stride..last * stride];
            self.response.contact_jacobian(body, touch.at, &way, jacobian);
            if A::DIRECTIONS == 2 {
                self.response.compute::<2>(body, &way, jacobian, response);
            } else {
                self.response.compute::<3>(body, &way, jacobian, response);
            }
            let rows = &mut self.contact_rows.rows[first..last];
            for (index, row) in rows.iter_mut().enumerate() {
                let range = index * stride..(index + 1) * stride;
                let (jacobian, response) = (&jacobian[range.clone()], &response[range]);
                *row = Row::new(along::<A, R>(jacobian, response));
                let speed = along::<A, R>(jacobian, &state.velocity);
                row.goal = if index == 0 {
                    let erp = tree.contact_erp;
                    normal_goal(A::height(touch.at), -speed, row.inverse, erp, tree.time_step)
                } else {
                    (-speed) * row.inverse
                };
            }
        }
    }

    #[inline(always)]
    fn prepare_stops(&mut self, tree: &Tree, state: &State<A, R>, dynamics: &Dynamics<A, R>) {
        let stride = A::BASE + tree.joints;
        let dt = R::splat(tree.time_step);
        for (place, stop) in self.stops.list.iter().enumerate() {
            let way = Way::new(&stop.ways, stop.valid);
            let range = place * stride..(place + 1) * stride;
            let jacobian = &mut self.limit_rows.jacobian[range.clone()];
            let response = &mut self.limit_rows.response[range];
            for joint in Bits(way.links).filter_map(|link| tree.links[link].joint) {
                jacobian[A::BASE + joint.coordinate] = R::zero();
            }
            for lane in (0..R::LANES).filter(|lane| stop.valid >> lane & 1 != 0) {
                let coordinate = stop.limits[lane].coordinate;
                jacobian[A::BASE + coordinate].lanes_mut()[lane] = stop.sides.lanes()[lane];
            }
            self.response.compute::<1>((tree, state, dynamics), &way, jacobian, response);
            let mut row = Row::new(along_at(stop.coordinates, jacobian, response));
            let speed = along_at(stop.coordinates, jacobian, &state.velocity);
            let correction = (-stop.room) * R::splat(LIMIT_ERP) / dt;
            let goal = (-speed) * row.inverse;
            let shallow = stop.room.gt(R::splat(DEEP));
            row.goal = R::select(shallow, correction * row.inverse + goal, goal);
            self.limit_rows.rows[place] = row;
        }
    }

    /// Relaxes all rows in turn until nothing changes any more, at most so often as the settings say.
    #[inline(always)]
    fn iterate(&mut self, tree: &Tree) {
        let mut running = self.touches.lanes() | self.stops.lanes();
        for iteration in 0..tree.iterations {
            let greatest = self.sweep(tree, iteration, running);
            let mut small = R::bits(R::splat(SMALL_ENOUGH).ge(greatest));
            if A::DIRECTIONS == 2 {
                // Friction across the plane moves nothing: Bullet gets 0 / 0 for its change, which is not small.
                small &= !self.touches.lanes();
            }
            running &= !small;
            if running == 0 {
                break;
            }
        }
    }

    /// Relaxes every row once. Returns the greatest squared change of velocity along a row, as Bullet forms it: a row that moves nothing
    /// has 0 / 0 there, which the comparison lets the next row replace.
    #[inline(always)]
    fn sweep(&mut self, tree: &Tree, iteration: u32, running: u8) -> R {
        let stride = A::BASE + tree.joints;
        let mut greatest = R::zero();
        let count = self.stops.list.len();
        for i in 0..count {
            let place = if iteration & 1 == 1 { i } else { count - 1 - i };
            let acting = R::mask(self.stops.list[place].valid & running);
            let jacobian = &self.limit_rows.jacobian[place * stride..(place + 1) * stride];
            let response = &self.limit_rows.response[place * stride..(place + 1) * stride];
            let row = &mut self.limit_rows.rows[place];
            let speed = along_at(self.stops.list[place].coordinates, jacobian, &self.change);
            let step = relax(row, speed, MOST_LIMIT_IMPULSE, acting);
            apply::<A, R>(response, &mut self.change, step);
            let moved = step / row.inverse;
            greatest = R::select(acting, greatest.larger(moved * moved), greatest);
        }
        greatest = R::zero().larger(greatest);
        for place in 0..self.touches.list.len() {
            let acting = R::mask(self.touches.list[place].valid & running);
            let index = place * A::DIRECTIONS;
            let jacobian = &self.contact_rows.jacobian[index * stride..(index + 1) * stride];
            let response = &self.contact_rows.response[index * stride..(index + 1) * stride];
            let row = &mut self.contact_rows.rows[index];
            let speed = along::<A, R>(jacobian, &self.change);
            let step = relax(row, speed, MOST_CONTACT_IMPULSE, acting);
            apply::<A, R>(response, &mut self.change, step);
            if A::DIRECTIONS == 3 {
                let moved = step / row.inverse;
                greatest = R::select(acting, greatest.larger(moved * moved), greatest);
            }
        }
        for place in 0..self.touches.list.len() {
            let acting = R::mask(self.touches.list[place].valid & running);
            let bound = -(self.touches.list[place].friction
                * self.contact_rows.rows[place * A::DIRECTIONS].impulse);
            if A::DIRECTIONS == 2 {
                self.relax_sliding(stride, place, bound, acting);
            } else {
                let moved =
                    self.relax_cone(stride, place, bound, self.touches.list[place].valid & running);
                greatest = R::select(acting, greatest.larger(moved * moved), greatest);
            }
        }
        greatest
    }

    /// Friction in one direction, within the bound.
    #[inline(always)]
    fn relax_sliding(&mut self, stride: usize, place: usize, bound: R, acting: R::Mask) {
        let index = place * 2 + 1;
        let jacobian = &self.contact_rows.jacobian[index * stride..(index + 1) * stride];
        let response = &self.contact_rows.response[index * stride..(index + 1) * stride];
        let row = &mut self.contact_rows.rows[index];
        let speed = along::<A, R>(jacobian, &self.change);
        let step = row.goal - speed * row.inverse;
        let sum = row.impulse + step;
        let outside = (sum * sum).ge(bound * bound);
        let step = clip(row, sum, step, bound.abs(), outside, acting);
        apply::<A, R>(response, &mut self.change, step);
    }

    /// Friction in both directions together, within a cone around the normal impulse. Returns the change of velocity.
    #[inline(always)]
    fn relax_cone(&mut self, stride: usize, place: usize, bound: R, acting: u8) -> R {
        let index = place * 3;
        let Rows { rows, jacobian, response } = &mut self.contact_rows;
        let jacobian = |row: usize| &jacobian[(index + row) * stride..(index + row + 1) * stride];
        let response = |row: usize| &response[(index + row) * stride..(index + row + 1) * stride];
        let speed_along = along::<A, R>(jacobian(2), &self.change);
        let speed_across = along::<A, R>(jacobian(1), &self.change);
        let [_, across, along] = &mut rows[index..index + 3] else { return R::zero() };
        let step_along = along.goal - speed_along * along.inverse;
        let step_across = across.goal - speed_across * across.inverse;
        let sum_along = along.impulse + step_along;
        let sum_across = across.impulse + step_across;
        let outside = (sum_across * sum_across + sum_along * sum_along).ge(bound * bound);

        // With nothing across, the angle is 0 or π and its cosine 1 or −1.
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
        let step_across = clip(across, sum_across, step_across, bound_across, outside, acting);
        let step_along = clip(along, sum_along, step_along, bound_along, outside, acting);
        apply::<A, R>(response(1), &mut self.change, step_across);
        apply::<A, R>(response(2), &mut self.change, step_along);
        step_across / across.inverse + step_along / along.inverse
    }
}

/// A point above the floor may come down as far as the floor; one below it is to come out by a share of its depth.
#[inline(always)]
fn normal_goal<R: Real>(height: R, speed: R, inverse: R, erp: f64, time_step: f64) -> R {
    let dt = R::splat(time_step);
    let distance = height + R::splat(SLOP);
    let above = distance.gt(R::zero());
    let correction = R::select(above, R::zero(), (-distance) * R::splat(erp) / dt);
    let speed = R::select(above, speed - distance / dt, speed);
    correction * inverse + speed * inverse
}
