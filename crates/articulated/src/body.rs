//! The input of a world: settings, and a multibody with links and shapes.

/// Position of a link in an [`Articulation`]: an index into its links, or the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkId {
    /// The root of the multibody.
    Base,
    /// `links[i]`.
    Link(usize),
}

/// The constants of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldSettings {
    /// Acceleration along the vertical axis z, in m/s² (negative pulls down).
    pub gravity: f64,
    /// Time that one [`crate::World::step`] simulates, in seconds.
    pub time_step: f64,
    /// Equal physics steps within `time_step`.
    pub substeps: u32,
    /// Iterations of the constraint solver in each of them.
    pub iterations: u32,
    /// Fraction of a contact's penetration that a physics step removes.
    pub contact_erp: f64,
    /// The floor's coefficient of lateral friction; a contact has the product of it and the link's.
    /// Nothing bounces.
    pub floor_friction: f64,
}

/// A multibody of links over a base, above an infinite floor at z = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Articulation {
    /// The root.
    pub base: Base,
    /// All other links; a parent comes before its children.
    pub links: Vec<Link>,
}

/// The root of an [`Articulation`]. A base without mass is fixed to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Initial world position of the center of mass.
    pub position: [f64; 3],
    /// Mass in kg; the moments of inertia follow from the shapes.
    pub mass: f64,
    /// Coefficient of lateral friction.
    pub friction: f64,
    /// Shapes around the center of mass.
    pub shapes: Vec<CollisionShape>,
}

/// A link and the joint that connects it to its parent. At joint position zero both frames are
/// parallel.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The parent.
    pub parent: LinkId,
    /// The joint between the parent and this link.
    pub joint: Joint,
    /// From the parent's center of mass to the joint.
    pub parent_to_pivot: [f64; 3],
    /// From the joint to this link's center of mass.
    pub pivot_to_center: [f64; 3],
    /// Mass in kg; the moments of inertia follow from the shapes.
    pub mass: f64,
    /// Coefficient of lateral friction.
    pub friction: f64,
    /// Shapes around the center of mass.
    pub shapes: Vec<CollisionShape>,
}

/// A joint of at most one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// No motion.
    Fixed,
    /// Translation along an axis, in meters.
    Prismatic {
        /// The axis. It is not normalized.
        axis: [f64; 3],
    },
    /// Rotation about an axis, in radians.
    Revolute {
        /// The axis. It is not normalized.
        axis: [f64; 3],
        /// Lower and upper limit of the angle; the solver pushes the joint back between them.
        limits: Option<[f64; 2]>,
    },
}

/// A convex shape in the frame of its link's center of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollisionShape {
    /// The kind and dimensions of the shape.
    pub geometry: Geometry,
    /// Position of its origin.
    pub position: [f64; 3],
    /// Rotation, as a unit quaternion x, y, z, w.
    pub rotation: [f64; 4],
}

/// The geometry of a [`CollisionShape`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Geometry {
    /// A ball around the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// All points within `radius` of the straight line between two points.
    Segment {
        /// Its radius.
        radius: f64,
        /// One end of the line.
        from: [f64; 3],
        /// The other end.
        to: [f64; 3],
    },
    /// All points within `radius` of a line of this length along z, centered at the origin.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Length of the line.
        length: f64,
    },
}
