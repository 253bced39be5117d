//! The camera: a target, a distance and two angles.

use std::f64::consts::FRAC_PI_2;
use std::ops::Range;

use glam::{DVec3, Vec3};

use crate::render::RenderError;

/// An upright camera at `distance` from `target`. Its eye stays above the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point that the camera looks at, in meters.
    pub target: [f64; 3],
    /// From the target to the eye, in meters; positive.
    pub distance: f64,
    /// The direction from the target to the eye in the ground plane, in radians from the x axis toward the y axis.
    pub azimuth: f64,
    /// The angle of the eye above the target's horizon, in radians, between -1.5 and 1.5.
    pub elevation: f64,
    /// The vertical angle of view, in radians, between 0.01 and 3.
    pub field_of_view: f64,
}

impl Camera {
    /// Creates a camera at the side, for robots that move in the x–z plane; x points right.
    pub fn from_side(target: [f64; 3], distance: f64) -> Self {
        Self { target, distance, azimuth: -FRAC_PI_2, elevation: 0.14, field_of_view: 0.7 }
    }

    /// Creates a camera at the side, behind and above, for robots that move in all directions.
    pub fn at_an_angle(target: [f64; 3], distance: f64) -> Self {
        Self { target, distance, azimuth: -2.0, elevation: 0.45, field_of_view: 0.7 }
    }

    /// Returns the view for a frame of this size.
    pub(crate) fn view(&self, width: usize, height: usize) -> Result<View, RenderError> {
        self.check()?;
        let outwards = DVec3::new(
            self.elevation.cos() * self.azimuth.cos(),
            self.elevation.cos() * self.azimuth.sin(),
            self.elevation.sin(),
        );
        let mut eye = outwards * self.distance;
        eye.z = eye.z.max(LOWEST_EYE - self.target[2]);
        let forward = (-eye).normalize();
        let right = forward.cross(DVec3::Z).normalize();
        Ok(View {
            origin: DVec3::from(self.target),
            eye: eye.as_vec3(),
            forward: forward.as_vec3(),
            right: right.as_vec3(),
            up: right.cross(forward).as_vec3(),
            pixel: (2.0 * (self.field_of_view / 2.0).tan() / height as f64) as f32,
            width,
            height,
        })
    }

    fn check(&self) -> Result<(), RenderError> {
        let Self { target, distance, azimuth, elevation, field_of_view: angle } = *self;
        let is_finite = target.iter().all(|coordinate| coordinate.is_finite());
        let fields: [(_, _, &[f64], _); 5] = [
            ("target", is_finite, &target, "finite"),
            (
                "distance",
                distance.is_finite() && distance > 0.0,
                &[distance],
                "finite and positive",
            ),
            ("azimuth", azimuth.is_finite(), &[azimuth], "finite"),
            ("elevation", (-1.5..=1.5).contains(&elevation), &[elevation], "between -1.5 and 1.5"),
            ("field_of_view", (0.01..=3.0).contains(&angle), &[angle], "between 0.01 and 3"),
        ];
        RenderError::check("camera", &fields)
    }
}

/// The lowest eye, in meters: a floor seen from below hides everything.
const LOWEST_EYE: f64 = 0.05;

/// A camera for a frame of some size.
///
/// Coordinates are relative to `origin`, so that single precision is enough for a robot a kilometer away.
pub(crate) struct View {
    pub(crate) origin: DVec3,
    pub(crate) eye: Vec3,
    pub(crate) forward: Vec3,
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    /// The side of a pixel in the plane one meter ahead.
    pub(crate) pixel: f32,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// A rectangle of pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) columns: Range<usize>,
    pub(crate) rows: Range<usize>,
}

impl View {
    /// Returns the vector from the eye through the point (x, y), in pixels, to the plane one meter ahead.
    pub(crate) fn towards(&self, x: f32, y: f32) -> Vec3 {
        let across = (x - self.width as f32 / 2.0) * self.pixel;
        let upwards = (self.height as f32 / 2.0 - y) * self.pixel;
        self.forward + self.right * across + self.up * upwards
    }

    /// Returns the pixels that may show a convex hull of spheres.
    pub(crate) fn bounds(&self, spheres: &[(Vec3, f32)]) -> Bounds {
        let (mut left, mut top) = (f32::INFINITY, f32::INFINITY);
        let (mut right, mut bottom) = (f32::NEG_INFINITY, f32::NEG_INFINITY);
        for &(center, radius) in spheres {
            let away = center - self.eye;
            let depth = away.dot(self.forward);
            let (l, r) = tangents(away.dot(self.right), depth, radius);
            let (b, t) = tangents(away.dot(self.up), depth, radius);
            (left, right) = (left.min(l), right.max(r));
            (top, bottom) = (top.min(-t), bottom.max(-b));
        }
        Bounds {
            columns: pixels(left / self.pixel, right / self.pixel, self.width),
            rows: pixels(top / self.pixel, bottom / self.pixel, self.height),
        }
    }
}

/// Returns the least and greatest slope of the rays in a plane that touch a disc; all slopes if the eye is in the disc.
fn tangents(lateral: f32, depth: f32, radius: f32) -> (f32, f32) {
    let denominator = depth * depth - radius * radius;
    if depth <= radius || denominator <= 0.0 {
        return (f32::NEG_INFINITY, f32::INFINITY);
    }
    let spread = radius * (lateral * lateral + denominator).sqrt();
    ((lateral * depth - spread) / denominator, (lateral * depth + spread) / denominator)
}

/// Returns the pixels that an interval around the middle of the frame touches.
fn pixels(from: f32, to: f32, count: usize) -> Range<usize> {
    let middle = count as f32 / 2.0;
    let first = (from + middle).floor().clamp(0.0, count as f32) as usize;
    let last = (to + middle).ceil().clamp(0.0, count as f32) as usize;
    first..last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_camera_has_x_to_the_right() {
        let view = Camera::from_side([5.0, 0.0, 1.0], 3.0).view(40, 30).unwrap();
        assert!(view.right.abs_diff_eq(Vec3::X, 1e-6));
        assert!(view.forward.y > 0.9 && view.up.z > 0.9);
    }

    #[test]
    fn the_eye_stays_above_the_floor() {
        let camera = Camera { elevation: -1.0, ..Camera::from_side([0.0, 0.0, 0.5], 4.0) };
        let view = camera.view(40, 30).unwrap();
        assert!(f64::from(view.eye.z) + view.origin.z > 0.0);
    }

    #[test]
    fn bounds_hold_a_sphere_tightly() {
        let view = Camera::from_side([0.0, 0.0, 1.0], 4.0).view(200, 100).unwrap();
        let bounds = view.bounds(&[(Vec3::ZERO, 0.5)]);
        // Half the angle of the sphere's cone is asin(r / distance).
        let radius = ((0.5f32 / 4.0).asin().tan() / view.pixel).ceil() as usize;
        let (columns, rows) = (100 - radius..100 + radius, 50 - radius..50 + radius);
        assert_eq!(bounds, Bounds { columns, rows });
        assert!(view.bounds(&[(Vec3::new(100.0, 0.0, 0.0), 0.5)]).columns.is_empty());
    }

    #[test]
    fn invalid_cameras_are_refused() {
        let error = Camera::from_side([0.0; 3], 0.0).view(4, 4).err().unwrap();
        assert!(matches!(error, RenderError::Value { field: "distance", .. }), "{error}");
        assert!(Camera::from_side([0.0, f64::NAN, 0.0], 1.0).view(4, 4).is_err());
        let steep = Camera { elevation: 1.6, ..Camera::from_side([0.0; 3], 1.0) };
        assert!(steep.view(4, 4).is_err());
    }
}
