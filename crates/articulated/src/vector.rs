//! Vectors, matrices and quaternions over lanes: `btVector3`, `btMatrix3x3`, `btQuaternion`.
//!
//! Sums run from left to right, in the order of Bullet's scalar code (without SSE).

use crate::simd::Real;

/// x, y, z.
pub(crate) type Vector<R> = [R; 3];
/// Rows of a matrix.
pub(crate) type Matrix<R> = [[R; 3]; 3];
/// x, y, z, w.
pub(crate) type Quaternion<R> = [R; 4];

#[inline(always)]
pub(crate) fn constant<R: Real>(a: [f64; 3]) -> Vector<R> {
    [R::splat(a[0]), R::splat(a[1]), R::splat(a[2])]
}

#[inline(always)]
pub(crate) fn add<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn sub<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn neg<R: Real>(a: Vector<R>) -> Vector<R> {
    [-a[0], -a[1], -a[2]]
}

#[inline(always)]
pub(crate) fn scale<R: Real>(a: Vector<R>, factor: R) -> Vector<R> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// Component by component.
#[inline(always)]
pub(crate) fn times<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

#[inline(always)]
pub(crate) fn dot<R: Real>(a: Vector<R>, b: Vector<R>) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn cross<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
pub(crate) fn length<R: Real>(a: Vector<R>) -> R {
    dot(a, a).sqrt()
}

/// `btVector3::safeNorm`: √`square`, or zero if `square` is at most `SIMD_EPSILON`.
#[inline(always)]
pub(crate) fn safe_norm<R: Real>(square: R) -> R {
    R::select(square.gt(R::splat(f64::EPSILON)), square.sqrt(), R::zero())
}

#[inline(always)]
pub(crate) fn transpose<R: Real>(m: Matrix<R>) -> Matrix<R> {
    [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]]
}

/// Matrix times column.
#[inline(always)]
pub(crate) fn apply<R: Real>(m: Matrix<R>, v: Vector<R>) -> Vector<R> {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}

/// Transposed matrix times column.
#[inline(always)]
pub(crate) fn apply_back<R: Real>(m: Matrix<R>, v: Vector<R>) -> Vector<R> {
    apply(transpose(m), v)
}

#[inline(always)]
pub(crate) fn product<R: Real>(a: Matrix<R>, b: Matrix<R>) -> Matrix<R> {
    let columns = transpose(b);
    [apply(columns, a[0]), apply(columns, a[1]), apply(columns, a[2])]
}

#[inline(always)]
pub(crate) fn matrix_add<R: Real>(a: Matrix<R>, b: Matrix<R>) -> Matrix<R> {
    [add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])]
}

#[inline(always)]
pub(crate) fn matrix_sub<R: Real>(a: Matrix<R>, b: Matrix<R>) -> Matrix<R> {
    [sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2])]
}

#[inline(always)]
pub(crate) fn diagonal<R: Real>(d: [f64; 3]) -> Matrix<R> {
    let (zero, d) = (R::zero(), constant::<R>(d));
    [[d[0], zero, zero], [zero, d[1], zero], [zero, zero, d[2]]]
}

/// `yes` in the lanes of the mask, `no` in the others.
#[inline(always)]
pub(crate) fn choose<R: Real>(mask: R::Mask, yes: Vector<R>, no: Vector<R>) -> Vector<R> {
    [R::select(mask, yes[0], no[0]), R::select(mask, yes[1], no[1]), R::select(mask, yes[2], no[2])]
}

/// a bᵀ.
#[inline(always)]
pub(crate) fn outer<R: Real>(a: Vector<R>, b: Vector<R>) -> Matrix<R> {
    [scale(b, a[0]), scale(b, a[1]), scale(b, a[2])]
}

/// `btMatrix3x3::inverse`: cofactors times the reciprocal of the determinant, which is expanded
/// along the first row.
#[inline(always)]
pub(crate) fn inverse<R: Real>(m: Matrix<R>) -> Matrix<R> {
    let first = [cofactor(m, 1, 1, 2, 2), cofactor(m, 1, 2, 2, 0), cofactor(m, 1, 0, 2, 1)];
    let s = R::splat(1.0) / dot(m[0], first);
    [
        [first[0] * s, cofactor(m, 0, 2, 2, 1) * s, cofactor(m, 0, 1, 1, 2) * s],
        [first[1] * s, cofactor(m, 0, 0, 2, 2) * s, cofactor(m, 0, 2, 1, 0) * s],
        [first[2] * s, cofactor(m, 0, 1, 2, 0) * s, cofactor(m, 0, 0, 1, 1) * s],
    ]
}

#[inline(always)]
fn cofactor<R: Real>(m: Matrix<R>, r1: usize, c1: usize, r2: usize, c2: usize) -> R {
    m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
}

/// The rotation `b` followed by `a`: `btQuaternion::operator*=` with its order of four products.
#[inline(always)]
pub(crate) fn compose<R: Real>(a: Quaternion<R>, b: Quaternion<R>) -> Quaternion<R> {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

#[inline(always)]
pub(crate) fn conjugate<R: Real>([x, y, z, w]: Quaternion<R>) -> Quaternion<R> {
    [-x, -y, -z, w]
}

/// `quatRotate`: q v q⁻¹, as two quaternion products. The shorter formula with cross products
/// rounds differently.
#[inline(always)]
pub(crate) fn rotate<R: Real>(q: Quaternion<R>, v: Vector<R>) -> Vector<R> {
    let ([x, y, z, w], [vx, vy, vz]) = (q, v);
    let half = [
        w * vx + y * vz - z * vy,
        w * vy + z * vx - x * vz,
        w * vz + x * vy - y * vx,
        (-x) * vx - y * vy - z * vz,
    ];
    let [rx, ry, rz, _] = compose(half, conjugate(q));
    [rx, ry, rz]
}

/// `btMatrix3x3::setRotation`: the matrix of a quaternion, divided by its squared length.
#[inline(always)]
pub(crate) fn matrix<R: Real>([x, y, z, w]: Quaternion<R>) -> Matrix<R> {
    let one = R::splat(1.0);
    let s = R::splat(2.0) / (x * x + y * y + z * z + w * w);
    let (xs, ys, zs) = (x * s, y * s, z * s);
    let (wx, wy, wz) = (w * xs, w * ys, w * zs);
    let (xx, xy, xz) = (x * xs, x * ys, x * zs);
    let (yy, yz, zz) = (y * ys, y * zs, z * zs);
    [
        [one - (yy + zz), xy - wz, xz + wy],
        [xy + wz, one - (xx + zz), yz - wx],
        [xz - wy, yz + wx, one - (xx + yy)],
    ]
}

/// `btMatrix3x3::getRotation`: the unit quaternion of a rotation matrix.
pub(crate) fn quaternion(m: Matrix<f64>) -> Quaternion<f64> {
    let mut q = [0.0; 4];
    let trace = m[0][0] + m[1][1] + m[2][2];
    if trace > 0.0 {
        let root = (trace + 1.0).sqrt();
        q[3] = root * 0.5;
        let s = 0.5 / root;
        q[0] = (m[2][1] - m[1][2]) * s;
        q[1] = (m[0][2] - m[2][0]) * s;
        q[2] = (m[1][0] - m[0][1]) * s;
    } else {
        let later = |i: usize, j: usize| if m[i][i] < m[j][j] { j } else { i };
        let i = if m[0][0] < m[1][1] { later(1, 2) } else { later(0, 2) };
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let root = (m[i][i] - m[j][j] - m[k][k] + 1.0).sqrt();
        q[i] = root * 0.5;
        let s = 0.5 / root;
        q[3] = (m[k][j] - m[j][k]) * s;
        q[j] = (m[j][i] + m[i][j]) * s;
        q[k] = (m[k][i] + m[i][k]) * s;
    }
    q
}
