//! Spatial algebra in the plane of x and z, for bodies that cannot leave it.
//!
//! Points are (x, z), a rotation is about y, a motion is (spin about y, x, z) and a force (x, z,
//! torque about y). Each function is that of [`crate::space::Space`] without the terms that are
//! exactly zero. The order of the remaining terms is the same.

use crate::algebra::{Algebra, Pose};
use crate::body::Geometry;
use crate::damping::damping;
use crate::multibody::{Axis, MassProperties, MultiBody};
use crate::shape::MARGIN;
use crate::simd::Real;
use crate::vector::{Matrix, Quaternion, Vector, safe_norm};

/// The algebra of a body whose base is fixed and whose joints keep it in the plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane;

#[derive(Clone, Copy)]
pub(crate) struct Motion<R> {
    spin: R,
    x: R,
    z: R,
}

#[derive(Clone, Copy)]
pub(crate) struct Force<R> {
    x: R,
    z: R,
    torque: R,
}

/// The nonzero entries of a spatial inertia's blocks: the middle column of tl, the corners of tr
/// and the center of bl.
#[derive(Clone, Copy)]
pub(crate) struct Inertia<R> {
    x: R,
    z: R,
    xx: R,
    xz: R,
    zx: R,
    zz: R,
    yy: R,
}

/// Takes (x, z) to (cos x + sin z, cos z − sin x).
#[derive(Clone, Copy)]
pub(crate) struct Rotation<R> {
    cos: R,
    sin: R,
}

/// A point, and the directions up and along the floor.
#[derive(Clone, Copy)]
pub(crate) struct ContactFrame<R> {
    point: [R; 2],
    up: [R; 2],
    along: [R; 2],
}

impl<R: Real> Rotation<R> {
    #[inline(always)]
    fn apply(self, [x, z]: [R; 2]) -> [R; 2] {
        [self.cos * x + self.sin * z, (-self.sin) * x + self.cos * z]
    }

    #[inline(always)]
    fn apply_back(self, [x, z]: [R; 2]) -> [R; 2] {
        [self.cos * x + (-self.sin) * z, self.sin * x + self.cos * z]
    }
}

impl Algebra for Plane {
    const BASE: usize = 0;
    const DIRECTIONS: usize = 2;

    type Point<R: Real> = [R; 2];
    type Orientation<R: Real> = [R; 2];
    type Rotation<R: Real> = Rotation<R>;
    type Motion<R: Real> = Motion<R>;
    type Force<R: Real> = Force<R>;
    type Inertia<R: Real> = Inertia<R>;
    type InverseInertia<R: Real> = ();
    type ContactFrame<R: Real> = ContactFrame<R>;

    #[inline(always)]
    fn from_xyz<R: Real>([x, _, z]: Vector<R>) -> [R; 2] {
        [x, z]
    }
    #[inline(always)]
    fn lane_xyz<R: Real>([x, z]: [R; 2], lane: usize) -> Vector<f64> {
        [x.lanes()[lane], 0.0, z.lanes()[lane]]
    }
    #[inline(always)]
    fn add<R: Real>(a: [R; 2], b: [R; 2]) -> [R; 2] {
        [a[0] + b[0], a[1] + b[1]]
    }
    #[inline(always)]
    fn add_scaled<R: Real>(a: [R; 2], b: [f64; 3], factor: R) -> [R; 2] {
        [a[0] + R::splat(b[0]) * factor, a[1] + R::splat(b[2]) * factor]
    }
    #[inline(always)]
    fn base_orientation<R: Real>([_, y, _, w]: Quaternion<R>) -> [R; 2] {
        [y, w]
    }
    #[inline(always)]
    fn revolute_orientation<R: Real>(axis: [f64; 3], sine: R, cosine: R) -> [R; 2] {
        [R::splat(axis[1]) * sine, cosine]
    }
    #[inline(always)]
    fn compose<R: Real>([ay, aw]: [R; 2], [by, bw]: [R; 2]) -> [R; 2] {
        [aw * by + ay * bw, aw * bw - ay * by]
    }
    #[inline(always)]
    fn conjugate<R: Real>([y, w]: [R; 2]) -> [R; 2] {
        [-y, w]
    }
    #[inline(always)]
    fn rotate<R: Real>([y, w]: [R; 2], [x, z]: [R; 2]) -> [R; 2] {
        let (hx, hz) = (w * x + y * z, w * z - y * x);
        [hx * w + hz * y, hz * w - hx * y]
    }
    #[inline(always)]
    fn rotation<R: Real>([y, w]: [R; 2]) -> Rotation<R> {
        let scaled = y * (R::splat(2.0) / (y * y + w * w));
        Rotation { cos: R::splat(1.0) - y * scaled, sin: w * scaled }
    }
    #[inline(always)]
    fn rotate_point<R: Real>(rotation: Rotation<R>, p: [R; 2]) -> [R; 2] {
        rotation.apply(p)
    }

    #[inline(always)]
    fn zero_motion<R: Real>() -> Motion<R> {
        Motion { spin: R::zero(), x: R::zero(), z: R::zero() }
    }
    #[inline(always)]
    fn add_motion<R: Real>(a: Motion<R>, b: Motion<R>) -> Motion<R> {
        Motion { spin: a.spin + b.spin, x: a.x + b.x, z: a.z + b.z }
    }
    #[inline(always)]
    fn rotate_motion<R: Real>(rotation: Rotation<R>, motion: Motion<R>) -> Motion<R> {
        let [x, z] = rotation.apply([motion.x, motion.z]);
        Motion { spin: motion.spin, x, z }
    }
    #[inline(always)]
    fn translate_motion<R: Real>([x, z]: [R; 2], motion: Motion<R>) -> Motion<R> {
        let spin = motion.spin;
        Motion { spin, x: z * spin + motion.x, z: motion.z - x * spin }
    }
    #[inline(always)]
    fn add_joint<R: Real>(motion: Motion<R>, axis: &Axis, speed: R) -> Motion<R> {
        match *axis {
            Axis::Prismatic { direction } => Motion {
                spin: motion.spin,
                x: motion.x + R::splat(direction[0]) * speed,
                z: motion.z + R::splat(direction[2]) * speed,
            },
            Axis::Revolute { spin, .. } => {
                Motion { spin: motion.spin + R::splat(spin[1]) * speed, ..motion }
            }
        }
    }
    #[inline(always)]
    fn coriolis<R: Real>(velocity: Motion<R>, axis: &Axis, speed: R) -> Motion<R> {
        match *axis {
            Axis::Prismatic { direction } => {
                let (x, z) = (R::splat(direction[0]) * speed, R::splat(direction[2]) * speed);
                Motion { spin: R::zero(), x: velocity.spin * z, z: -(velocity.spin * x) }
            }
            Axis::Revolute { spin, .. } => {
                let spin = R::splat(spin[1]) * speed;
                Motion { spin: R::zero(), x: -(velocity.z * spin), z: velocity.x * spin }
            }
        }
    }

    #[inline(always)]
    fn zero_force<R: Real>() -> Force<R> {
        Force { x: R::zero(), z: R::zero(), torque: R::zero() }
    }
    #[inline(always)]
    fn add_force<R: Real>(a: Force<R>, b: Force<R>) -> Force<R> {
        Force { x: a.x + b.x, z: a.z + b.z, torque: a.torque + b.torque }
    }
    #[inline(always)]
    fn add_scaled_force<R: Real>(a: Force<R>, b: Force<R>, factor: R) -> Force<R> {
        Force { x: a.x + b.x * factor, z: a.z + b.z * factor, torque: a.torque + b.torque * factor }
    }
    #[inline(always)]
    fn translate_force<R: Real>([x, z]: [R; 2], force: Force<R>) -> Force<R> {
        Force { torque: force.torque + (z * force.x - x * force.z), ..force }
    }
    #[inline(always)]
    fn rotate_force_back<R: Real>(rotation: Rotation<R>, force: Force<R>) -> Force<R> {
        let [x, z] = rotation.apply_back([force.x, force.z]);
        Force { x, z, torque: force.torque }
    }
    #[inline(always)]
    fn dot<R: Real>(motion: Motion<R>, force: Force<R>) -> R {
        (motion.x * force.x + motion.z * force.z) + motion.spin * force.torque
    }
    #[inline(always)]
    fn joint_component<R: Real>(axis: &Axis, force: Force<R>) -> R {
        match *axis {
            Axis::Prismatic { direction } => {
                R::splat(direction[0]) * force.x + R::splat(direction[2]) * force.z
            }
            Axis::Revolute { spin, .. } => R::splat(spin[1]) * force.torque,
        }
    }
    #[inline(always)]
    fn bias_force<R: Real>(
        body: &MassProperties,
        weight: f64,
        up: [R; 2],
        velocity: Motion<R>,
    ) -> Force<R> {
        let Motion { spin, x, z } = velocity;
        let (mass, weight) = (R::splat(body.mass), R::splat(weight));
        let brake = damping(safe_norm(x * x + z * z));
        let momentum = R::splat(body.inertia[1]) * spin;
        Force {
            x: (x * mass) * brake - up[0] * weight + (spin * z) * mass,
            z: (z * mass) * brake - up[1] * weight - (spin * x) * mass,
            torque: momentum * damping(safe_norm(spin * spin)),
        }
    }

    #[inline(always)]
    fn rigid_inertia<R: Real>(body: &MassProperties) -> Inertia<R> {
        let (zero, mass) = (R::zero(), R::splat(body.mass));
        let yy = R::splat(body.inertia[1]);
        Inertia { x: zero, z: zero, xx: mass, xz: zero, zx: zero, zz: mass, yy }
    }
    #[inline(always)]
    fn add_inertia<R: Real>(a: Inertia<R>, b: Inertia<R>) -> Inertia<R> {
        Inertia {
            x: a.x + b.x,
            z: a.z + b.z,
            xx: a.xx + b.xx,
            xz: a.xz + b.xz,
            zx: a.zx + b.zx,
            zz: a.zz + b.zz,
            yy: a.yy + b.yy,
        }
    }
    /// Of a motion without spin: that of [`Plane::coriolis`].
    #[inline(always)]
    fn times<R: Real>(inertia: Inertia<R>, motion: Motion<R>) -> Force<R> {
        let Motion { x, z, .. } = motion;
        Force {
            x: inertia.xx * x + inertia.xz * z,
            z: inertia.zx * x + inertia.zz * z,
            torque: inertia.x * x + inertia.z * z,
        }
    }
    #[inline(always)]
    fn times_axis<R: Real>(inertia: Inertia<R>, axis: &Axis) -> Force<R> {
        match *axis {
            Axis::Prismatic { direction } => {
                let [x, z] = Plane::point(direction);
                Plane::times(inertia, Motion { spin: R::zero(), x, z })
            }
            Axis::Revolute { spin, .. } => {
                let spin = R::splat(spin[1]);
                Force { x: inertia.x * spin, z: inertia.z * spin, torque: inertia.yy * spin }
            }
        }
    }
    #[inline(always)]
    fn without_joint<R: Real>(inertia: Inertia<R>, h: Force<R>, inverse: R) -> Inertia<R> {
        let (x, z, torque) = (h.x * inverse, h.z * inverse, h.torque * inverse);
        Inertia {
            x: inertia.x - h.x * torque,
            z: inertia.z - h.z * torque,
            xx: inertia.xx - h.x * x,
            xz: inertia.xz - h.x * z,
            zx: inertia.zx - h.z * x,
            zz: inertia.zz - h.z * z,
            yy: inertia.yy - h.torque * torque,
        }
    }
    #[inline(always)]
    fn translate_inertia<R: Real>([x, z]: [R; 2], inertia: Inertia<R>) -> Inertia<R> {
        let Inertia { xx, xz, zx, zz, yy, .. } = inertia;
        let new_x = inertia.x - (x * xz - z * xx);
        let new_z = inertia.z - (x * zz - z * zx);
        let turned = (new_x * z - new_z * x) + yy;
        Inertia { x: new_x, z: new_z, yy: turned - (x * inertia.z - z * inertia.x), ..inertia }
    }
    #[inline(always)]
    fn rotate_inertia_back<R: Real>(rotation: Rotation<R>, inertia: Inertia<R>) -> Inertia<R> {
        let [x, z] = rotation.apply_back([inertia.x, inertia.z]);
        // First the columns, then the rows.
        let [xx, zx] = rotation.apply_back([inertia.xx, inertia.zx]);
        let [xz, zz] = rotation.apply_back([inertia.xz, inertia.zz]);
        let ([xx, xz], [zx, zz]) = (rotation.apply_back([xx, xz]), rotation.apply_back([zx, zz]));
        Inertia { x, z, xx, xz, zx, zz, yy: inertia.yy }
    }

    #[inline(always)]
    fn base_velocity<R: Real>(_: Rotation<R>, _: &[R]) -> Motion<R> {
        Plane::zero_motion()
    }
    #[inline(always)]
    fn base_up<R: Real>(_: Rotation<R>) -> [R; 2] {
        [R::zero(), R::splat(1.0)]
    }
    #[inline(always)]
    fn invert_base_inertia<R: Real>(_: &MultiBody, _: Inertia<R>) {}
    #[inline(always)]
    fn solve_base<R: Real>((): &(), _: Force<R>) -> Motion<R> {
        Plane::zero_motion()
    }
    #[inline(always)]
    fn base_impulse<R: Real>(_: Rotation<R>, _: &[R], passed: Force<R>) -> Force<R> {
        passed
    }
    #[inline(always)]
    fn base_coordinates<R: Real>(_: Rotation<R>, _: Motion<R>, _: &mut [R]) {}
    #[inline(always)]
    fn classical_acceleration<R: Real>(acceleration: Motion<R>, _: Motion<R>) -> Motion<R> {
        acceleration
    }
    /// The base is fixed, but Bullet adds zero to its rotation: −0 becomes +0.
    #[inline(always)]
    fn integrate_base<R: Real>(_: f64, _: &[R], _: &mut Vector<R>, rotation: &mut Quaternion<R>) {
        for part in rotation {
            *part = *part + R::zero();
        }
    }

    #[inline(always)]
    fn to_world<R: Real>(pose: &Pose<Plane, R>, p: [R; 2]) -> [R; 2] {
        Plane::add(pose.rotation.apply(p), pose.origin)
    }
    #[inline(always)]
    fn to_local<R: Real>(pose: &Pose<Plane, R>, p: [R; 2]) -> [R; 2] {
        pose.rotation.apply_back([p[0] - pose.origin[0], p[1] - pose.origin[1]])
    }
    #[inline(always)]
    fn compose_rotation<R: Real>(rotation: Rotation<R>, inner: &Matrix<f64>) -> Rotation<R> {
        let (cos, sin) = (R::splat(inner[0][0]), R::splat(inner[0][2]));
        Rotation {
            cos: cos * rotation.cos + (-sin) * rotation.sin,
            sin: sin * rotation.cos + cos * rotation.sin,
        }
    }
    #[inline(always)]
    fn support_point<R: Real>(geometry: &Geometry, pose: &Pose<Plane, R>) -> [R; 2] {
        let (x, z) = (pose.rotation.sin, -pose.rotation.cos);
        let scale = R::splat(1.0) / (x * x + z * z).sqrt();
        let down = [x * scale, z * scale];
        let vertex = match *geometry {
            Geometry::Sphere { radius } => [down[0] * R::splat(radius), down[1] * R::splat(radius)],
            Geometry::Capsule { radius, length } => {
                let (radius, half) = (R::splat(radius), R::splat(0.5 * length));
                let end = R::select(R::zero().gt(down[1]), -half, half);
                [down[0] * radius, end + down[1] * radius]
            }
            Geometry::Segment { radius, from, to } => {
                let (radius, margin) = (R::splat(radius), R::splat(MARGIN));
                let deep = [down[0] * radius, down[1] * radius];
                let margin = [down[0] * margin, down[1] * margin];
                let (from, to): ([R; 2], [R; 2]) = (Plane::point(from), Plane::point(to));
                let from = [from[0] + deep[0] - margin[0], from[1] + deep[1] - margin[1]];
                let to = [to[0] + deep[0] - margin[0], to[1] + deep[1] - margin[1]];
                let further =
                    (to[0] * down[0] + to[1] * down[1]).gt(from[0] * down[0] + from[1] * down[1]);
                [
                    R::select(further, to[0], from[0]) + margin[0],
                    R::select(further, to[1], from[1]) + margin[1],
                ]
            }
        };
        Plane::to_world(pose, vertex)
    }
    #[inline(always)]
    fn height<R: Real>(p: [R; 2]) -> R {
        p[1]
    }
    #[inline(always)]
    fn distance_squared<R: Real>(a: [R; 2], b: [R; 2]) -> R {
        let (x, z) = (a[0] - b[0], a[1] - b[1]);
        x * x + z * z
    }
    #[inline(always)]
    fn floor_distance_squared<R: Real>(a: [R; 2], b: [R; 2]) -> R {
        let x = a[0] - b[0];
        x * x
    }
    fn area_squared(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> f64 {
        let ([ax, az], [bx, bz]) = ([a[0] - b[0], a[1] - b[1]], [c[0] - d[0], c[1] - d[1]]);
        let normal = az * bx - ax * bz;
        normal * normal
    }
    #[inline(always)]
    fn contact_frame<R: Real>(
        base_position: Vector<R>,
        _: Rotation<R>,
        at: [R; 2],
        _: &mut [R],
        _: usize,
    ) -> ContactFrame<R> {
        let (zero, one) = (R::zero(), R::splat(1.0));
        ContactFrame {
            point: [at[0] - base_position[0], at[1] - base_position[2]],
            up: [zero, one],
            along: [one, zero],
        }
    }
    #[inline(always)]
    fn rotate_contact_frame<R: Real>(
        rotation: Rotation<R>,
        frame: ContactFrame<R>,
    ) -> ContactFrame<R> {
        ContactFrame {
            point: rotation.apply(frame.point),
            up: rotation.apply(frame.up),
            along: rotation.apply(frame.along),
        }
    }
    #[inline(always)]
    fn translate_contact_frame<R: Real>([x, z]: [R; 2], frame: ContactFrame<R>) -> ContactFrame<R> {
        ContactFrame { point: [frame.point[0] - x, frame.point[1] - z], ..frame }
    }
    #[inline(always)]
    fn joint_jacobian<R: Real>(axis: &Axis, frame: ContactFrame<R>) -> [R; 3] {
        let [x, z] = match *axis {
            Axis::Prismatic { direction } => Plane::point(direction),
            Axis::Revolute { spin, .. } => {
                let spin = R::splat(spin[1]);
                [spin * frame.point[1], -(spin * frame.point[0])]
            }
        };
        let ContactFrame { up, along, .. } = frame;
        [up[0] * x + up[1] * z, along[0] * x + along[1] * z, R::zero()]
    }
}
