//! The lanes of a world, generic over algebra and instruction set.

use crate::algebra::{Algebra, Pose};
use crate::dynamics::Dynamics;
use crate::multibody::{Axis, MultiBody};
use crate::simd::{Kernel, Real};
use crate::solver::Solver;
use crate::state::{LaneState, LinkPose, State};
use crate::vector::{
    Matrix, Quaternion, Vector, add, apply, compose, conjugate, cross, matrix, neg, rotate, scale,
};

/// The interface between [`crate::World`] and its lanes, for any algebra and instruction set.
pub(crate) trait DynLaneGroup: Send {
    fn multibody(&self) -> &MultiBody;
    fn count(&self) -> usize;
    /// One `time_step` in the lanes of `active`.
    fn step(&mut self, active: u8);
    fn set_joint(&mut self, lane: usize, coordinate: usize, position: f64, velocity: f64);
    /// Recomputes poses after joints were set.
    fn update(&mut self, lane: usize);
    fn add_torque(&mut self, lane: usize, coordinate: usize, torque: f64);
    fn joint(&self, lane: usize, coordinate: usize) -> [f64; 2];
    /// World positions of all links' centers of mass, in order.
    fn positions(&self, lane: usize, into: &mut [Vector<f64>]);
    fn motion(&self, lane: usize, node: usize) -> Motion;
    fn touches(&self, lane: usize, node: usize) -> bool;
    fn save(&self, lane: usize, into: &mut LaneState);
    fn restore(&mut self, lane: usize, from: &LaneState);
}

/// Where a node is and how it moves.
pub(crate) struct Motion {
    pub(crate) position: Vector<f64>,
    /// From the frame of the node to the world's.
    pub(crate) rotation: Matrix<f64>,
    /// In the world's frame, of the center of mass.
    pub(crate) velocity: Vector<f64>,
}

pub(crate) struct LaneGroup<A: Algebra, R: Real> {
    multibody: MultiBody,
    state: State<A, R>,
    dynamics: Dynamics<A, R>,
    solver: Solver<A, R>,
    /// Working memory for the update of a single lane.
    single: State<A, f64>,
    kept: Vec<LaneState>,
}

impl<A: Algebra, R: Real> LaneGroup<A, R> {
    pub(crate) fn new(multibody: MultiBody) -> Self {
        LaneGroup {
            state: State::new(&multibody),
            dynamics: Dynamics::new(&multibody),
            solver: Solver::new(&multibody),
            single: State::new(&multibody),
            kept: vec![LaneState::default(); R::LANES],
            multibody,
        }
    }

    fn is_still(active: u8, lane: usize) -> bool {
        active >> lane & 1 == 0
    }
}

/// The first half of a substep: poses, contacts, accelerations.
struct UnconstrainedStep<'a, A: Algebra, R: Real> {
    group: &'a mut LaneGroup<A, R>,
    active: u8,
}

impl<A: Algebra, R: Real> Kernel for UnconstrainedStep<'_, A, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let LaneGroup { multibody, state, dynamics, .. } = self.group;
        state.forward_kinematics(multibody);
        for (index, collider) in multibody.colliders.iter().enumerate() {
            let LinkPose { spin, origin } = state.node_pose(collider.node);
            let pose = Pose { rotation: A::rotation(A::conjugate(spin)), origin };
            state.manifolds[index].update(collider, &pose, self.active);
        }
        dynamics.step_velocities(multibody, state);
    }
}

/// The second half of a substep: impulses, integration.
struct ConstrainedStep<'a, A: Algebra, R: Real> {
    group: &'a mut LaneGroup<A, R>,
    active: u8,
}

impl<A: Algebra, R: Real> Kernel for ConstrainedStep<'_, A, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let LaneGroup { multibody, state, dynamics, solver, .. } = self.group;
        solver.solve(multibody, state, dynamics, self.active);
        state.step_positions(multibody);
    }
}

impl<A: Algebra, R: Real> DynLaneGroup for LaneGroup<A, R> {
    fn multibody(&self) -> &MultiBody {
        &self.multibody
    }

    fn count(&self) -> usize {
        R::LANES
    }

    fn step(&mut self, active: u8) {
        for lane in (0..R::LANES).filter(|&lane| Self::is_still(active, lane)) {
            self.state.save(lane, &mut self.kept[lane]);
        }
        // Two kernels, because one function of this length takes the compiler far longer.
        for _ in 0..self.multibody.substeps {
            R::enter(UnconstrainedStep { group: self, active });
            R::enter(ConstrainedStep { group: self, active });
        }
        for joint in &mut self.state.joints {
            joint.torque = R::zero();
        }
        for lane in (0..R::LANES).filter(|&lane| Self::is_still(active, lane)) {
            self.state.restore(lane, &self.kept[lane]);
        }
    }

    fn set_joint(&mut self, lane: usize, coordinate: usize, position: f64, velocity: f64) {
        self.state.joints[coordinate].position.lanes_mut()[lane] = position;
        self.state.velocity[A::BASE + coordinate].lanes_mut()[lane] = velocity;
    }

    fn update(&mut self, lane: usize) {
        self.state.copy_configuration(lane, &mut self.single);
        self.single.update_link_cache(&self.multibody);
        self.single.forward_kinematics(&self.multibody);
        self.state.write_poses(lane, &self.single);
    }

    fn add_torque(&mut self, lane: usize, coordinate: usize, torque: f64) {
        self.state.joints[coordinate].torque.lanes_mut()[lane] += torque;
    }

    fn joint(&self, lane: usize, coordinate: usize) -> [f64; 2] {
        let velocity = &self.state.velocity[A::BASE + coordinate];
        [self.state.joints[coordinate].position.lanes()[lane], velocity.lanes()[lane]]
    }

    fn positions(&self, lane: usize, into: &mut [Vector<f64>]) {
        for (position, pose) in into.iter_mut().zip(&self.state.poses) {
            *position = A::lane_xyz(pose.origin, lane);
        }
    }

    /// Combines current velocities with the poses at the start of the last substep, as Bullet's
    /// server does (`PhysicsServerCommandProcessor::processRequestActualStateCommand`).
    fn motion(&self, lane: usize, node: usize) -> Motion {
        let base = |i: usize| match A::BASE {
            0 => 0.0,
            _ => self.state.velocity[i].lanes()[lane],
        };
        let spin = self.state.base_rotation.map(|part| part.lanes()[lane]);
        let Some(link) = node.checked_sub(1) else {
            return Motion {
                position: self.state.base_position.map(|part| part.lanes()[lane]),
                rotation: matrix(conjugate(spin)),
                velocity: [base(3), base(4), base(5)],
            };
        };
        let motion =
            [rotate(spin, [base(0), base(1), base(2)]), rotate(spin, [base(3), base(4), base(5)])];
        let rotation = matrix(conjugate(self.stale_rotation(lane, node)));
        Motion {
            position: A::lane_xyz(self.state.poses[link].origin, lane),
            rotation,
            velocity: apply(rotation, self.local_velocity(lane, node, motion)[1]),
        }
    }

    fn touches(&self, lane: usize, node: usize) -> bool {
        let mut shapes = self.multibody.colliders.iter().zip(&self.state.manifolds);
        shapes.any(|(collider, manifold)| collider.node == node && manifold.counts[lane] != 0)
    }

    fn save(&self, lane: usize, into: &mut LaneState) {
        self.state.save(lane, into);
    }

    fn restore(&mut self, lane: usize, from: &LaneState) {
        self.state.restore(lane, from);
    }
}

impl<A: Algebra, R: Real> LaneGroup<A, R> {
    /// The rotation from the world's frame to a node's at the start of the last substep.
    ///
    /// It is computed in three dimensions, also for planar bodies: a roll of −0 must stay −0.
    fn stale_rotation(&self, lane: usize, node: usize) -> Quaternion<f64> {
        let Some(link) = node.checked_sub(1) else {
            return self.state.stale_base_rotation.map(|part| part.lanes()[lane]);
        };
        let parent = self.stale_rotation(lane, self.multibody.links[link].parent);
        compose(self.joint_rotation(lane, link, |joint| joint.stale_half_angle), parent)
    }

    /// The rotation from a link's parent's frame to its own.
    fn joint_rotation(
        &self,
        lane: usize,
        link: usize,
        half_angle: impl Fn(&crate::state::JointLanes<R>) -> [R; 2],
    ) -> Quaternion<f64> {
        let still = [0.0, 0.0, 0.0, 1.0];
        match self.multibody.links[link].revolute() {
            None => still,
            Some((axis, coordinate)) => {
                let half_angle = half_angle(&self.state.joints[coordinate]);
                let [sine, cosine] = half_angle.map(|part| part.lanes()[lane]);
                let [x, y, z] = scale(axis, sine);
                compose([x, y, z, cosine], still)
            }
        }
    }

    /// Angular and linear velocity of a node in its own frame:
    /// `btMultiBody::compTreeLinkVelocities`.
    fn local_velocity(&self, lane: usize, node: usize, base: [Vector<f64>; 2]) -> [Vector<f64>; 2] {
        let Some(index) = node.checked_sub(1) else { return base };
        let link = &self.multibody.links[index];
        let [spin, linear] = self.local_velocity(lane, link.parent, base);
        let rotation = matrix(self.joint_rotation(lane, index, |joint| joint.half_angle));
        let offset = A::lane_xyz(self.state.offsets[index], lane);
        let spin = apply(rotation, spin);
        let linear = add(neg(cross(offset, spin)), apply(rotation, linear));
        let Some(joint) = &link.joint else { return [spin, linear] };
        let speed = self.state.velocity[A::BASE + joint.coordinate].lanes()[lane];
        let (own_spin, center_velocity) = match joint.axis {
            Axis::Prismatic { direction } => ([0.0; 3], direction),
            Axis::Revolute { spin, center_velocity, .. } => {
                (spin, center_velocity.unwrap_or_default())
            }
        };
        [add(spin, scale(own_spin, speed)), add(linear, scale(center_velocity, speed))]
    }
}
