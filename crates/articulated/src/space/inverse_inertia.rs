//! The inverse of the base's articulated inertia, and the base's acceleration.

use super::inertia::Inertia;
use super::{Force, Motion, Space};
use crate::algebra::Algebra;
use crate::multibody::MultiBody;
use crate::simd::Real;
use crate::vector::{
    Matrix, add, apply, constant, inverse, matrix_add, neg, product, scale, transpose,
};

/// The blocks of the inverse of an [`Inertia`]; diagonal for a body without links.
#[derive(Clone, Copy)]
pub(crate) enum InverseInertia<R> {
    Fixed,
    /// A base without links.
    Single {
        mass: f64,
        inertia: [f64; 3],
    },
    Tree {
        ul: Matrix<R>,
        ur: Matrix<R>,
        ll: Matrix<R>,
        lr: Matrix<R>,
    },
}

impl<R: Real> InverseInertia<R> {
    /// The inversion of `btMultiBody::solveImatrix`, once per substep instead of once per row.
    ///
    /// By blocks: with B = −tr⁻¹, the inverse is ( ul ur ; ll ulᵀ ), ur = (tlᵀ B tl + bl)⁻¹, ul =
    /// ur tlᵀ B, ll = B (tl ul − 1).
    #[inline(always)]
    pub(super) fn new(multibody: &MultiBody, Inertia { tl, tr, bl }: Inertia<R>) -> Self {
        if multibody.fixed {
            return Self::Fixed;
        }
        if multibody.links.is_empty() {
            return Self::Single { mass: multibody.base.mass, inertia: multibody.base.inertia };
        }
        let [b0, b1, b2] = inverse(tr);
        let minus = R::splat(-1.0);
        let b = [scale(b0, minus), scale(b1, minus), scale(b2, minus)];
        let ur = inverse(matrix_add(product(product(transpose(tl), b), tl), bl));
        let ul = product(product(ur, transpose(tl)), b);
        let mut rest = product(tl, ul);
        for i in 0..3 {
            rest[i][i] = rest[i][i] - R::splat(1.0);
        }
        Self::Tree { ul, ur, ll: product(b, rest), lr: transpose(ul) }
    }

    /// `btMultiBody::solveImatrix`. Without links Bullet divides the torque by the inertia, but
    /// multiplies the force with a reciprocal of the mass.
    #[inline(always)]
    pub(super) fn acceleration(&self, Force { linear, torque }: Force<R>) -> Motion<R> {
        match *self {
            Self::Fixed => Space::zero_motion(),
            Self::Single { mass, inertia } => {
                let [x, y, z] = constant(inertia);
                let spin = [torque[0] / x, torque[1] / y, torque[2] / z];
                Motion { spin: neg(spin), linear: neg(scale(linear, R::splat(1.0 / mass))) }
            }
            Self::Tree { ul, ur, ll, lr } => Motion {
                spin: neg(add(apply(ul, linear), apply(ur, torque))),
                linear: neg(add(apply(ll, linear), apply(lr, torque))),
            },
        }
    }
}
