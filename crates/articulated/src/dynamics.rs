//! Featherstone's articulated-body algorithm: the accelerations that forces, torques and velocities cause.
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, chapter 7; in the form of B. Mirtich, *Impulse-based Dynamic
//! Simulation of Rigid Body Systems*, Berkeley 1996, chapter 4, which Bullet's `btMultiBody` follows. Symbols are theirs: Z is the force
//! that a subtree needs in order not to accelerate, I its inertia, h = I s the inertia felt along a joint's axis s, d = sᵀ h.

use crate::algebra::Algebra;
use crate::multibody::MultiBody;
use crate::simd::Real;
use crate::state::State;

/// No coordinate of the velocity gets faster than this.
const MAX_COORDINATE_VELOCITY: f64 = 100.0;

/// What the passes leave behind for each other, and for the answers to impulses.
pub(crate) struct Dynamics<A: Algebra, R: Real> {
    /// Of the base and each link.
    pub(crate) nodes: Vec<Node<A, R>>,
    pub(crate) joints: Vec<Joint<A, R>>,
    pub(crate) base_inverse: A::InverseInertia<R>,
    acceleration: Vec<R>,
}

#[derive(Clone, Copy)]
pub(crate) struct Node<A: Algebra, R: Real> {
    /// The rotation from the parent's frame (the world's, for the base). Only hinges and the base have one.
    pub(crate) turn: A::Rotation<R>,
    /// The world's vertical.
    up: A::Point<R>,
    velocity: A::Motion<R>,
    coriolis: A::Motion<R>,
    acceleration: A::Motion<R>,
    /// Z.
    force: A::Force<R>,
    inertia: A::Inertia<R>,
}

#[derive(Clone, Copy)]
pub(crate) struct Joint<A: Algebra, R: Real> {
    /// h.
    pub(crate) axis_inertia: A::Force<R>,
    /// 1 / d.
    pub(crate) inverse: R,
    /// Torque less what Z and Coriolis forces take of it.
    net_torque: R,
}

impl<A: Algebra, R: Real> Dynamics<A, R> {
    pub(crate) fn new(multibody: &MultiBody) -> Self {
        let node = Node {
            turn: A::turn(A::base_orientation([R::zero(), R::zero(), R::zero(), R::splat(1.0)])),
            up: A::point([0.0; 3]),
            velocity: A::zero_motion(),
            coriolis: A::zero_motion(),
            acceleration: A::zero_motion(),
            force: A::zero_force(),
            inertia: A::rigid_inertia(&multibody.base),
        };
        let joint =
            Joint { axis_inertia: A::zero_force(), inverse: R::zero(), net_torque: R::zero() };
        Dynamics {
            nodes: vec![node; multibody.links.len() + 1],
            joints: vec![joint; multibody.joints],
            base_inverse: A::invert_base_inertia(multibody, A::rigid_inertia(&multibody.base)),
            acceleration: vec![R::zero(); A::BASE + multibody.joints],
        }
    }

    /// Changes the velocity by a substep of forces.
    #[inline(always)]
    pub(crate) fn step_velocities(&mut self, multibody: &MultiBody, state: &mut State<A, R>) {
        self.forward_pass(multibody, state);
        self.articulated_inertia_pass(multibody, state);
        self.acceleration_pass(multibody, state);
        self.integrate_acceleration(multibody, state);
    }

    /// From the base to the ends: velocities, and each link's own inertia and Z.
    #[inline(always)]
    fn forward_pass(&mut self, multibody: &MultiBody, state: &State<A, R>) {
        let base = &mut self.nodes[0];
        base.turn = A::turn(A::base_orientation(state.base_rotation));
        base.velocity = A::base_velocity(base.turn, &state.velocity);
        base.up = A::base_up(base.turn);
        if !multibody.fixed {
            base.force = A::bias_force(
                &multibody.base,
                multibody.gravity * multibody.base.mass,
                base.up,
                base.velocity,
            );
            base.inertia = A::rigid_inertia(&multibody.base);
        }
        for (index, link) in multibody.links.iter().enumerate() {
            let Node { velocity, up, .. } = self.nodes[link.parent];
            let node = &mut self.nodes[index + 1];
            (node.velocity, node.up) = (velocity, up);
            if let Some((axis, coordinate)) = link.revolute() {
                let [sine, cosine] = state.joints[coordinate].half_angle;
                node.turn = A::revolute_rotation(axis, sine, cosine);
                node.velocity = A::rotate_motion(node.turn, velocity);
                node.up = A::rotate_point(node.turn, up);
            }
            node.velocity = A::translate_motion(state.offsets[index], node.velocity);
            if let Some(joint) = &link.joint {
                let speed = state.velocity[A::BASE + joint.coordinate];
                node.velocity = A::add_joint(node.velocity, &joint.axis, speed);
                node.coriolis = A::coriolis(node.velocity, &joint.axis, speed);
            }
            node.inertia = A::rigid_inertia(&link.body);
            node.force = if link.body.mass == 0.0 {
                A::zero_force()
            } else {
                A::bias_force(
                    &link.body,
                    multibody.gravity * link.body.mass,
                    node.up,
                    node.velocity,
                )
            };
        }
    }

    /// From the ends to the base: inertia and Z of each subtree.
    #[inline(always)]
    fn articulated_inertia_pass(&mut self, multibody: &MultiBody, state: &State<A, R>) {
        for (index, link) in multibody.links.iter().enumerate().rev() {
            let Node { turn, coriolis, mut force, mut inertia, .. } = self.nodes[index + 1];
            if let Some(joint) = &link.joint {
                let h = A::times_axis(inertia, &joint.axis);
                let d = A::joint_component(&joint.axis, h);
                let inverse = R::select(d.ge(R::splat(f64::EPSILON)), R::splat(1.0) / d, R::zero());
                let net_torque = state.joints[joint.coordinate].torque
                    - A::joint_component(&joint.axis, force)
                    - A::dot(coriolis, h);
                self.joints[joint.coordinate] = Joint { axis_inertia: h, inverse, net_torque };
                force = A::add_force(force, A::times(inertia, coriolis));
                force = A::add_scaled_force(force, h, inverse * net_torque);
                inertia = A::without_joint(inertia, h, inverse);
            }
            if link.parent == 0 && multibody.fixed {
                continue;
            }
            let offset = state.offsets[index];
            inertia = A::translate_inertia(offset, inertia);
            force = A::translate_force(offset, force);
            if link.revolute().is_some() {
                inertia = A::rotate_inertia_back(turn, inertia);
                force = A::rotate_force_back(turn, force);
            }
            let parent = &mut self.nodes[link.parent];
            parent.inertia = A::add_inertia(parent.inertia, inertia);
            parent.force = A::add_force(parent.force, force);
        }
        let base = &self.nodes[0];
        self.base_inverse = A::invert_base_inertia(multibody, base.inertia);
    }

    /// From the base to the ends: accelerations.
    #[inline(always)]
    fn acceleration_pass(&mut self, multibody: &MultiBody, state: &State<A, R>) {
        let base = &mut self.nodes[0];
        base.acceleration = A::solve_base(&self.base_inverse, base.force);
        let seen = A::classical_acceleration(base.acceleration, base.velocity);
        A::base_coordinates(base.turn, seen, &mut self.acceleration);
        for (index, link) in multibody.links.iter().enumerate() {
            if link.fixed_leaf {
                continue;
            }
            let mut acceleration = self.nodes[link.parent].acceleration;
            let node = &mut self.nodes[index + 1];
            if link.revolute().is_some() {
                acceleration = A::rotate_motion(node.turn, acceleration);
            }
            acceleration = A::translate_motion(state.offsets[index], acceleration);
            if let Some(joint) = &link.joint {
                let Joint { axis_inertia, inverse, net_torque } = self.joints[joint.coordinate];
                let own = inverse * (net_torque - A::dot(acceleration, axis_inertia));
                self.acceleration[A::BASE + joint.coordinate] = own;
                acceleration = A::add_motion(acceleration, node.coriolis);
                acceleration = A::add_joint(acceleration, &joint.axis, own);
            }
            node.acceleration = acceleration;
        }
    }

    /// A world in which a number is no longer finite is not a number from here on, in all of its coordinates.
    #[inline(always)]
    fn integrate_acceleration(&mut self, multibody: &MultiBody, state: &mut State<A, R>) {
        let mut nan_if_diverged = R::zero();
        for &acceleration in &self.acceleration {
            nan_if_diverged = nan_if_diverged + acceleration * R::zero();
        }
        let dt = R::splat(multibody.time_step);
        for (velocity, &acceleration) in state.velocity.iter_mut().zip(&self.acceleration) {
            *velocity = clamp(*velocity + acceleration * dt) + nan_if_diverged;
        }
    }
}

/// Keeps a velocity within [`MAX_COORDINATE_VELOCITY`]; what is not a number stays so.
#[inline(always)]
pub(crate) fn clamp<R: Real>(velocity: R) -> R {
    R::splat(MAX_COORDINATE_VELOCITY).smaller(R::splat(-MAX_COORDINATE_VELOCITY).larger(velocity))
}
