//! How a body's velocity answers impulses at a contact or a joint.
//!
//! Lanes may push at different links: a [`Way`] is the union of the links between theirs and the base, and where a lane is not on a link's
//! way, its share of the row is exactly zero.

use crate::algebra::Algebra;
use crate::dynamics::Dynamics;
use crate::simd::Real;
use crate::state::State;
use crate::tree::{Bits, Tree};

/// The links between each lane's own and the base.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// Bit `i`: link `i` is on the way of a lane.
    pub(crate) links: u64,
    /// The ways of the lanes, where they differ.
    lanes: Option<[u64; 8]>,
}

impl Way {
    /// The ways of the lanes in `valid`.
    #[inline(always)]
    pub(crate) fn new(ways: &[u64; 8], valid: u8) -> Way {
        let lanes = (0..8).filter(|lane| valid >> lane & 1 != 0);
        let links = lanes.clone().fold(0, |links, lane| links | ways[lane]);
        let same = lanes.clone().all(|lane| ways[lane] == links);
        Way { links, lanes: (!same).then_some(*ways) }
    }

    /// Where a lane is not on the way of a link, zero.
    #[inline(always)]
    fn only<R: Real>(&self, link: usize, x: R) -> R {
        match &self.lanes {
            None => x,
            Some(ways) => {
                let on = (0..R::LANES).fold(0, |bits, i| bits | ((ways[i] >> link & 1) as u8) << i);
                R::select(R::mask(on), x, R::zero())
            }
        }
    }

    /// Whether two links of the way have the same parent, so that what they pass on must be added.
    #[inline(always)]
    fn branches(&self) -> bool {
        self.lanes.is_some()
    }
}

/// Room for the passes over the body.
pub(crate) struct Response<A: Algebra, R: Real> {
    levers: Vec<A::Lever<R>>,
    passed: Vec<[A::Force<R>; 3]>,
    motions: Vec<[A::Motion<R>; 3]>,
    efforts: Vec<[R; 3]>,
}

impl<A: Algebra, R: Real> Response<A, R> {
    pub(crate) fn new(tree: &Tree) -> Self {
        let nodes = tree.links.len() + 1;
        let turn = A::turn(A::base_spin([R::zero(), R::zero(), R::zero(), R::splat(1.0)]));
        let mut rows = vec![R::zero(); 3 * tree.coordinates()];
        let origin = [R::zero(); 3];
        let lever = A::lever(origin, turn, A::from_xyz(origin), &mut rows, tree.coordinates());
        Response {
            levers: vec![lever; nodes],
            passed: vec![[A::no_force(); 3]; nodes],
            motions: vec![[A::still(); 3]; nodes],
            efforts: vec![[R::zero(); 3]; tree.joints],
        }
    }

    /// Rates at which a point moves up and along the floor when each coordinate changes at unit speed: a row of `jacobian` each.
    #[inline(always)]
    pub(crate) fn contact_jacobian(
        &mut self,
        (tree, state, dynamics): (&Tree, &State<A, R>, &Dynamics<A, R>),
        at: A::Point<R>,
        way: &Way,
        jacobian: &mut [R],
    ) {
        let stride = A::BASE + tree.joints;
        for rate in jacobian.iter_mut() {
            *rate = R::zero();
        }
        let turn = dynamics.nodes[0].turn;
        let mut lever = A::lever(state.base_position, turn, at, jacobian, stride);
        self.levers[0] = lever;
        for index in Bits(way.links) {
            let link = &tree.links[index];
            if way.branches() {
                lever = self.levers[link.parent];
            }
            if link.hinge().is_some() {
                lever = A::turn_lever(dynamics.nodes[index + 1].turn, lever);
            }
            lever = A::shift_lever(state.offsets[index], lever);
            if way.branches() {
                self.levers[index + 1] = lever;
            }
            if let Some(joint) = &link.joint {
                let rates = A::leverage(&joint.axis, lever);
                for direction in 0..A::DIRECTIONS {
                    jacobian[direction * stride + A::BASE + joint.coordinate] =
                        way.only(index, rates[direction]);
                }
            }
        }
    }

    /// Changes of velocity by unit impulses along `N` rows of a Jacobian. These are zero at joints off the way.
    ///
    /// It is the articulated-body algorithm once more, with the inertias that the last pass found and without velocities.
    #[inline(always)]
    pub(crate) fn compute<const N: usize>(
        &mut self,
        body: (&Tree, &State<A, R>, &Dynamics<A, R>),
        way: &Way,
        jacobian: &[R],
        response: &mut [R],
    ) {
        let (tree, _, dynamics) = body;
        let stride = A::BASE + tree.joints;
        let passed = if way.branches() {
            self.pass_down_branches::<N>(body, way, jacobian)
        } else {
            self.pass_down::<N>(body, way, jacobian)
        };
        let turn = dynamics.nodes[0].turn;
        let mut motions = [A::still(); N];
        for row in 0..N {
            let (from, to) = (row * stride, (row + 1) * stride);
            let force = A::root_force(turn, &jacobian[from..to], passed[row]);
            motions[row] = A::root_acceleration(&dynamics.root, force);
            A::base_coordinates(turn, motions[row], &mut response[from..to]);
        }
        self.move_up(body, way, motions, response);
    }

    /// The forces that the links of a way pass on from each to the next, and at last to the base.
    #[inline(always)]
    fn pass_down<const N: usize>(
        &mut self,
        body: (&Tree, &State<A, R>, &Dynamics<A, R>),
        way: &Way,
        jacobian: &[R],
    ) -> [A::Force<R>; N] {
        let mut forces = [A::no_force(); N];
        for index in Bits(way.links).rev() {
            self.pass_link(body, index, jacobian, &mut forces);
        }
        forces
    }

    /// The same where the lanes' ways differ, and meet.
    #[inline(always)]
    fn pass_down_branches<const N: usize>(
        &mut self,
        body: (&Tree, &State<A, R>, &Dynamics<A, R>),
        way: &Way,
        jacobian: &[R],
    ) -> [A::Force<R>; N] {
        let mut base = [A::no_force(); N];
        for index in Bits(way.links) {
            self.passed[index + 1][..N].fill(A::no_force());
        }
        for index in Bits(way.links).rev() {
            let mut forces = [A::no_force(); N];
            forces.copy_from_slice(&self.passed[index + 1][..N]);
            self.pass_link(body, index, jacobian, &mut forces);
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

    /// Takes the forces that a link is left with to its parent.
    #[inline(always)]
    fn pass_link<const N: usize>(
        &mut self,
        (tree, state, dynamics): (&Tree, &State<A, R>, &Dynamics<A, R>),
        index: usize,
        jacobian: &[R],
        forces: &mut [A::Force<R>; N],
    ) {
        let stride = A::BASE + tree.joints;
        let link = &tree.links[index];
        if let Some(joint) = &link.joint {
            let own = &dynamics.joints[joint.coordinate];
            for row in 0..N {
                let effort = jacobian[row * stride + A::BASE + joint.coordinate]
                    - A::along(&joint.axis, forces[row]);
                self.efforts[joint.coordinate][row] = effort;
                forces[row] =
                    A::add_scaled_force(forces[row], own.inertia_along, own.inverse * effort);
            }
        }
        let offset = state.offsets[index];
        for force in forces.iter_mut() {
            *force = A::shift_force(offset, *force);
        }
        if link.hinge().is_some() {
            let turn = dynamics.nodes[index + 1].turn;
            for force in forces {
                *force = A::turn_force_back(turn, *force);
            }
        }
    }

    /// How each link moves with its parent, and its joint besides.
    #[inline(always)]
    fn move_up<const N: usize>(
        &mut self,
        (tree, state, dynamics): (&Tree, &State<A, R>, &Dynamics<A, R>),
        way: &Way,
        mut motions: [A::Motion<R>; N],
        response: &mut [R],
    ) {
        let stride = A::BASE + tree.joints;
        self.motions[0][..N].copy_from_slice(&motions);
        let mut at = 0;
        for (index, link) in tree.links.iter().enumerate() {
            if link.ends {
                continue;
            }
            if link.parent != at {
                motions.copy_from_slice(&self.motions[link.parent][..N]);
            }
            at = index + 1;
            if link.hinge().is_some() {
                let turn = dynamics.nodes[index + 1].turn;
                for motion in &mut motions {
                    *motion = A::turn_motion(turn, *motion);
                }
            }
            let offset = state.offsets[index];
            for motion in &mut motions {
                *motion = A::shift_motion(offset, *motion);
            }
            if let Some(joint) = &link.joint {
                let own = &dynamics.joints[joint.coordinate];
                let pushed = way.links >> index & 1 != 0;
                for row in 0..N {
                    let effort =
                        if pushed { self.efforts[joint.coordinate][row] } else { R::zero() };
                    let speed = own.inverse * (effort - A::dot(motions[row], own.inertia_along));
                    response[row * stride + A::BASE + joint.coordinate] = speed;
                    motions[row] = A::add_joint(motions[row], &joint.axis, speed);
                }
            }
            if link.forks {
                self.motions[index + 1][..N].copy_from_slice(&motions);
            }
        }
    }
}
