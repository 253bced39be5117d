//! The constants of a body, prepared for stepping.

use crate::body::{Articulation, Geometry, Joint, LinkId, WorldSettings};
use crate::shape::{self, ColliderShape};
use crate::sort::quick_sort;
use crate::vector::{cross, length};

/// A body and the world's settings. Nodes are counted from the base, which is node 0; link `i` is
/// node `i + 1`.
#[derive(Clone, Debug)]
pub(crate) struct MultiBody {
    /// Whether the base cannot move.
    pub(crate) fixed: bool,
    pub(crate) base_position: [f64; 3],
    pub(crate) base: MassProperties,
    pub(crate) links: Vec<MultiBodyLink>,
    pub(crate) joints: usize,
    /// All shapes, in the order of Bullet's collision dispatcher: the last shape of the last link
    /// first.
    pub(crate) colliders: Vec<LinkCollider>,
    /// Joint limits in the order of Bullet's solver.
    pub(crate) limits: Vec<JointLimit>,
    pub(crate) gravity: f64,
    /// Of one substep.
    pub(crate) time_step: f64,
    pub(crate) substeps: u32,
    pub(crate) iterations: u32,
    pub(crate) contact_erp: f64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MassProperties {
    pub(crate) mass: f64,
    /// About the axes through the center of mass.
    pub(crate) inertia: [f64; 3],
}

#[derive(Clone, Debug)]
pub(crate) struct MultiBodyLink {
    /// A node.
    pub(crate) parent: usize,
    pub(crate) joint: Option<MultiBodyJoint>,
    /// From the parent's center of mass to the joint.
    pub(crate) to_pivot: [f64; 3],
    /// From the joint to the center of mass.
    pub(crate) to_center: [f64; 3],
    pub(crate) body: MassProperties,
    /// Bit `i`: link `i` is between this one and the base, or this one.
    pub(crate) chain: u64,
    /// A fixed joint without children. The solver never needs the motion of such a link.
    pub(crate) fixed_leaf: bool,
    /// Whether a child exists that is not the next link, fixed leaves aside.
    pub(crate) branches: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct MultiBodyJoint {
    pub(crate) coordinate: usize,
    pub(crate) axis: Axis,
}

/// What a unit of joint velocity adds to a link's own velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Axis {
    Prismatic {
        direction: [f64; 3],
    },
    Revolute {
        spin: [f64; 3],
        /// Of the center of mass: `spin` × pivot to center, unless the pivot is at the center.
        center_velocity: Option<[f64; 3]>,
        /// |spin|.
        length: f64,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct LinkCollider {
    /// The node that it is a shape of.
    pub(crate) node: usize,
    pub(crate) friction: f64,
    pub(crate) shape: ColliderShape,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct JointLimit {
    pub(crate) link: usize,
    pub(crate) coordinate: usize,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl MultiBodyLink {
    /// Returns axis and coordinate if the joint is revolute.
    #[inline(always)]
    pub(crate) fn revolute(&self) -> Option<([f64; 3], usize)> {
        match self.joint {
            Some(MultiBodyJoint { coordinate, axis: Axis::Revolute { spin, .. } }) => {
                Some((spin, coordinate))
            }
            _ => None,
        }
    }
}

impl MultiBody {
    /// Prepares a validated body.
    pub(crate) fn new(settings: &WorldSettings, body: &Articulation) -> MultiBody {
        let mut colliders = Vec::new();
        let mut add_shapes = |node: usize, shapes: &[_], mass: f64, friction: f64| {
            let link_shapes = shape::link_shapes(shapes, mass);
            let friction = friction * settings.floor_friction;
            colliders.extend(link_shapes.colliders.into_iter().map(|shape| LinkCollider {
                node,
                friction,
                shape,
            }));
            MassProperties { mass, inertia: link_shapes.inertia }
        };
        let base = add_shapes(0, &body.base.shapes, body.base.mass, body.base.friction);
        let mut links: Vec<MultiBodyLink> = Vec::new();
        let mut joints = 0;
        for (index, link) in body.links.iter().enumerate() {
            let parent = node(link.parent);
            let axis = axis(&link.joint, link.pivot_to_center);
            let joint = axis.map(|axis| MultiBodyJoint { coordinate: joints, axis });
            joints += usize::from(joint.is_some());
            links.push(MultiBodyLink {
                parent,
                joint,
                to_pivot: link.parent_to_pivot,
                to_center: link.pivot_to_center,
                body: add_shapes(index + 1, &link.shapes, link.mass, link.friction),
                chain: 1 << index | parent.checked_sub(1).map_or(0, |parent| links[parent].chain),
                fixed_leaf: joint.is_none()
                    && !body.links.iter().any(|other| node(other.parent) == index + 1),
                branches: false,
            });
        }
        mark_branches(&mut links);
        colliders.reverse();
        MultiBody {
            fixed: body.base.mass == 0.0,
            base_position: body.base.position,
            base,
            limits: limits(body, &links, joints),
            links,
            joints,
            colliders,
            gravity: settings.gravity,
            time_step: settings.time_step / f64::from(settings.substeps),
            substeps: settings.substeps,
            iterations: settings.iterations,
            contact_erp: settings.contact_erp,
        }
    }

    /// Velocities of the base and the joints.
    pub(crate) fn coordinates(&self) -> usize {
        6 + self.joints
    }
}

/// Iterates over the set bits, the lowest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits(pub(crate) u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lowest = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lowest as usize)
    }
}

impl DoubleEndedIterator for Bits {
    #[inline(always)]
    fn next_back(&mut self) -> Option<usize> {
        let highest = self.0.checked_ilog2()?;
        self.0 &= !(1 << highest);
        Some(highest as usize)
    }
}

/// The node of a link.
pub(crate) fn node(link: LinkId) -> usize {
    match link {
        LinkId::Base => 0,
        LinkId::Link(link) => link + 1,
    }
}

fn mark_branches(links: &mut [MultiBodyLink]) {
    let mut at = 0;
    for index in 0..links.len() {
        let MultiBodyLink { parent, fixed_leaf, .. } = links[index];
        if fixed_leaf {
            continue;
        }
        if parent != at && parent > 0 {
            links[parent - 1].branches = true;
        }
        at = index + 1;
    }
}

fn axis(joint: &Joint, to_center: [f64; 3]) -> Option<Axis> {
    match *joint {
        Joint::Fixed => None,
        Joint::Prismatic { axis } => Some(Axis::Prismatic { direction: axis }),
        Joint::Revolute { axis, .. } => {
            let center_velocity = (to_center != [0.0; 3]).then(|| cross(axis, to_center));
            Some(Axis::Revolute { spin: axis, center_velocity, length: length(axis) })
        }
    }
}

/// Orders the limits as `btMultiBodyDynamicsWorld` does.
///
/// Bullet sorts limits and motors (without force here) by island. All are in one island, and the
/// sort is not stable, so it permutes them.
fn limits(body: &Articulation, links: &[MultiBodyLink], motors: usize) -> Vec<JointLimit> {
    let mut limits = Vec::new();
    for (link, (given, made)) in body.links.iter().zip(links).enumerate() {
        if let (Joint::Revolute { limits: Some([lower, upper]), .. }, Some(joint)) =
            (given.joint, made.joint)
        {
            limits.push(JointLimit { link, coordinate: joint.coordinate, lower, upper });
        }
    }
    let mut order: Vec<usize> = (0..limits.len() + motors).collect();
    quick_sort(&mut order, |_| 0);
    order.into_iter().filter_map(|index| limits.get(index).copied()).collect()
}

/// Whether a body can move only in the plane of x and z. Its y coordinates, and its rotations about
/// x and z, are then exactly zero.
pub(crate) fn is_planar(body: &Articulation) -> bool {
    let flat = |v: [f64; 3]| v[1] == 0.0;
    let flat_shape = |shape: &crate::CollisionShape| {
        let ends = match shape.geometry {
            Geometry::Segment { from, to, .. } => flat(from) && flat(to),
            Geometry::Sphere { .. } | Geometry::Capsule { .. } => true,
        };
        ends && flat(shape.position) && shape.rotation[0] == 0.0 && shape.rotation[2] == 0.0
    };
    let flat_joint = |link: &crate::Link| match link.joint {
        Joint::Fixed => true,
        Joint::Prismatic { axis } => flat(axis),
        Joint::Revolute { axis, .. } => {
            axis[0] == 0.0 && axis[2] == 0.0 && link.pivot_to_center == [0.0; 3]
        }
    };
    body.base.mass == 0.0
        && body.base.shapes.is_empty()
        && flat(body.base.position)
        && body.links.iter().all(|link| {
            flat(link.parent_to_pivot)
                && flat(link.pivot_to_center)
                && flat_joint(link)
                && link.shapes.iter().all(flat_shape)
        })
}
