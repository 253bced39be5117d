//! What changes in a world from step to step.

use crate::algebra::Algebra;
use crate::manifold::Manifold;
use crate::simd::Real;
use crate::tree::{Axis, Tree};
use crate::vector::{Quaternion, Vector};

/// Everything that later steps and readers depend on, of all lanes.
///
/// Link poses are those at the start of the last substep, as Bullet's server reports them; the base's and the joints' are current.
pub(crate) struct State<A: Algebra, R: Real> {
    pub(crate) base_position: Vector<R>,
    /// From the world's frame to the base's.
    pub(crate) base_rotation: Quaternion<R>,
    /// Spin and velocity of the base (where it can have them), then of each joint.
    pub(crate) velocity: Vec<R>,
    pub(crate) joints: Vec<JointLanes<R>>,
    /// From each link's parent's centre of mass to its own, in its own frame.
    pub(crate) offsets: Vec<A::Point<R>>,
    pub(crate) poses: Vec<LinkPose<A, R>>,
    /// The base's rotation when the poses were taken.
    pub(crate) seen_base: Quaternion<R>,
    pub(crate) manifolds: Vec<Manifold<A, R>>,
}

/// A joint in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct JointLanes<R> {
    pub(crate) position: R,
    pub(crate) torque: R,
    /// Sine (over the length of the axis) and cosine of half the negative angle.
    pub(crate) half_turn: [R; 2],
    /// The same when the poses were taken.
    pub(crate) seen_half_turn: [R; 2],
}

/// A link as it was at the start of the last substep: `spin` takes the world's frame to its own.
#[derive(Clone, Copy)]
pub(crate) struct LinkPose<A: Algebra, R: Real> {
    pub(crate) spin: A::Spin<R>,
    pub(crate) origin: A::Point<R>,
}

/// A lane of a [`State`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LaneState {
    numbers: Vec<f64>,
    counts: Vec<u8>,
}

impl LaneState {
    /// Whether two are states of bodies with as many joints, links and shapes.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.numbers.len(), self.counts.len()) == (other.numbers.len(), other.counts.len())
    }
}

impl<A: Algebra, R: Real> State<A, R> {
    /// At rest with all joints at zero.
    pub(crate) fn new(tree: &Tree) -> Self {
        let zero = R::zero();
        // The inverse of the identity, with the signs that Bullet gives its zeros.
        let base_rotation = [-zero, -zero, -zero, R::splat(1.0)];
        let half_turn = [zero, R::splat(1.0)];
        let joint =
            JointLanes { position: zero, torque: zero, half_turn, seen_half_turn: half_turn };
        let origin = A::point([0.0; 3]);
        let mut state = State {
            base_position: tree.base_position.map(R::splat),
            base_rotation,
            velocity: vec![zero; A::BASE + tree.joints],
            joints: vec![joint; tree.joints],
            offsets: vec![origin; tree.links.len()],
            poses: vec![LinkPose { spin: A::base_spin(base_rotation), origin }; tree.links.len()],
            seen_base: base_rotation,
            manifolds: tree.contacts.iter().map(|_| Manifold::new()).collect(),
        };
        state.update_offsets(tree);
        state.update_poses(tree);
        state
    }

    /// What follows from the joints' positions: their rotations, and where each link is in its parent's frame.
    #[inline(always)]
    pub(crate) fn update_offsets(&mut self, tree: &Tree) {
        for (link, offset) in tree.links.iter().zip(&mut self.offsets) {
            let (to_pivot, to_centre) = (A::point(link.to_pivot), A::point(link.to_centre));
            *offset = match link.joint {
                None => A::add(to_centre, to_pivot),
                Some(joint) => {
                    let lanes = &mut self.joints[joint.coordinate];
                    match joint.axis {
                        Axis::Slide { along } => {
                            A::add_scaled(A::add(to_centre, to_pivot), along, lanes.position)
                        }
                        Axis::Hinge { spin, length, .. } => {
                            let half = (-lanes.position) * R::splat(0.5);
                            let sine = half.map(f64::sin) / R::splat(length);
                            let cosine = half.map(f64::cos);
                            lanes.half_turn = [sine, cosine];
                            A::add(
                                to_centre,
                                A::rotate(A::hinge_spin(spin, sine, cosine), to_pivot),
                            )
                        }
                    }
                }
            };
        }
    }

    /// Forward kinematics: poses of all links from the base on.
    #[inline(always)]
    pub(crate) fn update_poses(&mut self, tree: &Tree) {
        self.seen_base = self.base_rotation;
        for joint in &mut self.joints {
            joint.seen_half_turn = joint.half_turn;
        }
        for (index, link) in tree.links.iter().enumerate() {
            let parent = self.node_pose(link.parent);
            let spin = match link.hinge() {
                Some((axis, coordinate)) => {
                    let [sine, cosine] = self.joints[coordinate].half_turn;
                    A::compose(A::hinge_spin(axis, sine, cosine), parent.spin)
                }
                None => parent.spin,
            };
            let offset = A::rotate(A::conjugate(spin), self.offsets[index]);
            self.poses[index] = LinkPose { spin, origin: A::add(parent.origin, offset) };
        }
    }

    /// Moves base and joints on by a substep.
    #[inline(always)]
    pub(crate) fn integrate(&mut self, tree: &Tree) {
        let State { base_position, base_rotation, velocity, joints, .. } = self;
        A::integrate_base(tree.time_step, velocity, base_position, base_rotation);
        for (joint, &velocity) in joints.iter_mut().zip(&velocity[A::BASE..]) {
            joint.position = joint.position + R::splat(tree.time_step) * velocity;
        }
        self.update_offsets(tree);
    }

    /// The pose of a link (as it was) or of the base (as it is).
    #[inline(always)]
    pub(crate) fn node_pose(&self, node: usize) -> LinkPose<A, R> {
        match node.checked_sub(1) {
            Some(link) => self.poses[link],
            None => LinkPose {
                spin: A::base_spin(self.base_rotation),
                origin: A::from_xyz(self.base_position),
            },
        }
    }

    /// Copies a lane's base and joint positions to a state of one lane.
    pub(crate) fn copy_place(&self, lane: usize, single: &mut State<A, f64>) {
        single.base_position = self.base_position.map(|part| part.lanes()[lane]);
        single.base_rotation = self.base_rotation.map(|part| part.lanes()[lane]);
        for (to, from) in single.joints.iter_mut().zip(&self.joints) {
            to.position = from.position.lanes()[lane];
        }
    }

    /// Puts what follows from base and joint positions back.
    pub(crate) fn put_poses(&mut self, lane: usize, single: &State<A, f64>) {
        put_lane(lane, &single.seen_base, &mut self.seen_base);
        for (from, to) in single.joints.iter().zip(&mut self.joints) {
            put_lane(lane, &from.half_turn, &mut to.half_turn);
            put_lane(lane, &from.seen_half_turn, &mut to.seen_half_turn);
        }
        for (from, to) in single.offsets.iter().zip(&mut self.offsets) {
            put_lane(lane, from.as_ref(), to.as_mut());
        }
        for (from, to) in single.poses.iter().zip(&mut self.poses) {
            put_lane(lane, from.spin.as_ref(), to.spin.as_mut());
            put_lane(lane, from.origin.as_ref(), to.origin.as_mut());
        }
    }

    /// Copies a lane out.
    pub(crate) fn save(&self, lane: usize, into: &mut LaneState) {
        into.numbers.clear();
        into.counts.clear();
        self.visit(|number| into.numbers.push(number.lanes()[lane]));
        into.counts.extend(self.manifolds.iter().map(|manifold| manifold.counts[lane]));
    }

    /// Puts a lane back that was saved from a state of the same body.
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

fn put_lane<R: Real>(lane: usize, from: &[f64], to: &mut [R]) {
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
            self.seen_base.$iter().for_each(&mut each);
            self.velocity.$iter().for_each(&mut each);
            for joint in self.joints.$iter() {
                each($($reference)+ joint.position);
                each($($reference)+ joint.torque);
                joint.half_turn.$iter().for_each(&mut each);
                joint.seen_half_turn.$iter().for_each(&mut each);
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
                point.on_floor.$parts().$iter().for_each(&mut each);
                point.position.$parts().$iter().for_each(&mut each);
            }
        }
    };
}

impl<A: Algebra, R: Real> State<A, R> {
    visitor!(visit, iter, as_ref, &);
    visitor!(visit_mut, iter_mut, as_mut, &mut);
}
