//! The contact points of a shape with the floor: `btPersistentManifold` against the plane z = 0.
//!
//! Each step finds one point, the lowest of the shape (`btConvexPlaneCollisionAlgorithm`). Up to
//! four points of earlier steps are kept while they stay close to their first position.

use crate::algebra::{Algebra, Pose};
use crate::multibody::LinkCollider;
use crate::simd::Real;

/// `MANIFOLD_CACHE_SIZE`.
pub(crate) const MAX_POINTS: usize = 4;

/// The largest number of lanes of an instruction set.
const MAX_LANES: usize = 8;

/// The contact points of one shape in all lanes.
pub(crate) struct Manifold<A: Algebra, R: Real> {
    pub(crate) points: [ContactPoint<A, R>; MAX_POINTS],
    /// The number of valid points in each lane.
    pub(crate) counts: [u8; MAX_LANES],
}

/// A contact point.
#[derive(Clone, Copy)]
pub(crate) struct ContactPoint<A: Algebra, R: Real> {
    /// In the frame of the link.
    pub(crate) local: A::Point<R>,
    /// Its world position when it was found (`m_positionWorldOnB`).
    pub(crate) found_at: A::Point<R>,
    /// Its current world position; the height is the distance from the floor.
    pub(crate) position: A::Point<R>,
}

impl<A: Algebra, R: Real> Manifold<A, R> {
    pub(crate) fn new() -> Self {
        let origin = A::point([0.0; 3]);
        let point = ContactPoint { local: origin, found_at: origin, position: origin };
        Manifold { points: [point; MAX_POINTS], counts: [0; MAX_LANES] }
    }

    /// Updates the points for the link's current pose in the lanes of `active`.
    ///
    /// Mirrors `btConvexPlaneCollisionAlgorithm::processCollision`, and
    /// `btCompoundCollisionAlgorithm::processCollision` for shapes that are not simple.
    #[inline(always)]
    pub(crate) fn update(&mut self, collider: &LinkCollider, link: &Pose<A, R>, active: u8) {
        let shape = &collider.shape;
        // Several shapes, or one with an offset, form a compound in Bullet. A compound refreshes
        // its old points before it looks for new ones, and again after.
        if !shape.simple {
            self.refresh(shape.breaking_threshold, link, active);
        }
        let origin =
            if shape.simple { link.origin } else { A::to_world(link, A::point(shape.offset)) };
        // A bounding sphere above the threshold: the exact test below could not add a point.
        let out_of_reach = R::bits(A::height(origin).gt(R::splat(shape.reach)));
        if active & !out_of_reach != 0 {
            let rotation = match &shape.rotation {
                Some(inner) => A::compose_rotation(link.rotation, inner),
                None => link.rotation,
            };
            let lowest = A::support_point(&shape.geometry, &Pose { rotation, origin });
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

    /// Mirrors `btPersistentManifold::refreshContactPoints`.
    ///
    /// Moves the points with the link and drops those that left the floor or slid. Points are
    /// dropped from the last to the first, because removal moves the last point into the gap.
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

    /// The largest number of points in a lane.
    #[inline(always)]
    fn max_count(&self) -> usize {
        usize::from(self.counts[..R::LANES].iter().copied().max().unwrap_or(0))
    }

    /// `btPersistentManifold::removeContactPoint`: the last point takes the place of the removed
    /// one.
    ///
    /// The order of the points is the order of the solver's rows.
    #[inline(always)]
    fn remove(&mut self, lane: usize, index: usize) {
        self.counts[lane] -= 1;
        let last = self.points[usize::from(self.counts[lane])];
        copy_lane(lane, &last, &mut self.points[index]);
    }

    /// `btPersistentManifold::addManifoldPoint`, or `replaceContactPoint` if a point is close
    /// enough.
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

    /// `btPersistentManifold::getCacheEntry`: the nearest point within the breaking threshold.
    ///
    /// The comparison is strict, so of two equally near points the first wins.
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

    /// `btPersistentManifold::sortCachedPoints`: the point to replace by a fifth.
    ///
    /// Keeps the deepest point, and of the others those that span the largest area.
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
        // For each candidate: the point opposite the new one, and the ends of the other diagonal.
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
