//! The points at which a shape touches the floor.
//!
//! A step finds the lowest point of a shape, one; points of earlier steps are kept, up to four, as long as they stay close to where they
//! were. That is Bullet's persistent manifold against the plane z = 0, whose normal is constant.

use crate::algebra::{Algebra, Pose};
use crate::multibody::LinkCollider;
use crate::simd::Real;

/// Points that a shape can have at once.
pub(crate) const MAX_POINTS: usize = 4;

/// More lanes than any instruction set has.
const MAX_LANES: usize = 8;

/// The contact points of one shape in all lanes.
pub(crate) struct Manifold<A: Algebra, R: Real> {
    pub(crate) points: [ContactPoint<A, R>; MAX_POINTS],
    /// How many of them each lane has.
    pub(crate) counts: [u8; MAX_LANES],
}

/// A contact point.
#[derive(Clone, Copy)]
pub(crate) struct ContactPoint<A: Algebra, R: Real> {
    /// In the frame of the link.
    pub(crate) local: A::Point<R>,
    /// Where on the floor it was found.
    pub(crate) found_at: A::Point<R>,
    /// Where it is now; its height is the distance from the floor.
    pub(crate) position: A::Point<R>,
}

impl<A: Algebra, R: Real> Manifold<A, R> {
    pub(crate) fn new() -> Self {
        let origin = A::point([0.0; 3]);
        let point = ContactPoint { local: origin, found_at: origin, position: origin };
        Manifold { points: [point; MAX_POINTS], counts: [0; MAX_LANES] }
    }

    /// Brings the points up to date with the pose of the link in the lanes of `active`.
    #[inline(always)]
    pub(crate) fn update(&mut self, collider: &LinkCollider, link: &Pose<A, R>, active: u8) {
        let shape = &collider.shape;
        // A shape with other shapes or an offset is a compound to Bullet, which refreshes old points before it looks for new ones.
        if !shape.simple {
            self.refresh(shape.breaking_threshold, link, active);
        }
        let origin =
            if shape.simple { link.origin } else { A::to_world(link, A::point(shape.offset)) };
        // Out of reach of the floor there is no point to add.
        let out_of_reach = R::bits(A::height(origin).gt(R::splat(shape.reach)));
        if active & !out_of_reach != 0 {
            let turn = match &shape.turn {
                Some(inner) => A::compose_rotation(link.turn, inner),
                None => link.turn,
            };
            let lowest = A::support_point(&shape.geometry, &Pose { turn, origin });
            let near = R::bits(R::splat(shape.breaking_threshold).gt(A::height(lowest)));
            let adding = active & near & !out_of_reach;
            if adding != 0 {
                let point = ContactPoint {
                    local: A::to_local(link, lowest),
                    found_at: lowest,
                    position: lowest,
                };
                for lane in (0..R::LANES).filter(|lane| adding >> lane & 1 != 0) {
                    self.add_point(lane, &point, shape.breaking_threshold);
                }
            }
        }
        self.refresh(shape.breaking_threshold, link, active);
    }

    /// Moves the points with the link, and drops those that left the floor or slid.
    #[inline(always)]
    fn refresh(&mut self, breaking_threshold: f64, link: &Pose<A, R>, active: u8) {
        let most = self.max_count();
        if most == 0 {
            return;
        }
        let limit = R::splat(breaking_threshold);
        let mut kept = [0; MAX_POINTS];
        for (point, kept) in self.points[..most].iter_mut().zip(&mut kept) {
            point.position = A::to_world(link, point.local);
            let near = limit.ge(A::height(point.position));
            let slid = A::floor_distance_squared(point.found_at, point.position).gt(limit * limit);
            *kept = R::bits(near) & !R::bits(slid);
        }
        for lane in (0..R::LANES).filter(|lane| active >> lane & 1 != 0) {
            for index in (0..usize::from(self.counts[lane])).rev() {
                if kept[index] >> lane & 1 == 0 {
                    self.remove(lane, index);
                }
            }
        }
    }

    /// The greatest number of points in a lane.
    #[inline(always)]
    fn max_count(&self) -> usize {
        usize::from(self.counts[..R::LANES].iter().copied().max().unwrap_or(0))
    }

    /// The last point takes the place of a removed one.
    #[inline(always)]
    fn remove(&mut self, lane: usize, index: usize) {
        self.counts[lane] -= 1;
        let last = self.points[usize::from(self.counts[lane])];
        copy_lane(lane, &last, &mut self.points[index]);
    }

    /// Adds a point, or puts it in place of the one that it is closest to.
    #[inline(always)]
    fn add_point(&mut self, lane: usize, new: &ContactPoint<A, R>, breaking_threshold: f64) {
        let count = usize::from(self.counts[lane]);
        let index = match self.cache_entry(lane, new, breaking_threshold) {
            Some(index) => index,
            None if count == MAX_POINTS => self.replacement_index(lane, new),
            None => {
                self.counts[lane] += 1;
                count
            }
        };
        copy_lane(lane, new, &mut self.points[index]);
    }

    /// The point next to a new one, within the breaking_threshold.
    #[inline(always)]
    fn cache_entry(
        &self,
        lane: usize,
        new: &ContactPoint<A, R>,
        breaking_threshold: f64,
    ) -> Option<usize> {
        let (mut least, mut nearest) = (breaking_threshold * breaking_threshold, None);
        let new = lane_of::<A, R>(lane, new.local);
        for index in 0..usize::from(self.counts[lane]) {
            let apart = A::distance_squared(lane_of::<A, R>(lane, self.points[index].local), new);
            if apart < least {
                (least, nearest) = (apart, Some(index));
            }
        }
        nearest
    }

    /// Which of four points to give up for a fifth: the one without which the others span the greatest area, but never the deepest.
    fn replacement_index(&self, lane: usize, new: &ContactPoint<A, R>) -> usize {
        let depth = |point: &ContactPoint<A, R>| A::height(point.position).lanes()[lane];
        let (mut deepest, mut least) = (None, depth(new));
        for (index, point) in self.points.iter().enumerate() {
            if depth(point) < least {
                (deepest, least) = (Some(index), depth(point));
            }
        }
        let local = |point: &ContactPoint<A, R>| lane_of::<A, R>(lane, point.local);
        let corner = |index: usize| local(&self.points[index]);
        // Without a point, the new one is across from one of the others, and the last two are the other diagonal.
        let across = [[1, 3, 2], [0, 3, 2], [0, 3, 1], [0, 2, 1]];
        let (mut dispensable, mut greatest) = (None, -1e30);
        for (index, [other, a, b]) in across.into_iter().enumerate() {
            let area = if deepest == Some(index) {
                0.0
            } else {
                A::area_squared(local(new), corner(other), corner(a), corner(b))
            };
            if area > greatest {
                (dispensable, greatest) = (Some(index), area);
            }
        }
        dispensable.unwrap_or(0)
    }
}

#[inline(always)]
fn copy_lane<A: Algebra, R: Real>(
    lane: usize,
    from: &ContactPoint<A, R>,
    to: &mut ContactPoint<A, R>,
) {
    copy_parts(lane, from.local.as_ref(), to.local.as_mut());
    copy_parts(lane, from.found_at.as_ref(), to.found_at.as_mut());
    copy_parts(lane, from.position.as_ref(), to.position.as_mut());
}

#[inline(always)]
fn copy_parts<R: Real>(lane: usize, from: &[R], to: &mut [R]) {
    for (from, to) in from.iter().zip(to) {
        to.lanes_mut()[lane] = from.lanes()[lane];
    }
}

#[inline(always)]
fn lane_of<A: Algebra, R: Real>(lane: usize, p: A::Point<R>) -> A::Point<f64> {
    let mut single = A::point([0.0; 3]);
    for (part, all) in single.as_mut().iter_mut().zip(p.as_ref()) {
        *part = all.lanes()[lane];
    }
    single
}
