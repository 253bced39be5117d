//! Impulses that keep a body out of the floor and its joints within their limits.
//!
//! Bullet's projected Gauss–Seidel for one articulated body against a floor that does not move. Every lane has its own rows, packed: row
//! `k` is the `k`-th of each lane that has so many.

use crate::algebra::Algebra;
use crate::dynamics::{Dynamics, clamp};
use crate::manifold::POINTS;
use crate::response::{Response, Way};
use crate::simd::Real;
use crate::sort::quick_sort;
use crate::state::State;
use crate::tree::{Bits, Limit, Tree};

// Constants of Bullet's physics server.
const SLOP: f64 = 0.000_01;
const LIMIT_ERP: f64 = 0.2;
/// Beyond it a limit row corrects velocity alone.
const DEEP: f64 = -0.04_f32 as f64;
const MOST_LIMIT_IMPULSE: f64 = 100.0;
const MOST_CONTACT_IMPULSE: f64 = 1e10;
/// Squared change of velocity at which iterating stops.
const SMALL_ENOUGH: f64 = 1e-7;

/// One inequality on the velocity, J v ≥ b, enforced by an impulse within bounds.
#[derive(Clone, Copy)]
struct Row<R> {
    /// 1 / (J response), or 0 if the impulse moves nothing.
    inverse: R,
    /// The impulse that would do if no other row acted.
    goal: R,
    impulse: R,
}

impl<R: Real> Row<R> {
    /// A row that has not acted yet, of a given mobility: the change of velocity along it by a unit impulse.
    #[inline(always)]
    fn new(mobility: R) -> Self {
        let moves = mobility.gt(R::splat(f64::EPSILON));
        let inverse = R::select(moves, R::splat(1.0) / mobility, R::zero());
        Row { inverse, goal: R::zero(), impulse: R::zero() }
    }
}

/// Rows with their Jacobians J and responses.
struct Rows<R> {
    rows: Vec<Row<R>>,
    jacobian: Vec<R>,
    response: Vec<R>,
}

impl<R: Real> Rows<R> {
    fn new(count: usize, coordinates: usize) -> Self {
        let row = Row { inverse: R::zero(), goal: R::zero(), impulse: R::zero() };
        Rows {
            rows: vec![row; count],
            jacobian: vec![R::zero(); count * coordinates],
            response: vec![R::zero(); count * coordinates],
        }
    }
}

/// The `k`-th contact point of each lane.
#[derive(Clone, Copy)]
struct Touch<A: Algebra, R: Real> {
    at: A::Point<R>,
    friction: R,
    ways: [u64; 8],
    /// Which lanes have so many.
    valid: u8,
}

/// The `k`-th joint beyond its limit of each lane.
#[derive(Clone, Copy)]
struct Stop<R> {
    /// How far it is from the limit: negative beyond it.
    room: R,
    limits: [Limit; 8],
    /// 1 at the lower limit, −1 at the upper.
    sides: R,
    /// Bit `i`: coordinate `i` is beyond its limit in some lane.
    coordinates: u64,
    ways: [u64; 8],
    valid: u8,
}

pub(crate) struct Solver<A: Algebra, R: Real> {
    response: Response<A, R>,
    touches: Vec<Touch<A, R>>,
    stops: Vec<Stop<R>>,
    contact_rows: Rows<R>,
    limit_rows: Rows<R>,
    /// Of the velocity so far.
    change: Vec<R>,
    /// Shapes that touch in one lane.
    touching: Vec<usize>,
}

impl<A: Algebra, R: Real> Solver<A, R> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let coordinates = A::BASE + tree.joints;
        let (contacts, limits) = (POINTS * tree.contacts.len(), 2 * tree.limits.len());
        Solver {
            response: Response::new(tree),
            touches: Vec::with_capacity(contacts),
            stops: Vec::with_capacity(limits),
            contact_rows: Rows::new(A::DIRECTIONS * contacts, coordinates),
            limit_rows: Rows::new(limits, coordinates),
            change: vec![R::zero(); coordinates],
            touching: Vec::with_capacity(tree.contacts.len()),
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
        self.collect_touches(tree, state, active);
        self.collect_stops(tree, state, active);
        self.change.fill(R::zero());
        if !self.touches.is_empty() || !self.stops.is_empty() {
            self.prepare_touches(tree, state, dynamics);
            self.prepare_stops(tree, state, dynamics);
            self.iterate(tree);
        }
        for (velocity, &change) in state.velocity.iter_mut().zip(&self.change) {
            *velocity = clamp(*velocity + change) + R::zero();
        }
    }

    /// Contact points of each lane in the order in which Bullet's islands hand them to its solver.
    #[inline(always)]
    fn collect_touches(&mut self, tree: &Tree, state: &State<A, R>, active: u8) {
        self.touches.clear();
        for lane in (0..R::LANES).filter(|lane| active >> lane & 1 != 0) {
            self.order_touching(tree, state, lane);
            let mut place = 0;
            for &contact in &self.touching {
                let manifold = &state.manifolds[contact];
                let way =
                    tree.contacts[contact].node.checked_sub(1).map_or(0, |i| tree.links[i].way);
                for point in &manifold.points[..usize::from(manifold.counts[lane])] {
                    if place == self.touches.len() {
                        self.touches.push(Touch {
                            at: point.position,
                            friction: R::zero(),
                            ways: [0; 8],
                            valid: 0,
                        });
                    }
                    let touch = &mut self.touches[place];
                    for (to, from) in touch.at.as_mut().iter_mut().zip(point.position.as_ref()) {
                        to.lanes_mut()[lane] = from.lanes()[lane];
                    }
                    touch.friction.lanes_mut()[lane] = tree.contacts[contact].friction;
                    touch.ways[lane] = way;
                    touch.valid |= 1 << lane;
                    place += 1;
                }
            }
        }
    }

    /// The shapes with contact points, sorted by link. The sort is not stable, so the order of two shapes of one link depends on how many
    /// shapes touch.
    #[inline(always)]
    fn order_touching(&mut self, tree: &Tree, state: &State<A, R>, lane: usize) {
        self.touching.clear();
        let touches = |&contact: &usize| state.manifolds[contact].counts[lane] != 0;
        self.touching.extend((0..tree.contacts.len()).filter(touches));
        let node = |contact: usize| tree.contacts[contact].node;
        // Shapes are kept with the last link first.
        if self.touching.windows(2).any(|pair| node(pair[0]) == node(pair[1])) {
            quick_sort(&mut self.touching, node);
        } else {
            self.touching.reverse();
        }
    }

    #[inline(always)]
    fn collect_stops(&mut self, tree: &Tree, state: &State<A, R>, active: u8) {
        self.stops.clear();
        let mut places = [0; 8];
        for limit in &tree.limits {
            let position = state.joints[limit.coordinate].position;
            let below = position - R::splat(limit.lower);
            let above = R::splat(limit.upper) - position;
            for (room, side) in [(below, 1.0), (above, -1.0)] {
                let beyond = active & !R::bits(room.gt(R::zero()));
                if beyond == 0 {
                    continue;
                }
                for lane in (0..R::LANES).filter(|lane| beyond >> lane & 1 != 0) {
                    if places[lane] == self.stops.len() {
                        self.stops.push(Stop {
                            room,
                            limits: [*limit; 8],
                            sides: R::zero(),
                            coordinates: 0,
                            ways: [0; 8],
                            valid: 0,
                        });
                    }
                    let stop = &mut self.stops[places[lane]];
                    stop.room.lanes_mut()[lane] = room.lanes()[lane];
                    stop.limits[lane] = *limit;
                    stop.sides.lanes_mut()[lane] = side;
                    stop.coordinates |= 1 << (A::BASE + limit.coordinate);
                    stop.ways[lane] = tree.links[limit.link].way;
                    stop.valid |= 1 << lane;
                    places[lane] += 1;
                }
            }
        }
    }

    #[inline(always)]
    fn prepare_touches(&mut self, tree: &Tree, state: &State<A, R>, dynamics: &Dynamics<A, R>) {
        let stride = A::BASE + tree.joints;
        let body = (tree, state, dynamics);
        for (place, touch) in self.touches.iter().enumerate() {
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
        for (place, stop) in self.stops.iter().enumerate() {
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
        let mut running =
            self.touches.first().map_or(0, |t| t.valid) | self.stops.first().map_or(0, |s| s.valid);
        for iteration in 0..tree.iterations {
            let greatest = self.sweep(tree, iteration, running);
            let mut small = R::bits(R::splat(SMALL_ENOUGH).ge(greatest));
            if A::DIRECTIONS == 2 {
                // Friction across the plane moves nothing: Bullet gets 0 / 0 for its change, which is not small.
                small &= !self.touches.first().map_or(0, |touch| touch.valid);
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
        let count = self.stops.len();
        for i in 0..count {
            let place = if iteration & 1 == 1 { i } else { count - 1 - i };
            let acting = R::mask(self.stops[place].valid & running);
            let jacobian = &self.limit_rows.jacobian[place * stride..(place + 1) * stride];
            let response = &self.limit_rows.response[place * stride..(place + 1) * stride];
            let row = &mut self.limit_rows.rows[place];
            let speed = along_at(self.stops[place].coordinates, jacobian, &self.change);
            let step = relax(row, speed, MOST_LIMIT_IMPULSE, acting);
            apply::<A, R>(response, &mut self.change, step);
            let moved = step / row.inverse;
            greatest = R::select(acting, greatest.larger(moved * moved), greatest);
        }
        greatest = R::zero().larger(greatest);
        for place in 0..self.touches.len() {
            let acting = R::mask(self.touches[place].valid & running);
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
        for place in 0..self.touches.len() {
            let acting = R::mask(self.touches[place].valid & running);
            let bound = -(self.touches[place].friction
                * self.contact_rows.rows[place * A::DIRECTIONS].impulse);
            if A::DIRECTIONS == 2 {
                self.relax_sliding(stride, place, bound, acting);
            } else {
                let moved =
                    self.relax_cone(stride, place, bound, self.touches[place].valid & running);
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

/// A velocity along a row of the Jacobian.
#[inline(always)]
fn along<A: Algebra, R: Real>(jacobian: &[R], velocity: &[R]) -> R {
    match (A::BASE, jacobian.len()) {
        (0, 6) => along_fixed::<R, 6>(jacobian, velocity),
        (0, 9) => along_fixed::<R, 9>(jacobian, velocity),
        (6, 14) => along_fixed::<R, 14>(jacobian, velocity),
        _ => along_all(jacobian, velocity),
    }
}

/// The robots' numbers of coordinates, for the compiler to unroll.
#[inline(always)]
fn along_fixed<R: Real, const N: usize>(jacobian: &[R], velocity: &[R]) -> R {
    match (jacobian.first_chunk::<N>(), velocity.first_chunk::<N>()) {
        (Some(jacobian), Some(velocity)) => along_all(jacobian, velocity),
        _ => along_all(jacobian, velocity),
    }
}

#[inline(always)]
fn along_all<R: Real>(jacobian: &[R], velocity: &[R]) -> R {
    let mut speed = R::zero();
    for (&rate, &velocity) in jacobian.iter().zip(velocity) {
        speed = speed + rate * velocity;
    }
    speed
}

/// The same, where only some coordinates of the row differ from zero.
#[inline(always)]
fn along_at<R: Real>(coordinates: u64, jacobian: &[R], velocity: &[R]) -> R {
    let mut speed = R::zero();
    for i in Bits(coordinates) {
        speed = speed + jacobian[i] * velocity[i];
    }
    speed
}

/// Adds what an impulse changes.
#[inline(always)]
fn apply<A: Algebra, R: Real>(response: &[R], change: &mut [R], impulse: R) {
    match (A::BASE, response.len()) {
        (0, 6) => apply_fixed::<R, 6>(response, change, impulse),
        (0, 9) => apply_fixed::<R, 9>(response, change, impulse),
        (6, 14) => apply_fixed::<R, 14>(response, change, impulse),
        _ => apply_all(response, change, impulse),
    }
}

#[inline(always)]
fn apply_fixed<R: Real, const N: usize>(response: &[R], change: &mut [R], impulse: R) {
    if let (Some(response), Some(change)) =
        (response.first_chunk::<N>(), change.first_chunk_mut::<N>())
    {
        apply_all(response, change, impulse);
    }
}

#[inline(always)]
fn apply_all<R: Real>(response: &[R], change: &mut [R], impulse: R) {
    for (change, &response) in change.iter_mut().zip(response) {
        *change = *change + response * impulse;
    }
}

/// Takes a row's impulse to where it would do, within [0, `most`]. Returns the step.
#[inline(always)]
fn relax<R: Real>(row: &mut Row<R>, speed: R, most: f64, acting: R::Mask) -> R {
    let (zero, most) = (R::zero(), R::splat(most));
    let step = row.goal - speed * row.inverse;
    let sum = row.impulse + step;
    let (pulls, too_strong) = (zero.gt(sum), sum.gt(most));
    let step = R::select(too_strong, most - row.impulse, step);
    let step = R::select(pulls, zero - row.impulse, step);
    let impulse = R::select(pulls, zero, R::select(too_strong, most, sum));
    row.impulse = R::select(acting, impulse, row.impulse);
    R::select(acting, step, zero)
}

/// Takes a row's impulse to `sum`, but `outside` not beyond ±`bound`. Returns the step.
#[inline(always)]
fn clip<R: Real>(
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
