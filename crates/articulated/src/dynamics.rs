//! Featherstone's articulated-body algorithm: accelerations from forces, torques and velocities.
//!
//! Mirrors `btMultiBody::computeAccelerationsArticulatedBodyAlgorithmMultiDof`. Each pass below is
//! one loop of that function.
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, chapter 7; in the form of B.
//! Mirtich, *Impulse-based Dynamic Simulation of Rigid Body Systems*, Berkeley 1996, chapter 4,
//! which `btMultiBody` follows. Symbols are theirs: Z is the force that keeps a subtree from
//! accelerating (`zeroAccSpatFrc`), I its articulated inertia (`spatInertia`), h = I s the inertia
//! along a joint's axis s (`h`), d = sᵀ h (`D`).

use crate::algebra::Algebra;
use crate::multibody::MultiBody;
use crate::simd::Real;
use crate::state::State;

/// `btMultiBody::m_maxCoordinateVelocity`: each velocity coordinate is clamped to this magnitude.
const MAX_COORDINATE_VELOCITY: f64 = 100.0;

/// Intermediate results, shared by the passes and reused by [`crate::response::Response`].
pub(crate) struct Dynamics<A: Algebra, R: Real> {
    /// The base, then each link.
    pub(crate) nodes: Vec<Node<A, R>>,
    pub(crate) joints: Vec<Joint<A, R>>,
    pub(crate) base_inverse: A::InverseInertia<R>,
    acceleration: Vec<R>,
}

#[derive(Clone, Copy)]
pub(crate) struct Node<A: Algebra, R: Real> {
    /// `rot_from_parent`: from the parent's frame, or from the world's for the base. Valid only for
    /// revolute joints and the base.
    pub(crate) rotation: A::Rotation<R>,
    /// The world's vertical axis in the frame of the node.
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
    /// Mirtich's u = torque − sᵀ Z − hᵀ c (`Y`), with the Coriolis acceleration c.
    net_torque: R,
}

impl<A: Algebra, R: Real> Dynamics<A, R> {
    pub(crate) fn new(multibody: &MultiBody) -> Self {
        let node = Node {
            rotation: A::rotation(A::base_orientation([
                R::zero(),
                R::zero(),
                R::zero(),
                R::splat(1.0),
            ])),
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

    /// Integrates the accelerations of one substep into the velocities.
    #[inline(always)]
    pub(crate) fn step_velocities(&mut self, multibody: &MultiBody, state: &mut State<A, R>) {
        self.forward_pass(multibody, state);
        self.articulated_inertia_pass(multibody, state);
        self.acceleration_pass(multibody, state);
        self.integrate_acceleration(multibody, state);
    }

    /// From the base to the leaves: velocities, Coriolis accelerations, and each link's own inertia
    /// and Z.
    ///
    /// Bullet's first loop. Bullet multiplies with the identity for prismatic and fixed joints;
    /// skipping that product keeps the bits.
    #[inline(always)]
    fn forward_pass(&mut self, multibody: &MultiBody, state: &State<A, R>) {
        let base = &mut self.nodes[0];
        base.rotation = A::rotation(A::base_orientation(state.base_rotation));
        base.velocity = A::base_velocity(base.rotation, &state.velocity);
        base.up = A::base_up(base.rotation);
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
                node.rotation = A::revolute_rotation(axis, sine, cosine);
                node.velocity = A::rotate_motion(node.rotation, velocity);
                node.up = A::rotate_point(node.rotation, up);
            }
            // Rotate first, then translate, then add the joint: the order of
            // `SpatialTransformationMatrix::transform` followed by `spatVel += spatJointVel`.
            node.velocity = A::translate_motion(state.offsets[index], node.velocity);
            if let Some(joint) = &link.joint {
                let speed = state.velocity[A::BASE + joint.coordinate];
                node.velocity = A::add_joint(node.velocity, &joint.axis, speed);
                // c uses the velocity that already includes the joint's own.
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

    /// From the leaves to the base: articulated inertia and Z of each subtree.
    ///
    /// Bullet's second loop. It visits links in reverse order, so the children of a link add to it
    /// from the last to the first; another order changes the sums.
    #[inline(always)]
    fn articulated_inertia_pass(&mut self, multibody: &MultiBody, state: &State<A, R>) {
        for (index, link) in multibody.links.iter().enumerate().rev() {
            let Node { rotation, coriolis, mut force, mut inertia, .. } = self.nodes[index + 1];
            if let Some(joint) = &link.joint {
                let h = A::times_axis(inertia, &joint.axis);
                let d = A::joint_component(&joint.axis, h);
                let inverse = R::select(d.ge(R::splat(f64::EPSILON)), R::splat(1.0) / d, R::zero());
                // Two subtractions in this order: (torque − sᵀ Z) − cᵀ h.
                let net_torque = state.joints[joint.coordinate].torque
                    - A::joint_component(&joint.axis, force)
                    - A::dot(coriolis, h);
                self.joints[joint.coordinate] = Joint { axis_inertia: h, inverse, net_torque };
                // Z + I c uses the inertia before the joint is projected out of it.
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
                inertia = A::rotate_inertia_back(rotation, inertia);
                force = A::rotate_force_back(rotation, force);
            }
            let parent = &mut self.nodes[link.parent];
            parent.inertia = A::add_inertia(parent.inertia, inertia);
            parent.force = A::add_force(parent.force, force);
        }
        let base = &self.nodes[0];
        self.base_inverse = A::invert_base_inertia(multibody, base.inertia);
    }

    /// From the base to the leaves: accelerations. Bullet's third loop.
    #[inline(always)]
    fn acceleration_pass(&mut self, multibody: &MultiBody, state: &State<A, R>) {
        let base = &mut self.nodes[0];
        base.acceleration = A::solve_base(&self.base_inverse, base.force);
        let seen = A::classical_acceleration(base.acceleration, base.velocity);
        A::base_coordinates(base.rotation, seen, &mut self.acceleration);
        for (index, link) in multibody.links.iter().enumerate() {
            if link.fixed_leaf {
                continue;
            }
            let mut acceleration = self.nodes[link.parent].acceleration;
            let node = &mut self.nodes[index + 1];
            if link.revolute().is_some() {
                acceleration = A::rotate_motion(node.rotation, acceleration);
            }
            acceleration = A::translate_motion(state.offsets[index], acceleration);
            if let Some(joint) = &link.joint {
                let Joint { axis_inertia, inverse, net_torque } = self.joints[joint.coordinate];
                let own = inverse * (net_torque - A::dot(acceleration, axis_inertia));
                self.acceleration[A::BASE + joint.coordinate] = own;
                // The joint's acceleration is computed from the parent's motion alone; c is added
                // after.
                acceleration = A::add_motion(acceleration, node.coriolis);
                acceleration = A::add_joint(acceleration, &joint.axis, own);
            }
            node.acceleration = acceleration;
        }
    }

    /// `btMultiBody::applyDeltaVeeMultiDof(acceleration, dt)`: integrates and clamps.
    ///
    /// If one acceleration is not finite, all coordinates become NaN. Bullet reaches that state
    /// through products of infinity and zero, which the sparse algebra here leaves out.
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

/// Clamps a velocity to ±[`MAX_COORDINATE_VELOCITY`] (`btClamp`). NaN stays NaN: the comparisons of
/// `larger` and `smaller` then return their second argument.
#[inline(always)]
pub(crate) fn clamp<R: Real>(velocity: R) -> R {
    R::splat(MAX_COORDINATE_VELOCITY).smaller(R::splat(-MAX_COORDINATE_VELOCITY).larger(velocity))
}
