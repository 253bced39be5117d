//! The contact point and directions in the frame of a node, for `fillConstraintJacobianMultiDof`.

use crate::multibody::Axis;
use crate::rotation::Rotation;
use crate::simd::Real;
use crate::vector::{Vector, add, constant, cross, dot, sub};

/// A point, and the directions up, across and along the floor.
#[derive(Clone, Copy)]
pub(crate) struct ContactFrame<R> {
    point: Vector<R>,
    directions: [Vector<R>; 3],
}

/// Up, across and along the floor: the friction directions of `btPlaneSpace1` for the normal z. The
/// signs of the zeros are Bullet's.
const DIRECTIONS: [[f64; 3]; 3] = [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, -0.0, -0.0]];

impl<R: Real> ContactFrame<R> {
    /// Of a point seen from the base, whose own six columns of every direction's row are filled in.
    #[inline(always)]
    pub(super) fn new(point: Vector<R>, rows: &mut [R], stride: usize) -> Self {
        for (i, direction) in DIRECTIONS.into_iter().enumerate() {
            let row = &mut rows[i * stride..];
            row[..3].copy_from_slice(&cross(point, constant(direction)));
            row[3..6].copy_from_slice(&constant(direction));
        }
        Self { point, directions: DIRECTIONS.map(constant) }
    }

    #[inline(always)]
    pub(super) fn rotated(self, rotation: Rotation<R>) -> Self {
        let [up, across, along] = self.directions;
        Self {
            point: rotation.apply(self.point),
            directions: [rotation.apply(up), rotation.apply(across), rotation.apply(along)],
        }
    }

    #[inline(always)]
    pub(super) fn translated(self, offset: Vector<R>) -> Self {
        Self { point: sub(self.point, offset), ..self }
    }

    #[inline(always)]
    pub(super) fn of(self, axis: &Axis) -> [R; 3] {
        let motion = match *axis {
            Axis::Prismatic { direction } => constant(direction),
            Axis::Revolute { spin, center_velocity, .. } => {
                let turning = cross(constant(spin), self.point);
                center_velocity
                    .map_or(turning, |center_velocity| add(turning, constant(center_velocity)))
            }
        };
        let [up, across, along] = self.directions;
        [dot(up, motion), dot(across, motion), dot(along, motion)]
    }
}
