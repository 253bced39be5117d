//! Featherstone's articulated-body algorithm: the accelerations that forces, torques and velocities cause.
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, chapter 7; in the form of B. Mirtich, *Impulse-based Dynamic
//! Simulation of Rigid Body Systems*, Berkeley 1996, chapter 4, which Bullet's `btMultiBody` follows. Symbols are theirs: Z is the force
//! that a subtree needs in order not to accelerate, I its inertia, h = I s the inertia felt along a joint's axis s, d = sᵀ h.

use crate::algebra::Algebra;
use crate::simd::Real;
use crate::state::State;
use crate::tree::Tree;

/// No coordinate of the velocity gets faster than this.
const MOST_SPEED: f64 = 100.0;

/// What the passes leave behind for each other, and for the answers to impulses.
pub(crate) struct Dynamics<A: Algebra, R: Real> {
    /// Of the base and each link.
    pub(crate) nodes: Vec<Node<A, R>>,
    pub(crate) joints: Vec<Joint<A, R>>,
    pub(crate) root: A::Root<R>,
    acceleration: Vec<R>,
}

#[derive(Clone, Copy)]
pub(crate) struct Node<A: Algebra, R: Real> {
    /// The rotation from the parent's frame (the world's, for the base). Only hinges and the base have one.
    pub(crate) turn: A::Turn<R>,
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
    pub(crate) inertia_along: A::Force<R>,
    /// 1 / d.
    pub(crate) inverse: R,
    /// Torque less what Z and Coriolis forces take of it.
    effort: R,
}

impl<A: Algebra, R: Real> Dynamics<A, R> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let node = Node {
            turn: A::turn(A::base_spin([R::zero(), R::zero(), R::zero(), R::splat(1.0)])),
            up: A::point([0.0; 3]),
            velocity: A::still(),
            coriolis: A::still(),
            acceleration: A::still(),
            force: A::no_force(),
            inertia: A::rigid(&tree.base),
        };
        let joint = Joint { inertia_along: A::no_force(), inverse: R::zero(), effort: R::zero() };
        Dynamics {
            nodes: vec![node; tree.links.len() + 1],
            joints: vec![joint; tree.joints],
            root: A::root(tree, A::rigid(&tree.base)),
            acceleration: vec![R::zero(); A::BASE + tree.joints],
        }
    }

    /// Changes the velocity by a substep of forces.
    #[inline(always)]
    pub(crate) fn accelerate(&mut self, tree: &Tree, state: &mut State<A, R>) {
        self.move_up(tree, state);
        self.gather_down(tree, state);
        self.accelerate_up(tree, state);
        self.change_velocity(tree, state);
    }

    /// From the base to the ends: velocities, and each link's own inertia and Z.
    #[inline(always)]
    fn move_up(&mut self, tree: &Tree, state: &State<A, R>) {
        let base = &mut self.nodes[0];
        base.turn = A::turn(A::base_spin(state.base_rotation));
        base.velocity = A::base_velocity(base.turn, &state.velocity);
        base.up = A::base_up(base.turn);
        if !tree.fixed {
            base.force = A::bias(&tree.base, tree.gravity * tree.base.mass, base.up, base.velocity);
            base.inertia = A::rigid(&tree.base);
        }
        for (index, link) in tree.links.iter().enumerate() {
            let Node { velocity, up, .. } = self.nodes[link.parent];
            let node = &mut self.nodes[index + 1];
            (node.velocity, node.up) = (velocity, up);
            if let Some((axis, coordinate)) = link.hinge() {
                let [sine, cosine] = state.joints[coordinate].half_turn;
                node.turn = A::hinge_turn(axis, sine, cosine);
                node.velocity = A::turn_motion(node.turn, velocity);
                node.up = A::turn_point(node.turn, up);
            }
            node.velocity = A::shift_motion(state.offsets[index], node.velocity);
            if let Some(joint) = &link.joint {
                let speed = state.velocity[A::BASE + joint.coordinate];
                node.velocity = A::add_joint(node.velocity, &joint.axis, speed);
                node.coriolis = A::coriolis(node.velocity, &joint.axis, speed);
            }
            node.inertia = A::rigid(&link.body);
            node.force = if link.body.mass == 0.0 {
                A::no_force()
            } else {
                A::bias(&link.body, tree.gravity * link.body.mass, node.up, node.velocity)
            };
        }
    }

    /// From the ends to the base: inertia and Z of each subtree.
    #[inline(always)]
    fn gather_down(&mut self, tree: &Tree, state: &State<A, R>) {
        for (index, link) in tree.links.iter().enumerate().rev() {
            let Node { turn, coriolis, mut force, mut inertia, .. } = self.nodes[index + 1];
            if let Some(joint) = &link.joint {
                let h = A::times_axis(inertia, &joint.axis);
                let d = A::along(&joint.axis, h);
                let inverse = R::select(d.ge(R::splat(f64::EPSILON)), R::splat(1.0) / d, R::zero());
                let effort = state.joints[joint.coordinate].torque
                    - A::along(&joint.axis, force)
                    - A::dot(coriolis, h);
                self.joints[joint.coordinate] = Joint { inertia_along: h, inverse, effort };
                force = A::add_force(force, A::times(inertia, coriolis));
                force = A::add_scaled_force(force, h, inverse * effort);
                inertia = A::without_joint(inertia, h, inverse);
            }
            if link.parent == 0 && tree.fixed {
                continue;
            }
            let offset = state.offsets[index];
            inertia = A::shift_inertia(offset, inertia);
            force = A::shift_force(offset, force);
            if link.hinge().is_some() {
                inertia = A::turn_inertia_back(turn, inertia);
                force = A::turn_force_back(turn, force);
            }
            let parent = &mut self.nodes[link.parent];
            parent.inertia = A::add_inertia(parent.inertia, inertia);
            parent.force = A::add_force(parent.force, force);
        }
        let base = &self.nodes[0];
        self.root = A::root(tree, base.inertia);
    }

    /// From the base to the ends: accelerations.
    #[inline(always)]
    fn accelerate_up(&mut self, tree: &Tree, state: &State<A, R>) {
        let base = &mut self.nodes[0];
        base.acceleration = A::root_acceleration(&self.root, base.force);
        let seen = A::base_acceleration(base.acceleration, base.velocity);
        A::base_coordinates(base.turn, seen, &mut self.acceleration);
        for (index, link) in tree.links.iter().enumerate() {
            if link.ends {
                continue;
            }
            let mut acceleration = self.nodes[link.parent].acceleration;
            let node = &mut self.nodes[index + 1];
            if link.hinge().is_some() {
                acceleration = A::turn_motion(node.turn, acceleration);
            }
            acceleration = A::shift_motion(state.offsets[index], acceleration);
            if let Some(joint) = &link.joint {
                let Joint { inertia_along, inverse, effort } = self.joints[joint.coordinate];
                let own = inverse * (effort - A::dot(acceleration, inertia_along));
                self.acceleration[A::BASE + joint.coordinate] = own;
                acceleration = A::add_motion(acceleration, node.coriolis);
                acceleration = A::add_joint(acceleration, &joint.axis, own);
            }
            node.acceleration = acceleration;
        }
    }

    /// A world in which a number is no longer finite is not a number from here on, in all of its coordinates.
    #[inline(always)]
    fn change_velocity(&mut self, tree: &Tree, state: &mut State<A, R>) {
        let mut spoilt = R::zero();
        for &acceleration in &self.acceleration {
            spoilt = spoilt + acceleration * R::zero();
        }
        let dt = R::splat(tree.time_step);
        for (velocity, &acceleration) in state.velocity.iter_mut().zip(&self.acceleration) {
            *velocity = clamp(*velocity + acceleration * dt) + spoilt;
        }
    }
}

/// Keeps a velocity within [`MOST_SPEED`]; what is not a number stays so.
#[inline(always)]
pub(crate) fn clamp<R: Real>(velocity: R) -> R {
    R::splat(MOST_SPEED).smaller(R::splat(-MOST_SPEED).larger(velocity))
}
