//! Shapes: bounding boxes, inertia, and the distance at which a contact point is dropped.

use crate::body::{CollisionShape, Geometry};
use crate::vector::{Matrix, Vector, add, apply, dot, length, matrix, scale, sub};

/// `CONVEX_DISTANCE_MARGIN` of `btMultiSphereShape`, in meters.
pub(crate) const MARGIN: f64 = 0.04;

/// `gContactBreakingThreshold`: a contact point is kept up to this fraction of the shape's radius
/// away.
const CONTACT_THRESHOLD_FACTOR: f64 = 0.02;

/// Keeps the bounding sphere clear of rounding.
const REACH_MARGIN: f64 = 0.01;

/// A shape of a link as contacts see it.
#[derive(Clone, Debug)]
pub(crate) struct ColliderShape {
    pub(crate) geometry: Geometry,
    /// Where its origin sits in the frame of the link's center of mass.
    pub(crate) offset: [f64; 3],
    /// Its rotation there, unless that is the identity.
    pub(crate) rotation: Option<Matrix<f64>>,
    /// The link has no other shape and this one sits at its center of mass, unturned.
    pub(crate) simple: bool,
    /// A point farther from the floor than this is dropped.
    pub(crate) breaking_threshold: f64,
    /// No point within the breaking threshold is farther below the origin than this.
    pub(crate) reach: f64,
}

/// Properties of all shapes of a link together.
#[derive(Clone, Debug)]
pub(crate) struct LinkShapes {
    pub(crate) inertia: [f64; 3],
    pub(crate) colliders: Vec<ColliderShape>,
}

type Aabb = [Vector<f64>; 2];

const IDENTITY: Matrix<f64> = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Computes inertia and breaking threshold from the bounding box of all shapes of a link.
///
/// One shape without offset keeps its own inertia. Otherwise the link has a `btCompoundShape`,
/// whose inertia is that of its bounding box (`btCompoundShape::calculateLocalInertia`).
pub(crate) fn link_shapes(shapes: &[CollisionShape], mass: f64) -> LinkShapes {
    if shapes.is_empty() {
        return LinkShapes { inertia: [0.0; 3], colliders: Vec::new() };
    }
    let rotations: Vec<Matrix<f64>> = shapes.iter().map(|shape| matrix(shape.rotation)).collect();
    let simple = shapes.len() == 1 && rotations[0] == IDENTITY && shapes[0].position == [0.0; 3];
    let (inertia, aabb) = if simple {
        let geometry = shapes[0].geometry;
        (local_inertia(geometry, mass), aabb_in(geometry, IDENTITY, [0.0; 3]))
    } else {
        let around = shapes
            .iter()
            .zip(&rotations)
            .map(|(s, &rotation)| aabb_in(s.geometry, rotation, s.position));
        let aabb = from_half_extents(around.fold([[1e30; 3], [-1e30; 3]], union));
        (box_inertia(aabb, mass), aabb)
    };
    let breaking_threshold = angular_motion_disc(aabb) * CONTACT_THRESHOLD_FACTOR;
    let colliders = shapes.iter().zip(&rotations).map(|(shape, &rotation)| {
        let [low, high] = aabb_in(shape.geometry, IDENTITY, [0.0; 3]);
        let (radius, center) = (length(sub(high, low)) * 0.5, scale(add(low, high), 0.5));
        ColliderShape {
            geometry: shape.geometry,
            offset: shape.position,
            rotation: (rotation != IDENTITY).then_some(rotation),
            simple,
            breaking_threshold,
            reach: length(center) + radius + breaking_threshold + REACH_MARGIN,
        }
    });
    LinkShapes { inertia, colliders: colliders.collect() }
}

/// `btCollisionShape::getAngularMotionDisc`: radius of the sphere around the origin that contains
/// the box.
fn angular_motion_disc([low, high]: Aabb) -> f64 {
    let center = scale(add(low, high), 0.5);
    length(sub(high, low)) * 0.5 + length(center)
}

fn union([low, high]: Aabb, [other_low, other_high]: Aabb) -> Aabb {
    let lower = |i: usize| if low[i] > other_low[i] { other_low[i] } else { low[i] };
    let upper = |i: usize| if high[i] < other_high[i] { other_high[i] } else { high[i] };
    [std::array::from_fn(lower), std::array::from_fn(upper)]
}

/// `btCompoundShape::getAabb` rebuilds the box from center and half extents, which may change its
/// last bit.
fn from_half_extents([low, high]: Aabb) -> Aabb {
    let (half, center) = (scale(sub(high, low), 0.5), scale(add(high, low), 0.5));
    [sub(center, half), add(center, half)]
}

/// Returns the bounding box of a shape after a rotation and a translation.
fn aabb_in(geometry: Geometry, rotation: Matrix<f64>, position: Vector<f64>) -> Aabb {
    let (center, half) = match geometry {
        Geometry::Sphere { radius } => return around(position, [radius; 3]),
        Geometry::Capsule { radius, length } => ([0.0; 3], [radius, radius, radius + 0.5 * length]),
        Geometry::Segment { radius, from, to } => {
            let [low, high] = multi_sphere_aabb(radius, from, to);
            (scale(add(high, low), 0.5), add(scale(sub(high, low), 0.5), [MARGIN; 3]))
        }
    };
    let extent = rotation.map(|row| dot(half, row.map(f64::abs)));
    around(add(apply(rotation, center), position), extent)
}

fn around(center: Vector<f64>, extent: Vector<f64>) -> Aabb {
    [sub(center, extent), add(center, extent)]
}

fn multi_sphere_aabb(radius: f64, from: Vector<f64>, to: Vector<f64>) -> Aabb {
    let end = |i: usize, sign: f64| {
        let [a, b] = [from[i], to[i]].map(|x| x + sign * radius - sign * MARGIN);
        if b * sign > a * sign { b } else { a }
    };
    [std::array::from_fn(|i| end(i, -1.0) - MARGIN), std::array::from_fn(|i| end(i, 1.0) + MARGIN)]
}

fn local_inertia(geometry: Geometry, mass: f64) -> [f64; 3] {
    match geometry {
        Geometry::Sphere { radius } => [0.4 * mass * radius * radius; 3],
        Geometry::Segment { radius, from, to } => {
            box_inertia(multi_sphere_aabb(radius, from, to), mass)
        }
        Geometry::Capsule { radius, length } => {
            let wide = 2.0 * radius;
            let tall = 2.0 * (radius + 0.5 * length);
            // `btCapsuleShape::calculateLocalInertia` has this truncated 1/12.
            let (wide, tall, twelfth) = (wide * wide, tall * tall, mass * 0.083_333_33);
            [twelfth * (wide + tall), twelfth * (wide + tall), twelfth * (wide + wide)]
        }
    }
}

/// m/12 (b² + c²) about each axis of a solid box. Halving and doubling the sides is exact.
fn box_inertia([low, high]: Aabb, mass: f64) -> [f64; 3] {
    let [x, y, z] = scale(sub(high, low), 0.5).map(|half| 2.0 * half).map(|side| side * side);
    [mass / 12.0 * (y + z), mass / 12.0 * (x + z), mass / 12.0 * (x + y)]
}
