//! The state of a world: everything that changes from step to step.

use crate::algebra::Algebra;
use crate::manifold::Manifold;
use crate::multibody::{Axis, MultiBody};
use crate::simd::Real;
use crate::vector::{Quaternion, Vector};

/// The state of all lanes.
///
/// Link poses are those at the start of the last substep, because Bullet's server reports them so.
/// The poses of the base and the joints are current.
pub(crate) struct State<A: Algebra, R: Real> {
    pub(crate) base_position: Vector<R>,
    /// From the world's frame to the base's.
    pub(crate) base_rotation: Quaternion<R>,
    /// Spin and velocity of the base (if it can move), then of each joint.
    pub(crate) velocity: Vec<R>,
    pub(crate) joints: Vec<JointLanes<R>>,
    /// From each link's parent's center of mass to its own, in its own frame.
    pub(crate) offsets: Vec<A::Point<R>>,
    pub(crate) poses: Vec<LinkPose<A, R>>,
    /// The base's rotation when the poses were taken.
    pub(crate) stale_base_rotation: Quaternion<R>,
    pub(crate) manifolds: Vec<Manifold<A, R>>,
}

/// A joint in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct JointLanes<R> {
    pub(crate) position: R,
    pub(crate) torque: R,
    /// Sine (over the length of the axis) and cosine of half the negative angle.
    pub(crate) half_angle: [R; 2],
    /// The same when the poses were taken.
    pub(crate) stale_half_angle: [R; 2],
}

/// A link's pose at the start of the last substep: `spin` rotates from the world's frame to the
/// link's.
#[derive(Clone, Copy)]
pub(crate) struct LinkPose<A: Algebra, R: Real> {
    pub(crate) spin: A::Orientation<R>,
    pub(crate) origin: A::Point<R>,
}

/// A lane of a [`State`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LaneState {
    numbers: Vec<f64>,
    counts: Vec<u8>,
}

impl LaneState {
    /// Whether both states have the same numbers of joints, links and shapes.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.numbers.len(), self.counts.len()) == (other.numbers.len(), other.counts.len())
    }
}

impl<A: Algebra, R: Real> State<A, R> {
    /// At rest with all joints at zero.
    pub(crate) fn new(multibody: &MultiBody) -> Self {
        let zero = R::zero();
        // The inverse of the identity, with the signs that Bullet gives its zeros.
        let base_rotation = [-zero, -zero, -zero, R::splat(1.0)];
        let half_angle = [zero, R::splat(1.0)];
        let joint =
            JointLanes { position: zero, torque: zero, half_angle, stale_half_angle: half_angle };
        let origin = A::point([0.0; 3]);
        let mut state = State {
            base_position: multibody.base_position.map(R::splat),
            base_rotation,
            velocity: vec![zero; A::BASE + multibody.joints],
            joints: vec![joint; multibody.joints],
            offsets: vec![origin; multibody.links.len()],
            poses: vec![
                LinkPose { spin: A::base_orientation(base_rotation), origin };
                multibody.links.len()
            ],
            stale_base_rotation: base_rotation,
            manifolds: multibody.colliders.iter().map(|_| Manifold::new()).collect(),
        };
        state.update_link_cache(multibody);
        state.forward_kinematics(multibody);
        state
    }

    /// Updates joint rotations and link offsets from the joint positions.
    ///
    /// Mirrors `btMultibodyLink::updateCacheMultiDof`. The sine is divided by the length of the
    /// axis, as in `btQuaternion::setRotation`; the axis itself is not normalized.
    #[inline(always)]
    pub(crate) fn update_link_cache(&mut self, multibody: &MultiBody) {
        for (link, offset) in multibody.links.iter().zip(&mut self.offsets) {
            let (to_pivot, to_center) = (A::point(link.to_pivot), A::point(link.to_center));
            *offset = match link.joint {
                None => A::add(to_center, to_pivot),
                Some(joint) => {
                    let lanes = &mut self.joints[joint.coordinate];
                    match joint.axis {
                        Axis::Prismatic { direction } => {
                            A::add_scaled(A::add(to_center, to_pivot), direction, lanes.position)
                        }
                        Axis::Revolute { spin, length, .. } => {
                            let half = (-lanes.position) * R::splat(0.5);
                            let sine = half.map(f64::sin) / R::splat(length);
                            let cosine = half.map(f64::cos);
                            lanes.half_angle = [sine, cosine];
                            A::add(
                                to_center,
                                A::rotate(A::revolute_orientation(spin, sine, cosine), to_pivot),
                            )
                        }
                    }
                }
            };
        }
    }

    /// Computes the poses of all links from the base: `btMultiBody::forwardKinematics`.
    ///
    /// Each rotation is the quaternion product with the parent's, and each origin is added to the
    /// parent's, so rounding errors accumulate along the chain as in Bullet.
    #[inline(always)]
    pub(crate) fn forward_kinematics(&mut self, multibody: &MultiBody) {
        self.stale_base_rotation = self.base_rotation;
        for joint in &mut self.joints {
            joint.stale_half_angle = joint.half_angle;
        }
        for (index, link) in multibody.links.iter().enumerate() {
            let parent = self.node_pose(link.parent);
            let spin = match link.revolute() {
                Some((axis, coordinate)) => {
                    let [sine, cosine] = self.joints[coordinate].half_angle;
                    A::compose(A::revolute_orientation(axis, sine, cosine), parent.spin)
                }
                None => parent.spin,
            };
            let offset = A::rotate(A::conjugate(spin), self.offsets[index]);
            self.poses[index] = LinkPose { spin, origin: A::add(parent.origin, offset) };
        }
    }

    /// Integrates the base and the joints by one substep: `btMultiBody::stepPositionsMultiDof`.
    ///
    /// Positions use the new velocities (semi-implicit Euler). Link poses are not updated; the next
    /// substep does that.
    #[inline(always)]
    pub(crate) fn step_positions(&mut self, multibody: &MultiBody) {
        let State { base_position, base_rotation, velocity, joints, .. } = self;
        A::integrate_base(multibody.time_step, velocity, base_position, base_rotation);
        for (joint, &velocity) in joints.iter_mut().zip(&velocity[A::BASE..]) {
            joint.position = joint.position + R::splat(multibody.time_step) * velocity;
        }
        self.update_link_cache(multibody);
    }

    /// Returns the pose of a link (at the start of the last substep) or of the base (current).
    #[inline(always)]
    pub(crate) fn node_pose(&self, node: usize) -> LinkPose<A, R> {
        match node.checked_sub(1) {
            Some(link) => self.poses[link],
            None => LinkPose {
                spin: A::base_orientation(self.base_rotation),
                origin: A::from_xyz(self.base_position),
            },
        }
    }

    /// Copies a lane's base and joint positions to a state of one lane.
    pub(crate) fn copy_configuration(&self, lane: usize, single: &mut State<A, f64>) {
        single.base_position = self.base_position.map(|part| part.lanes()[lane]);
        single.base_rotation = self.base_rotation.map(|part| part.lanes()[lane]);
        for (to, from) in single.joints.iter_mut().zip(&self.joints) {
            to.position = from.position.lanes()[lane];
        }
    }

    /// Copies poses and offsets of a state of one lane back to a lane.
    pub(crate) fn write_poses(&mut self, lane: usize, single: &State<A, f64>) {
        write_lane(lane, &single.stale_base_rotation, &mut self.stale_base_rotation);
        for (from, to) in single.joints.iter().zip(&mut self.joints) {
            write_lane(lane, &from.half_angle, &mut to.half_angle);
            write_lane(lane, &from.stale_half_angle, &mut to.stale_half_angle);
        }
        for (from, to) in single.offsets.iter().zip(&mut self.offsets) {
            write_lane(lane, from.as_ref(), to.as_mut());
        }
        for (from, to) in single.poses.iter().zip(&mut self.poses) {
            write_lane(lane, from.spin.as_ref(), to.spin.as_mut());
            write_lane(lane, from.origin.as_ref(), to.origin.as_mut());
        }
    }

    /// Saves a lane.
    pub(crate) fn save(&self, lane: usize, into: &mut LaneState) {
        into.numbers.clear();
        into.counts.clear();
        self.visit(|number| into.numbers.push(number.lanes()[lane]));
        into.counts.extend(self.manifolds.iter().map(|manifold| manifold.counts[lane]));
    }

    /// Restores a lane that was saved from a state of the same body.
    pub(crate) fn restore(&mut self, lane: usize, from: &LaneState) {
        let mut numbers = from.numbers.iter();
        self.visit_mut(|number| {
            if let Some(&saved) = numbers.next() {
                number.lanes_mut()[lane] = saved;
            }
        });
        for (manifold, &count) in self.manifolds.iter_mut().zip(&from.counts) {
            manifold.counts[lane] = count;
        }
    }
}

fn write_lane<R: Real>(lane: usize, from: &[f64], to: &mut [R]) {
    for (&from, to) in from.iter().zip(to) {
        to.lanes_mut()[lane] = from;
    }
}

/// Calls a function with every number of a state, always in the same order.
macro_rules! visitor {
    ($name:ident, $iter:ident, $parts:ident, $($reference:tt)+) => {
        fn $name(self: $($reference)+ Self, mut each: impl FnMut($($reference)+ R)) {
            self.base_position.$iter().for_each(&mut each);
            self.base_rotation.$iter().for_each(&mut each);
            self.stale_base_rotation.$iter().for_each(&mut each);
            self.velocity.$iter().for_each(&mut each);
            for joint in self.joints.$iter() {
                each($($reference)+ joint.position);
                each($($reference)+ joint.torque);
                joint.half_angle.$iter().for_each(&mut each);
                joint.stale_half_angle.$iter().for_each(&mut each);
            }
            for offset in self.offsets.$iter() {
                offset.$parts().$iter().for_each(&mut each);
            }
            for pose in self.poses.$iter() {
                pose.spin.$parts().$iter().for_each(&mut each);
                pose.origin.$parts().$iter().for_each(&mut each);
            }
            for point in self.manifolds.$iter().flat_map(|manifold| manifold.points.$iter()) {
                point.local.$parts().$iter().for_each(&mut each);
                point.found_at.$parts().$iter().for_each(&mut each);
                point.position.$parts().$iter().for_each(&mut each);
            }
        }
    };
}

impl<A: Algebra, R: Real> State<A, R> {
    visitor!(visit, iter, as_ref, &);
    visitor!(visit_mut, iter_mut, as_mut, &mut);
}
