//! The change of a body's velocity by an impulse at a contact or a joint.
//!
//! Impulses of different lanes may act on different links. A [`LinkChain`] is the union of the
//! links between those and the base. If a link is not on the chain of a lane, that lane's entry is
//! exactly zero.

use crate::algebra::Algebra;
use crate::dynamics::Dynamics;
use crate::multibody::{Bits, MultiBody};
use crate::simd::Real;
use crate::state::State;

/// The links between the base and the link that an impulse acts on, for each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkChain {
    /// Bit `i`: link `i` is on the chain of a lane.
    pub(crate) links: u64,
    /// The chain of each lane, unless all are equal.
    lanes: Option<[u64; 8]>,
}

impl LinkChain {
    /// Creates the union of the chains of the lanes in `valid`.
    #[inline(always)]
    pub(crate) fn new(chains: &[u64; 8], valid: u8) -> LinkChain {
        let lanes = (0..8).filter(|lane| valid >> lane & 1 != 0);
        let links = lanes.clone().fold(0, |links, lane| links | chains[lane]);
        let same = lanes.clone().all(|lane| chains[lane] == links);
        LinkChain { links, lanes: (!same).then_some(*chains) }
    }

    /// Replaces `x` by zero in the lanes whose chain does not contain the link.
    #[inline(always)]
    fn only<R: Real>(&self, link: usize, x: R) -> R {
        match &self.lanes {
            None => x,
            Some(chains) => {
                let on =
                    (0..R::LANES).fold(0, |bits, i| bits | ((chains[i] >> link & 1) as u8) << i);
                R::select(R::mask(on), x, R::zero())
            }
        }
    }

    /// Whether two links of the chain may have the same parent, so that their forces must be added.
    #[inline(always)]
    fn branches(&self) -> bool {
        self.lanes.is_some()
    }
}

/// Working memory of the passes over the body.
pub(crate) struct Response<A: Algebra, R: Real> {
    frames: Vec<A::ContactFrame<R>>,
    passed: Vec<[A::Force<R>; 3]>,
    motions: Vec<[A::Motion<R>; 3]>,
    net_torques: Vec<[R; 3]>,
}

impl<A: Algebra, R: Real> Response<A, R> {
    pub(crate) fn new(multibody: &MultiBody) -> Self {
        let nodes = multibody.links.len() + 1;
        let rotation =
            A::rotation(A::base_orientation([R::zero(), R::zero(), R::zero(), R::splat(1.0)]));
        let mut rows = vec![R::zero(); 3 * multibody.coordinates()];
        let origin = [R::zero(); 3];
        let frame = A::contact_frame(
            origin,
            rotation,
            A::from_xyz(origin),
            &mut rows,
            multibody.coordinates(),
        );
        Response {
            frames: vec![frame; nodes],
            passed: vec![[A::zero_force(); 3]; nodes],
            motions: vec![[A::zero_motion(); 3]; nodes],
            net_torques: vec![[R::zero(); 3]; multibody.joints],
        }
    }

    /// Computes the Jacobian of a contact point: one row for the normal and one per friction
    /// direction.
    ///
    /// Mirrors `btMultiBody::fillConstraintJacobianMultiDof`. The point and the directions are
    /// carried from the base to the link, one joint at a time; transforming them from the world's
    /// frame directly would round differently.
    #[inline(always)]
    pub(crate) fn contact_jacobian(
        &mut self,
        (multibody, state, dynamics): (&MultiBody, &State<A, R>, &Dynamics<A, R>),
        at: A::Point<R>,
        chain: &LinkChain,
        jacobian: &mut [R],
    ) {
        let stride = A::BASE + multibody.joints;
        for rate in jacobian.iter_mut() {
            *rate = R::zero();
        }
        let rotation = dynamics.nodes[0].rotation;
        let mut frame = A::contact_frame(state.base_position, rotation, at, jacobian, stride);
        self.frames[0] = frame;
        for index in Bits(chain.links) {
            let link = &multibody.links[index];
            if chain.branches() {
                frame = self.frames[link.parent];
            }
            if link.revolute().is_some() {
                frame = A::rotate_contact_frame(dynamics.nodes[index + 1].rotation, frame);
            }
            frame = A::translate_contact_frame(state.offsets[index], frame);
            if chain.branches() {
                self.frames[index + 1] = frame;
            }
            if let Some(joint) = &link.joint {
                let rates = A::joint_jacobian(&joint.axis, frame);
                for direction in 0..A::DIRECTIONS {
                    jacobian[direction * stride + A::BASE + joint.coordinate] =
                        chain.only(index, rates[direction]);
                }
            }
        }
    }

    /// Computes the velocity changes by unit impulses along `N` rows of a Jacobian: M⁻¹ Jᵀ.
    ///
    /// Mirrors `btMultiBody::calcAccelerationDeltasMultiDof`: the articulated-body algorithm with
    /// the inertias of the last pass and without velocities. Bullet visits all links on the way to
    /// the base; off the chain the force is exactly zero, so those links are skipped.
    #[inline(always)]
    pub(crate) fn compute<const N: usize>(
        &mut self,
        body: (&MultiBody, &State<A, R>, &Dynamics<A, R>),
        chain: &LinkChain,
        jacobian: &[R],
        response: &mut [R],
    ) {
        let (multibody, _, dynamics) = body;
        let stride = A::BASE + multibody.joints;
        let passed = if chain.branches() {
            self.branching_impulse_pass::<N>(body, chain, jacobian)
        } else {
            self.impulse_pass::<N>(body, chain, jacobian)
        };
        let rotation = dynamics.nodes[0].rotation;
        let mut motions = [A::zero_motion(); N];
        for row in 0..N {
            let (from, to) = (row * stride, (row + 1) * stride);
            let force = A::base_impulse(rotation, &jacobian[from..to], passed[row]);
            motions[row] = A::solve_base(&dynamics.base_inverse, force);
            A::base_coordinates(rotation, motions[row], &mut response[from..to]);
        }
        self.forward_pass(body, chain, motions, response);
    }

    /// Propagates forces along a chain, from the last link to the base.
    #[inline(always)]
    fn impulse_pass<const N: usize>(
        &mut self,
        body: (&MultiBody, &State<A, R>, &Dynamics<A, R>),
        chain: &LinkChain,
        jacobian: &[R],
    ) -> [A::Force<R>; N] {
        let mut forces = [A::zero_force(); N];
        for index in Bits(chain.links).rev() {
            self.propagate_to_parent(body, index, jacobian, &mut forces);
        }
        forces
    }

    /// The same for chains that differ between lanes: forces are added at common ancestors.
    #[inline(always)]
    fn branching_impulse_pass<const N: usize>(
        &mut self,
        body: (&MultiBody, &State<A, R>, &Dynamics<A, R>),
        chain: &LinkChain,
        jacobian: &[R],
    ) -> [A::Force<R>; N] {
        let mut base = [A::zero_force(); N];
        for index in Bits(chain.links) {
            self.passed[index + 1][..N].fill(A::zero_force());
        }
        for index in Bits(chain.links).rev() {
            let mut forces = [A::zero_force(); N];
            forces.copy_from_slice(&self.passed[index + 1][..N]);
            self.propagate_to_parent(body, index, jacobian, &mut forces);
            let parent = match body.0.links[index].parent {
                0 => &mut base[..],
                node => &mut self.passed[node][..N],
            };
            for (sum, force) in parent.iter_mut().zip(forces) {
                *sum = A::add_force(*sum, force);
            }
        }
        base
    }

    /// Transforms a link's forces to its parent, without the part that its joint absorbs.
    #[inline(always)]
    fn propagate_to_parent<const N: usize>(
        &mut self,
        (multibody, state, dynamics): (&MultiBody, &State<A, R>, &Dynamics<A, R>),
        index: usize,
        jacobian: &[R],
        forces: &mut [A::Force<R>; N],
    ) {
        let stride = A::BASE + multibody.joints;
        let link = &multibody.links[index];
        if let Some(joint) = &link.joint {
            let own = &dynamics.joints[joint.coordinate];
            for row in 0..N {
                let net_torque = jacobian[row * stride + A::BASE + joint.coordinate]
                    - A::joint_component(&joint.axis, forces[row]);
                self.net_torques[joint.coordinate][row] = net_torque;
                forces[row] =
                    A::add_scaled_force(forces[row], own.axis_inertia, own.inverse * net_torque);
            }
        }
        let offset = state.offsets[index];
        for force in forces.iter_mut() {
            *force = A::translate_force(offset, *force);
        }
        if link.revolute().is_some() {
            let rotation = dynamics.nodes[index + 1].rotation;
            for force in forces {
                *force = A::rotate_force_back(rotation, *force);
            }
        }
    }

    /// From the base to the leaves: joint velocity changes, for all links and not only for the
    /// chain.
    #[inline(always)]
    fn forward_pass<const N: usize>(
        &mut self,
        (multibody, state, dynamics): (&MultiBody, &State<A, R>, &Dynamics<A, R>),
        chain: &LinkChain,
        mut motions: [A::Motion<R>; N],
        response: &mut [R],
    ) {
        let stride = A::BASE + multibody.joints;
        self.motions[0][..N].copy_from_slice(&motions);
        let mut at = 0;
        for (index, link) in multibody.links.iter().enumerate() {
            if link.fixed_leaf {
                continue;
            }
            if link.parent != at {
                motions.copy_from_slice(&self.motions[link.parent][..N]);
            }
            at = index + 1;
            if link.revolute().is_some() {
                let rotation = dynamics.nodes[index + 1].rotation;
                for motion in &mut motions {
                    *motion = A::rotate_motion(rotation, *motion);
                }
            }
            let offset = state.offsets[index];
            for motion in &mut motions {
                *motion = A::translate_motion(offset, *motion);
            }
            if let Some(joint) = &link.joint {
                let own = &dynamics.joints[joint.coordinate];
                let pushed = chain.links >> index & 1 != 0;
                for row in 0..N {
                    let net_torque =
                        if pushed { self.net_torques[joint.coordinate][row] } else { R::zero() };
                    let speed = own.inverse * (net_torque - A::dot(motions[row], own.axis_inertia));
                    response[row * stride + A::BASE + joint.coordinate] = speed;
                    motions[row] = A::add_joint(motions[row], &joint.axis, speed);
                }
            }
            if link.branches {
                self.motions[index + 1][..N].copy_from_slice(&motions);
            }
        }
    }
}
