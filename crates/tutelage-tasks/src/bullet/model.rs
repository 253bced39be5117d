//! Robots as trees of parts, and their translation into Bullet's links.
//!
//! For bit parity with Bullet's model reader, dimensions are single precision and everything derived
//! from them is double precision.

use articulated::{Articulation, Base, CollisionShape, Geometry, Joint, Link, LinkId};
use tutelage_draw::Color;

/// Mass per cubic meter.
const DENSITY: f64 = 1000.0;

/// Friction of links without shapes.
const BARE_FRICTION: f64 = 0.5;

pub(crate) type Point = [f32; 3];

/// A rigid part with the joints that move it, and its child parts.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// Origin of the part's frame in its parent's frame.
    pub(crate) origin: Point,
    /// Joints between the parent and this part, outermost first; without joints the part is fixed.
    pub(crate) joints: Vec<PartJoint>,
    pub(crate) solids: Vec<Solid>,
    /// Overrides the mass computed from the volume.
    pub(crate) mass: Option<f64>,
    pub(crate) color: Color,
    pub(crate) children: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PartJoint {
    pub(crate) kind: JointKind,
    pub(crate) axis: Point,
    /// A point of the axis, in the part's frame.
    pub(crate) pivot: Point,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum JointKind {
    Slide,
    Spin,
    /// A hinge with limits in radians; only these are actuated.
    Hinge([f32; 2]),
}

/// A solid in the frame of its part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Solid {
    Sphere {
        radius: f32,
    },
    /// A capsule between two points.
    Bone {
        from: Point,
        to: Point,
        radius: f32,
    },
    /// A capsule around a center, its axis turned from z about y by an angle in radians.
    Tilted {
        center: Point,
        angle: f32,
        radius: f32,
        half_length: f32,
    },
}

/// A robot in Bullet's terms, with the links that tasks refer to.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) body: Articulation,
    /// Name and link of every part.
    pub(crate) parts: Vec<(&'static str, LinkId)>,
    /// Actuated joints in order: their link and limits.
    pub(crate) actuated: Vec<(usize, [f64; 2])>,
    /// Color of the base, then of each link.
    pub(crate) colors: Vec<Color>,
}

impl Model {
    /// Translates a robot.
    ///
    /// Every joint becomes a massless link, and the part is fixed to the last of them. A root part
    /// without joints is the floating base; otherwise the base is fixed to the world.
    pub(crate) fn new(root: &Part, friction: f32) -> Model {
        let base =
            Base { position: [0.0; 3], mass: 0.0, friction: BARE_FRICTION, shapes: Vec::new() };
        let mut model = Model {
            body: Articulation { base, links: Vec::new() },
            parts: Vec::new(),
            actuated: Vec::new(),
            colors: vec![root.color],
        };
        if root.joints.is_empty() {
            let center = root.center();
            model.body.base = Base {
                position: wide(root.origin),
                mass: root.mass(),
                friction: f64::from(friction),
                shapes: root.shapes(center),
            };
            model.parts.push((root.name, LinkId::Base));
            for child in &root.children {
                model.add(child, LinkId::Base, center, friction);
            }
        } else {
            model.add(root, LinkId::Base, [0.0; 3], friction);
        }
        model
    }

    /// Adds a part and its descendants to a link whose center of mass is at `parent_center` in the
    /// frame of its part.
    fn add(&mut self, part: &Part, parent: LinkId, parent_center: [f64; 3], friction: f32) {
        let (mut parent, mut parent_center, mut offset) =
            (parent, parent_center, wide(part.origin));
        for joint in &part.joints {
            let (axis, pivot) = (wide(joint.axis), wide(joint.pivot));
            let kind = match joint.kind {
                JointKind::Slide => Joint::Prismatic { axis },
                JointKind::Spin => Joint::Revolute { axis, limits: None },
                JointKind::Hinge(limits) => {
                    let limits = limits.map(f64::from);
                    self.actuated.push((self.body.links.len(), limits));
                    Joint::Revolute { axis, limits: Some(limits) }
                }
            };
            let link = Link {
                parent,
                joint: kind,
                parent_to_pivot: minus(plus(pivot, offset), parent_center),
                pivot_to_center: [0.0; 3],
                mass: 0.0,
                friction: BARE_FRICTION,
                shapes: Vec::new(),
            };
            parent = self.push(part.color, link);
            parent_center = [0.0; 3];
            offset = pivot.map(|x| -x);
        }
        let center = part.center();
        let link = self.push(
            part.color,
            Link {
                parent,
                joint: Joint::Fixed,
                parent_to_pivot: minus(offset, parent_center),
                pivot_to_center: center,
                mass: part.mass(),
                friction: f64::from(friction),
                shapes: part.shapes(center),
            },
        );
        self.parts.push((part.name, link));
        for child in &part.children {
            self.add(child, link, center, friction);
        }
    }

    fn push(&mut self, color: Color, link: Link) -> LinkId {
        self.body.links.push(link);
        self.colors.push(color);
        LinkId::Link(self.body.links.len() - 1)
    }

    /// Returns the link of the part of this name.
    pub(crate) fn link(&self, name: &str) -> Option<LinkId> {
        self.parts.iter().find(|(part, _)| *part == name).map(|&(_, link)| link)
    }
}

impl Part {
    /// Returns the center of mass as Bullet computes it: the middle of the last solid if that is a
    /// bone, else the origin of the frame.
    fn center(&self) -> [f64; 3] {
        match self.solids.last() {
            Some(Solid::Bone { from, to, .. }) => plus(wide(*from), wide(*to)).map(|x| 0.5 * x),
            _ => [0.0; 3],
        }
    }

    fn mass(&self) -> f64 {
        self.mass.unwrap_or_else(|| {
            DENSITY * self.solids.iter().fold(0.0, |volume, solid| solid.add_volume(volume))
        })
    }

    fn shapes(&self, center: [f64; 3]) -> Vec<CollisionShape> {
        self.solids.iter().map(|solid| solid.shape(center)).collect()
    }
}

impl Solid {
    /// Returns `volume` plus the volume of this solid. The order of operations gives Bullet's bits.
    fn add_volume(&self, volume: f64) -> f64 {
        let ball = |r: f64| 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
        let tube = |r: f64, length: f64| std::f64::consts::PI * r * r * length;
        match *self {
            Solid::Sphere { radius } => volume + ball(f64::from(radius)),
            Solid::Bone { from, to, radius } => {
                let r = f64::from(radius);
                volume + ball(r) + tube(r, length(minus(wide(from), wide(to))))
            }
            Solid::Tilted { radius, half_length, .. } => {
                let r = f64::from(radius);
                volume + ball(r) + tube(r, f64::from(2.0 * half_length))
            }
        }
    }

    fn shape(&self, center: [f64; 3]) -> CollisionShape {
        let upright = [0.0, 0.0, 0.0, 1.0];
        let back = center.map(|x| -x);
        let (geometry, position, rotation) = match *self {
            Solid::Sphere { radius } => {
                (Geometry::Sphere { radius: f64::from(radius) }, back, upright)
            }
            Solid::Bone { from, to, radius } => {
                let (from, to) = (wide(from), wide(to));
                (Geometry::Segment { radius: f64::from(radius), from, to }, back, upright)
            }
            Solid::Tilted { center: middle, angle, radius, half_length } => {
                let (sin, cos) = (f64::from(angle) * 0.5).sin_cos();
                let (radius, length) = (f64::from(radius), f64::from(2.0 * half_length));
                let capsule = Geometry::Capsule { radius, length };
                (capsule, plus(wide(middle), back), [0.0, sin, 0.0, cos])
            }
        };
        CollisionShape { geometry, position, rotation }
    }
}

fn wide(point: Point) -> [f64; 3] {
    point.map(f64::from)
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn length(a: [f64; 3]) -> f64 {
    (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
}
