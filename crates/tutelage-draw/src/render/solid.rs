//! Bodies in the coordinates of a view: ray intersections and shadows.

use glam::{DQuat, DVec3, Mat3, Vec3};

use crate::render::camera::{Bounds, View};
use crate::render::light::{self, LIGHT};
use crate::render::scene::{Body, Shape};

/// A body in a view's coordinates.
pub(crate) struct Solid {
    form: Form,
    pub(crate) color: Vec3,
    /// The pixels that may show it.
    pub(crate) bounds: Bounds,
    center: Vec3,
    /// The radius of a sphere around `center` that holds the body.
    reach: f32,
}

enum Form {
    /// All points within `radius` of the segment from `start` to `start + axis`; a sphere if `axis` is zero.
    Capsule { start: Vec3, axis: Vec3, radius: f32 },
    /// `axes` turns local directions into those of the view.
    Box { center: Vec3, axes: Mat3, half: Vec3 },
}

/// Where a ray first meets a solid.
pub(crate) struct Hit {
    pub(crate) distance: f32,
    pub(crate) normal: Vec3,
}

impl Solid {
    pub(crate) fn new(body: &Body, view: &View) -> Self {
        let center = (DVec3::from(body.pose.position) - view.origin).as_vec3();
        let axes = Mat3::from_quat(DQuat::from_array(body.pose.rotation).normalize().as_quat());
        let form = match body.shape {
            Shape::Sphere { radius } => {
                Form::Capsule { start: center, axis: Vec3::ZERO, radius: radius as f32 }
            }
            Shape::Capsule { radius, half_length } => {
                let half = axes.z_axis * half_length as f32;
                Form::Capsule { start: center - half, axis: 2.0 * half, radius: radius as f32 }
            }
            Shape::Box { half_extents } => {
                Form::Box { center, axes, half: DVec3::from(half_extents).as_vec3() }
            }
        };
        let hull = form.hull();
        let reach =
            hull.iter().map(|(point, radius)| point.distance(center) + radius).fold(0.0, f32::max);
        let color = Vec3::from(body.color.rgb.map(f32::from)) / 255.0;
        Self { bounds: view.bounds(&hull), form, color, center, reach }
    }

    /// Returns where the ray from `eye` in the unit `direction` first meets the surface from outside.
    pub(crate) fn hit(&self, eye: Vec3, direction: Vec3) -> Option<Hit> {
        match self.form {
            Form::Capsule { start, axis, radius } => {
                hit_capsule(eye - start, direction, axis, radius)
            }
            Form::Box { center, axes, half } => hit_box(eye - center, direction, axes, half),
        }
    }

    /// Returns whether rays within `spread` (a tangent) of the unit `direction` may meet the surface. This is cheaper than
    /// [`Solid::hit`].
    pub(crate) fn is_near(&self, eye: Vec3, direction: Vec3, spread: f32) -> bool {
        match self.form {
            Form::Capsule { start, axis, radius } => {
                let (gap, distance) = clear_capsule(eye - start, direction, axis, radius);
                gap <= spread * (distance.abs() + axis.length() + radius)
            }
            Form::Box { .. } => true,
        }
    }

    /// Returns the share of the light that this solid hides from `point`, with a soft edge.
    pub(crate) fn shade_on(&self, point: Vec3) -> f32 {
        let ahead = (self.center - point).dot(LIGHT);
        if ahead + self.reach <= 0.0 {
            return 0.0;
        }
        let gap = (point + ahead * LIGHT).distance(self.center) - self.reach;
        if gap > light::penumbra(ahead + self.reach) {
            return 0.0;
        }
        let (clearance, distance) = match self.form {
            Form::Capsule { start, axis, radius } => {
                clear_capsule(point - start, LIGHT, axis, radius)
            }
            Form::Box { center, axes, half } => clear_box(
                axes.transpose() * (point - center),
                axes.transpose() * LIGHT,
                half,
                self.reach,
            ),
        };
        if distance > 0.0 { light::occlusion(clearance, distance) } else { 0.0 }
    }

    /// Returns center and radius of a disc on the floor, at height `floor`, that holds the shadow.
    pub(crate) fn shadow(&self, floor: f32) -> (Vec3, f32) {
        let distance = (self.center.z - floor) / LIGHT.z;
        let edge = light::penumbra(distance.abs() + self.reach);
        (self.center - distance * LIGHT, (self.reach + edge) / LIGHT.z)
    }
}

impl Form {
    /// Returns spheres whose convex hull is the form.
    fn hull(&self) -> Vec<(Vec3, f32)> {
        match *self {
            Form::Capsule { start, axis, radius } => vec![(start, radius), (start + axis, radius)],
            Form::Box { center, axes, half } => [-1.0, 1.0]
                .iter()
                .flat_map(|&x| [-1.0, 1.0].map(|y| (x, y)))
                .flat_map(|(x, y)| [-1.0, 1.0].map(|z| Vec3::new(x, y, z)))
                .map(|corner| (center + axes * (half * corner), 0.0))
                .collect(),
        }
    }
}

/// Intersects a ray with the capsule around the segment from 0 to `axis`.
///
/// The ray o + t d meets the infinite cylinder |p - (p·a/a·a) a| = r where a quadratic in t is zero. If the nearer root lies
/// beyond an end of the segment, the ray can only meet the cap there.
fn hit_capsule(origin: Vec3, direction: Vec3, axis: Vec3, radius: f32) -> Option<Hit> {
    let length = axis.dot(axis);
    let along = axis.dot(direction);
    let offset = axis.dot(origin);
    let quadratic = length - along * along;
    if quadratic <= 1e-6 * length {
        let cap = if along > 0.0 { Vec3::ZERO } else { axis };
        return hit_sphere(origin - cap, direction, radius);
    }
    let linear = length * direction.dot(origin) - offset * along;
    let constant = length * (origin.dot(origin) - radius * radius) - offset * offset;
    let discriminant = linear * linear - quadratic * constant;
    if discriminant < 0.0 {
        return None;
    }
    let distance = (-linear - discriminant.sqrt()) / quadratic;
    let height = offset + distance * along;
    if height <= 0.0 {
        return hit_sphere(origin, direction, radius);
    }
    if height >= length {
        return hit_sphere(origin - axis, direction, radius);
    }
    let normal = (origin + distance * direction - axis * (height / length)) / radius;
    (distance > 0.0).then_some(Hit { distance, normal })
}

fn hit_sphere(origin: Vec3, direction: Vec3, radius: f32) -> Option<Hit> {
    let linear = origin.dot(direction);
    // The squared distance from the center to the ray. Computed from its vector, it is accurate for small and far spheres.
    let discriminant = radius * radius - (origin - linear * direction).length_squared();
    if discriminant < 0.0 {
        return None;
    }
    let distance = -linear - discriminant.sqrt();
    let normal = (origin + distance * direction) / radius;
    (distance > 0.0).then_some(Hit { distance, normal })
}

/// Intersects a ray with three pairs of planes: it is inside the box while it is between all of them.
fn hit_box(origin: Vec3, direction: Vec3, axes: Mat3, half: Vec3) -> Option<Hit> {
    let (origin, direction) = (axes.transpose() * origin, axes.transpose() * direction);
    // A ray parallel to a pair of planes meets them at ±infinity, with the correct signs.
    let inverse = direction.recip();
    let (one, other) = ((-half - origin) * inverse, (half - origin) * inverse);
    let entry = one.min(other);
    let distance = entry.max_element();
    if distance <= 0.0 || distance > one.max(other).min_element() {
        return None;
    }
    let face = Vec3::select(entry.cmpeq(Vec3::splat(distance)), -direction.signum(), Vec3::ZERO);
    Some(Hit { distance, normal: axes * face.normalize_or_zero() })
}

/// Returns the gap between a line and a capsule, and the distance along the line at which it is closest.
fn clear_capsule(origin: Vec3, direction: Vec3, axis: Vec3, radius: f32) -> (f32, f32) {
    let along = axis.dot(direction);
    let ahead = origin.dot(direction);
    let spread = axis.dot(axis) - along * along;
    let place = if spread > 1e-9 {
        ((axis.dot(origin) - along * ahead) / spread).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let distance = place * along - ahead;
    let closest = origin + distance * direction - place * axis;
    (closest.length() - radius, distance)
}

/// Does the same for a box in its own axes, by sampling, since the gap has no simple closed form.
fn clear_box(origin: Vec3, light: Vec3, half: Vec3, reach: f32) -> (f32, f32) {
    const SAMPLES: usize = 24;
    let middle = -origin.dot(light);
    (0..=SAMPLES)
        .map(|sample| middle + reach * (2.0 * sample as f32 / SAMPLES as f32 - 1.0))
        .map(|distance| (box_gap(origin + distance * light, half), distance))
        .fold((f32::INFINITY, 0.0), |best, next| if next.0 < best.0 { next } else { best })
}

/// Returns the signed distance from a point to a box around the origin.
fn box_gap(point: Vec3, half: Vec3) -> f32 {
    let beyond = point.abs() - half;
    beyond.max(Vec3::ZERO).length() + beyond.max_element().min(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOWN: Vec3 = Vec3::NEG_Z;

    #[test]
    fn rays_hit_capsules_on_sides_and_caps() {
        let (axis, radius) = (Vec3::new(2.0, 0.0, 0.0), 0.5);
        for (x, expected) in [(1.0, 2.5), (0.0, 2.5), (-0.3, 2.6), (2.3, 2.6)] {
            let hit = hit_capsule(Vec3::new(x, 0.0, 3.0), DOWN, axis, radius).unwrap();
            assert!((hit.distance - expected).abs() < 1e-5, "at x = {x}: {}", hit.distance);
            assert!((hit.normal.length() - 1.0).abs() < 1e-5);
        }
        assert!(hit_capsule(Vec3::new(-0.51, 0.0, 3.0), DOWN, axis, radius).is_none());
        assert!(hit_capsule(Vec3::new(1.0, 0.51, 3.0), DOWN, axis, radius).is_none());
    }

    #[test]
    fn rays_along_the_axis_hit_the_nearer_cap() {
        let hit = hit_capsule(Vec3::new(0.1, 0.0, 5.0), DOWN, 2.0 * Vec3::Z, 0.5).unwrap();
        assert!((hit.distance - (3.0 - 0.24f32.sqrt())).abs() < 1e-5);
    }

    #[test]
    fn rays_hit_boxes_on_faces() {
        let half = Vec3::new(1.0, 2.0, 0.5);
        let hit = hit_box(Vec3::new(0.9, 1.9, 3.0), DOWN, Mat3::IDENTITY, half).unwrap();
        assert_eq!((hit.distance, hit.normal), (2.5, Vec3::Z));
        assert!(hit_box(Vec3::new(1.1, 0.0, 3.0), DOWN, Mat3::IDENTITY, half).is_none());
        let turned = Mat3::from_rotation_z(std::f32::consts::FRAC_PI_2);
        assert!(hit_box(Vec3::new(1.1, 0.0, 3.0), DOWN, turned, half).is_some());
    }

    #[test]
    fn clearance_is_the_gap_to_the_light_ray() {
        let aside = LIGHT.cross(Vec3::X).normalize();
        let (gap, distance) = clear_capsule(-4.0 * LIGHT + 0.7 * aside, LIGHT, Vec3::ZERO, 0.5);
        assert!((gap - 0.2).abs() < 1e-5 && (distance - 4.0).abs() < 1e-5);
        let (gap, _) = clear_box(-4.0 * LIGHT, LIGHT, Vec3::splat(0.5), 0.9);
        assert!(gap < 0.0, "a ray through the middle is inside");
        let (gap, _) = clear_box(-4.0 * Vec3::Z + 0.7 * Vec3::X, Vec3::Z, Vec3::splat(0.5), 0.9);
        assert!((gap - 0.2).abs() < 1e-5);
    }
}
