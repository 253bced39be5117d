//! What there is to see: coloured solids with poses, above a floor at z = 0.

use crate::render::RenderError;

/// Red, green and blue, as a screen shows them.
pub type Colour = [u8; 3];

/// A solid around its own origin, in metres.
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
        /// Of the segment alone, without the caps; zero makes a sphere.
        half_length: f64,
    },
    /// All points whose coordinates are within `half_extents` of zero.
    Box {
        /// Positive.
        half_extents: [f64; 3],
    },
}

/// Where a body is in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Of the body's origin, in metres; z points up and the floor is at z = 0.
    pub position: [f64; 3],
    /// A quaternion (x, y, z, w), turning local directions into world directions; it is normalised on use.
    pub rotation: [f64; 4],
}

/// A shape of one colour, somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// What it looks like.
    pub shape: Shape,
    /// Where it is.
    pub pose: Pose,
    /// Its colour in full light.
    pub colour: Colour,
}

/// Everything that is seen in one frame; the floor is always there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// In any order.
    pub bodies: Vec<Body>,
}

impl Scene {
    /// Lengths must be positive, poses finite and rotations other than zero.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        self.bodies.iter().enumerate().try_for_each(|(index, body)| body.check(index))
    }
}

impl Body {
    fn check(&self, index: usize) -> Result<(), RenderError> {
        let refuse = |field, value: &[f64], allowed| {
            Err(RenderError::Body { index, field, value: value.to_vec(), allowed })
        };
        let lengths = self.shape.lengths();
        if !lengths.iter().all(|length| length.is_finite() && *length > 0.0) {
            return refuse("shape", &lengths, "its lengths must be finite and positive");
        }
        let Pose { position, rotation } = self.pose;
        if !position.iter().all(|coordinate| coordinate.is_finite()) {
            return refuse("position", &position, "it must be finite");
        }
        let square: f64 = rotation.iter().map(|component| component * component).sum();
        if !(square.is_finite() && square > 1e-12) {
            return refuse("rotation", &rotation, "it must be finite and other than zero");
        }
        Ok(())
    }
}

impl Shape {
    /// The lengths that must be positive.
    fn lengths(&self) -> Vec<f64> {
        match *self {
            Shape::Sphere { radius } => vec![radius],
            // A segment of length zero is allowed, so the capsule's whole half length is checked in its place.
            Shape::Capsule { radius, half_length } if half_length < 0.0 => {
                vec![radius, half_length]
            }
            Shape::Capsule { radius, half_length } => vec![radius, radius + half_length],
            Shape::Box { half_extents } => half_extents.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(shape: Shape, position: [f64; 3], rotation: [f64; 4]) -> String {
        let good = Body {
            shape: Shape::Sphere { radius: 1.0 },
            pose: Pose { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] },
            colour: [0; 3],
        };
        let bad = Body { shape, pose: Pose { position, rotation }, ..good };
        Scene { bodies: vec![good, bad] }.check().expect_err("the body is bad").to_string()
    }

    #[test]
    fn a_bad_body_is_named_with_its_field_and_value() {
        let upright = [0.0, 0.0, 0.0, 1.0];
        let ball = Shape::Sphere { radius: 1.0 };
        let error = refusal(Shape::Capsule { radius: 0.1, half_length: -2.0 }, [0.0; 3], upright);
        assert_eq!(error, "body 1: shape is [0.1, -2.0]; its lengths must be finite and positive");
        assert!(
            refusal(ball, [0.0, f64::NAN, 0.0], upright).contains("position is [0.0, NaN, 0.0]")
        );
        assert!(refusal(ball, [0.0; 3], [0.0; 4]).contains("rotation is [0.0, 0.0, 0.0, 0.0]"));
    }
}
