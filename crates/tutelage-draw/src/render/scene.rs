//! Solids with poses above a floor at z = 0.

use crate::Color;
use crate::render::{Camera, RenderError};

/// A solid around its own origin, in meters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// All points within `radius` of the origin.
    Sphere {
        /// Positive.
        radius: f64,
    },
    /// All points within `radius` of the segment from `-half_length` to `half_length` on the local z axis.
    Capsule {
        /// Positive.
        radius: f64,
        /// Half the length of the segment, without the caps; zero makes a sphere.
        half_length: f64,
    },
    /// All points whose coordinates are within `half_extents` of zero.
    Box {
        /// Positive.
        half_extents: [f64; 3],
    },
}

/// The position and orientation of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The body's origin, in meters; z points up and the floor is at z = 0.
    pub position: [f64; 3],
    /// The rotation from local to world directions as a quaternion (x, y, z, w) of any positive norm.
    pub rotation: [f64; 4],
}

/// A solid of one color.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Its shape.
    pub shape: Shape,
    /// Its pose.
    pub pose: Pose,
    /// Its color in full light.
    pub color: Color,
}

/// Bodies above the floor, and the camera that sees them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// The bodies, in any order.
    pub bodies: Vec<Body>,
    /// The camera.
    pub camera: Camera,
}

impl Scene {
    /// Returns an error unless lengths are positive, poses finite and rotations nonzero.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        self.bodies.iter().enumerate().try_for_each(|(index, body)| body.check(index))
    }
}

impl Body {
    fn check(&self, index: usize) -> Result<(), RenderError> {
        let lengths = self.shape.lengths();
        let are_positive = lengths.iter().all(|length| length.is_finite() && *length > 0.0);
        let Pose { position, rotation } = self.pose;
        let is_finite = position.iter().all(|coordinate| coordinate.is_finite());
        let square: f64 = rotation.iter().map(|component| component * component).sum();
        let is_nonzero = square.is_finite() && square > 1e-12;
        let fields: [(_, _, &[f64], _); 3] = [
            ("shape", are_positive, &lengths, "finite and positive"),
            ("position", is_finite, &position, "finite"),
            ("rotation", is_nonzero, &rotation, "finite and nonzero"),
        ];
        RenderError::check(format!("body {index}"), &fields)
    }
}

impl Shape {
    /// Returns the lengths that must be positive.
    fn lengths(&self) -> Vec<f64> {
        match *self {
            Shape::Sphere { radius } => vec![radius],
            // A segment of length zero is valid.
            Shape::Capsule { radius, half_length: 0.0 } => vec![radius],
            Shape::Capsule { radius, half_length } => vec![radius, half_length],
            Shape::Box { half_extents } => half_extents.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_body_and_field() {
        let ball = Shape::Sphere { radius: 1.0 };
        let upright = [0.0, 0.0, 0.0, 1.0];
        for (shape, position, rotation, wrong) in [
            (Shape::Capsule { radius: 0.1, half_length: -2.0 }, [0.0; 3], upright, "shape"),
            (ball, [0.0, f64::NAN, 0.0], upright, "position"),
            (ball, [0.0; 3], [0.0; 4], "rotation"),
        ] {
            let body = Body { shape, pose: Pose { position, rotation }, color: Color::BLACK };
            let RenderError::Value { what, field, .. } = body.check(1).unwrap_err() else {
                panic!("a value is wrong")
            };
            assert_eq!((&*what, field), ("body 1", wrong));
        }
    }
}
