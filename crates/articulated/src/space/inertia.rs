//! Articulated inertia.

use super::{Force, Motion};
use crate::multibody::{Axis, MassProperties};
use crate::rotation::Rotation;
use crate::simd::Real;
use crate::vector::{
    Matrix, Vector, add, apply, apply_back, constant, diagonal, matrix_add, matrix_sub, outer,
    scale, transpose,
};

/// `btSymmetricSpatialDyad`: the blocks of ( tl tr ; bl tlᵀ ), which maps motions to forces.
#[derive(Clone, Copy)]
pub(crate) struct Inertia<R> {
    pub(super) tl: Matrix<R>,
    pub(super) tr: Matrix<R>,
    pub(super) bl: Matrix<R>,
}

impl<R: Real> Inertia<R> {
    #[inline(always)]
    pub(super) fn rigid_inertia(body: &MassProperties) -> Self {
        Self { tl: [[R::zero(); 3]; 3], tr: diagonal([body.mass; 3]), bl: diagonal(body.inertia) }
    }

    #[inline(always)]
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            tl: matrix_add(self.tl, other.tl),
            tr: matrix_add(self.tr, other.tr),
            bl: matrix_add(self.bl, other.bl),
        }
    }

    #[inline(always)]
    pub(super) fn times(self, Motion { spin, linear }: Motion<R>) -> Force<R> {
        Force {
            linear: add(apply(self.tl, spin), apply(self.tr, linear)),
            torque: add(apply(self.bl, spin), apply_back(self.tl, linear)),
        }
    }

    #[inline(always)]
    pub(super) fn times_axis(self, axis: &Axis) -> Force<R> {
        match *axis {
            Axis::Prismatic { direction } => {
                let along = constant(direction);
                Force { linear: apply(self.tr, along), torque: apply_back(self.tl, along) }
            }
            Axis::Revolute { spin, center_velocity: None, .. } => {
                let spin = constant(spin);
                Force { linear: apply(self.tl, spin), torque: apply(self.bl, spin) }
            }
            Axis::Revolute { spin, center_velocity: Some(center_velocity), .. } => {
                self.times(Motion { spin: constant(spin), linear: constant(center_velocity) })
            }
        }
    }

    /// I − h hᵀ / d. Bullet scales one factor by 1/d before the outer product.
    #[inline(always)]
    pub(super) fn without_joint(self, h: Force<R>, inverse: R) -> Self {
        let (linear, torque) = (scale(h.linear, inverse), scale(h.torque, inverse));
        Self {
            tl: matrix_sub(self.tl, outer(h.linear, torque)),
            tr: matrix_sub(self.tr, outer(h.linear, linear)),
            bl: matrix_sub(self.bl, outer(h.torque, torque)),
        }
    }

    /// The translation of
    /// `btSpatialTransformationMatrix::transformInverse(btSymmetricSpatialDyad)`.
    #[inline(always)]
    pub(super) fn translated(self, offset: Vector<R>) -> Self {
        let Self { tl, tr, bl } = self;
        let translated = matrix_sub(tl, times_skew(tr, offset));
        let turned = matrix_add(skew_times(offset, translated), bl);
        Self { tl: translated, tr, bl: matrix_sub(turned, times_skew(transpose(tl), offset)) }
    }

    #[inline(always)]
    pub(super) fn rotated_back(self, rotation: Rotation<R>) -> Self {
        Self {
            tl: rotation.around(self.tl),
            tr: rotation.around(self.tr),
            bl: rotation.around(self.bl),
        }
    }
}

/// M [r]×, row by row.
#[inline(always)]
fn times_skew<R: Real>(m: Matrix<R>, r: Vector<R>) -> Matrix<R> {
    [row_skew(m[0], r), row_skew(m[1], r), row_skew(m[2], r)]
}

#[inline(always)]
fn row_skew<R: Real>([a, b, c]: Vector<R>, r: Vector<R>) -> Vector<R> {
    [r[2] * b - r[1] * c, r[0] * c - r[2] * a, r[1] * a - r[0] * b]
}

/// [r]× M, column by column.
#[inline(always)]
fn skew_times<R: Real>(r: Vector<R>, m: Matrix<R>) -> Matrix<R> {
    let columns = transpose(m);
    transpose([skew_column(r, columns[0]), skew_column(r, columns[1]), skew_column(r, columns[2])])
}

#[inline(always)]
fn skew_column<R: Real>(r: Vector<R>, [a, b, c]: Vector<R>) -> Vector<R> {
    [c * r[1] - b * r[2], a * r[2] - c * r[0], b * r[0] - a * r[1]]
}
