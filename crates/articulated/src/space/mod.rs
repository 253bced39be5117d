//! Spatial algebra with all three dimensions.
//!
//! Products with structural zeros are left out: those of skew matrices, of the unused half of a
//! joint axis, and of the floor's normal. For finite numbers this changes no bit except the sign of
//! a zero, which `tools/bullet-oracle` compares as well.

mod contact_frame;
mod inertia;
mod inverse_inertia;

use crate::algebra::{Algebra, Pose};
use crate::body::Geometry;
use crate::damping::damping;
use crate::multibody::{Axis, MassProperties, MultiBody};
use crate::rotation::{Rotation, integrate_rotation};
use crate::shape::MARGIN;
use crate::simd::Real;
use crate::vector::{
    self, Matrix, Quaternion, Vector, add, choose, constant, cross, dot, length, matrix, neg,
    product, rotate, safe_norm, scale, sub, times,
};

use self::contact_frame::ContactFrame;
use self::inertia::Inertia;
use self::inverse_inertia::InverseInertia;

/// The algebra of a body that moves freely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space;

/// `btSpatialMotionVector`: angular velocity, then linear velocity.
#[derive(Clone, Copy)]
pub(crate) struct Motion<R> {
    spin: Vector<R>,
    linear: Vector<R>,
}

/// `btSpatialForceVector`.
#[derive(Clone, Copy)]
pub(crate) struct Force<R> {
    linear: Vector<R>,
    torque: Vector<R>,
}

impl Algebra for Space {
    const BASE: usize = 6;
    const DIRECTIONS: usize = 3;

    type Point<R: Real> = Vector<R>;
    type Orientation<R: Real> = Quaternion<R>;
    type Rotation<R: Real> = Rotation<R>;
    type Motion<R: Real> = Motion<R>;
    type Force<R: Real> = Force<R>;
    type Inertia<R: Real> = Inertia<R>;
    type InverseInertia<R: Real> = InverseInertia<R>;
    type ContactFrame<R: Real> = ContactFrame<R>;

    #[inline(always)]
    fn from_xyz<R: Real>(v: Vector<R>) -> Vector<R> {
        v
    }
    #[inline(always)]
    fn lane_xyz<R: Real>(p: Vector<R>, lane: usize) -> Vector<f64> {
        [p[0].lanes()[lane], p[1].lanes()[lane], p[2].lanes()[lane]]
    }
    #[inline(always)]
    fn add<R: Real>(a: Vector<R>, b: Vector<R>) -> Vector<R> {
        add(a, b)
    }
    #[inline(always)]
    fn add_scaled<R: Real>(a: Vector<R>, b: [f64; 3], factor: R) -> Vector<R> {
        add(a, scale(constant(b), factor))
    }
    #[inline(always)]
    fn base_orientation<R: Real>(q: Quaternion<R>) -> Quaternion<R> {
        q
    }
    #[inline(always)]
    fn revolute_orientation<R: Real>(axis: [f64; 3], sine: R, cosine: R) -> Quaternion<R> {
        let [x, y, z] = scale(constant(axis), sine);
        [x, y, z, cosine]
    }
    #[inline(always)]
    fn compose<R: Real>(a: Quaternion<R>, b: Quaternion<R>) -> Quaternion<R> {
        vector::compose(a, b)
    }
    #[inline(always)]
    fn conjugate<R: Real>(spin: Quaternion<R>) -> Quaternion<R> {
        vector::conjugate(spin)
    }
    #[inline(always)]
    fn rotate<R: Real>(spin: Quaternion<R>, p: Vector<R>) -> Vector<R> {
        rotate(spin, p)
    }
    #[inline(always)]
    fn rotation<R: Real>(spin: Quaternion<R>) -> Rotation<R> {
        Rotation::Any(matrix(spin))
    }
    #[inline(always)]
    fn revolute_rotation<R: Real>(axis: [f64; 3], sine: R, cosine: R) -> Rotation<R> {
        if axis[0] != 0.0 || axis[1] != 0.0 {
            return Space::rotation(Space::revolute_orientation(axis, sine, cosine));
        }
        // The matrix of a quaternion (0, 0, z, w), without the products that are zero.
        let z = R::splat(axis[2]) * sine;
        let scaled = z * (R::splat(2.0) / (z * z + cosine * cosine));
        Rotation::AboutZ { cos: R::splat(1.0) - z * scaled, sin: -(cosine * scaled) }
    }
    #[inline(always)]
    fn rotate_point<R: Real>(rotation: Rotation<R>, p: Vector<R>) -> Vector<R> {
        rotation.apply(p)
    }

    #[inline(always)]
    fn zero_motion<R: Real>() -> Motion<R> {
        Motion { spin: [R::zero(); 3], linear: [R::zero(); 3] }
    }
    #[inline(always)]
    fn add_motion<R: Real>(a: Motion<R>, b: Motion<R>) -> Motion<R> {
        Motion { spin: add(a.spin, b.spin), linear: add(a.linear, b.linear) }
    }
    #[inline(always)]
    fn rotate_motion<R: Real>(rotation: Rotation<R>, motion: Motion<R>) -> Motion<R> {
        Motion { spin: rotation.apply(motion.spin), linear: rotation.apply(motion.linear) }
    }
    #[inline(always)]
    fn translate_motion<R: Real>(offset: Vector<R>, motion: Motion<R>) -> Motion<R> {
        let Motion { spin, linear } = motion;
        Motion { spin, linear: add(neg(cross(offset, spin)), linear) }
    }
    #[inline(always)]
    fn add_joint<R: Real>(motion: Motion<R>, axis: &Axis, speed: R) -> Motion<R> {
        let Motion { spin, linear } = motion;
        match *axis {
            Axis::Prismatic { direction } => {
                Motion { spin, linear: add(linear, scale(constant(direction), speed)) }
            }
            Axis::Revolute { spin: axis, center_velocity, .. } => Motion {
                spin: add(spin, scale(constant(axis), speed)),
                linear: match center_velocity {
                    Some(center_velocity) => add(linear, scale(constant(center_velocity), speed)),
                    None => linear,
                },
            },
        }
    }
    #[inline(always)]
    fn coriolis<R: Real>(velocity: Motion<R>, axis: &Axis, speed: R) -> Motion<R> {
        match *axis {
            Axis::Prismatic { direction } => Motion {
                spin: [R::zero(); 3],
                linear: cross(velocity.spin, scale(constant(direction), speed)),
            },
            Axis::Revolute { spin, center_velocity, .. } => {
                let spin = scale(constant(spin), speed);
                let turning = cross(velocity.linear, spin);
                let linear = match center_velocity {
                    Some(center_velocity) => {
                        add(turning, cross(velocity.spin, scale(constant(center_velocity), speed)))
                    }
                    None => turning,
                };
                Motion { spin: cross(velocity.spin, spin), linear }
            }
        }
    }

    #[inline(always)]
    fn zero_force<R: Real>() -> Force<R> {
        Force { linear: [R::zero(); 3], torque: [R::zero(); 3] }
    }
    #[inline(always)]
    fn add_force<R: Real>(a: Force<R>, b: Force<R>) -> Force<R> {
        Force { linear: add(a.linear, b.linear), torque: add(a.torque, b.torque) }
    }
    #[inline(always)]
    fn add_scaled_force<R: Real>(a: Force<R>, b: Force<R>, factor: R) -> Force<R> {
        Force {
            linear: add(a.linear, scale(b.linear, factor)),
            torque: add(a.torque, scale(b.torque, factor)),
        }
    }
    #[inline(always)]
    fn translate_force<R: Real>(offset: Vector<R>, force: Force<R>) -> Force<R> {
        let Force { linear, torque } = force;
        Force { linear, torque: add(torque, cross(offset, linear)) }
    }
    #[inline(always)]
    fn rotate_force_back<R: Real>(rotation: Rotation<R>, force: Force<R>) -> Force<R> {
        Force {
            linear: rotation.apply_back(force.linear),
            torque: rotation.apply_back(force.torque),
        }
    }
    #[inline(always)]
    fn dot<R: Real>(motion: Motion<R>, force: Force<R>) -> R {
        dot(motion.linear, force.linear) + dot(motion.spin, force.torque)
    }
    #[inline(always)]
    fn joint_component<R: Real>(axis: &Axis, force: Force<R>) -> R {
        match *axis {
            Axis::Prismatic { direction } => dot(constant(direction), force.linear),
            Axis::Revolute { spin, center_velocity: Some(center_velocity), .. } => {
                dot(constant(center_velocity), force.linear) + dot(constant(spin), force.torque)
            }
            Axis::Revolute { spin, center_velocity: None, .. } => dot(constant(spin), force.torque),
        }
    }
    #[inline(always)]
    fn bias_force<R: Real>(
        body: &MassProperties,
        weight: f64,
        up: Vector<R>,
        velocity: Motion<R>,
    ) -> Force<R> {
        let Motion { spin, linear } = velocity;
        let (mass, momentum) = (R::splat(body.mass), times(constant(body.inertia), spin));
        // Gravity, then damping, then the gyroscopic term: the order in which Bullet adds them to
        // `zeroAccSpatFrc`.
        let mut force = neg(scale(up, R::splat(weight)));
        force = add(force, scale(scale(linear, mass), damping(safe_norm(dot(linear, linear)))));
        force = add(force, scale(cross(spin, linear), mass));
        let torque = scale(momentum, damping(safe_norm(dot(spin, spin))));
        Force { linear: force, torque: add(torque, cross(spin, momentum)) }
    }

    #[inline(always)]
    fn rigid_inertia<R: Real>(body: &MassProperties) -> Inertia<R> {
        Inertia::rigid_inertia(body)
    }
    #[inline(always)]
    fn add_inertia<R: Real>(a: Inertia<R>, b: Inertia<R>) -> Inertia<R> {
        a.plus(b)
    }
    #[inline(always)]
    fn times<R: Real>(inertia: Inertia<R>, motion: Motion<R>) -> Force<R> {
        inertia.times(motion)
    }
    #[inline(always)]
    fn times_axis<R: Real>(inertia: Inertia<R>, axis: &Axis) -> Force<R> {
        inertia.times_axis(axis)
    }
    #[inline(always)]
    fn without_joint<R: Real>(inertia: Inertia<R>, h: Force<R>, inverse: R) -> Inertia<R> {
        inertia.without_joint(h, inverse)
    }
    #[inline(always)]
    fn translate_inertia<R: Real>(offset: Vector<R>, inertia: Inertia<R>) -> Inertia<R> {
        inertia.translated(offset)
    }
    #[inline(always)]
    fn rotate_inertia_back<R: Real>(rotation: Rotation<R>, inertia: Inertia<R>) -> Inertia<R> {
        inertia.rotated_back(rotation)
    }

    #[inline(always)]
    fn base_velocity<R: Real>(rotation: Rotation<R>, velocity: &[R]) -> Motion<R> {
        Motion {
            spin: rotation.apply([velocity[0], velocity[1], velocity[2]]),
            linear: rotation.apply([velocity[3], velocity[4], velocity[5]]),
        }
    }
    #[inline(always)]
    fn base_up<R: Real>(rotation: Rotation<R>) -> Vector<R> {
        let [x, y, z] = rotation.rows();
        [x[2], y[2], z[2]]
    }
    #[inline(always)]
    fn invert_base_inertia<R: Real>(
        multibody: &MultiBody,
        inertia: Inertia<R>,
    ) -> InverseInertia<R> {
        InverseInertia::new(multibody, inertia)
    }
    #[inline(always)]
    fn solve_base<R: Real>(inverse: &InverseInertia<R>, force: Force<R>) -> Motion<R> {
        inverse.acceleration(force)
    }
    #[inline(always)]
    fn base_impulse<R: Real>(rotation: Rotation<R>, row: &[R], passed: Force<R>) -> Force<R> {
        let torque = neg([row[0], row[1], row[2]]);
        let linear = neg([row[3], row[4], row[5]]);
        let own = Force { linear: rotation.apply(linear), torque: rotation.apply(torque) };
        Space::add_force(own, passed)
    }
    #[inline(always)]
    fn base_coordinates<R: Real>(rotation: Rotation<R>, motion: Motion<R>, coordinates: &mut [R]) {
        coordinates[..3].copy_from_slice(&rotation.apply_back(motion.spin));
        coordinates[3..6].copy_from_slice(&rotation.apply_back(motion.linear));
    }
    #[inline(always)]
    fn classical_acceleration<R: Real>(acceleration: Motion<R>, velocity: Motion<R>) -> Motion<R> {
        let turning = cross(velocity.spin, velocity.linear);
        Motion { spin: acceleration.spin, linear: add(acceleration.linear, turning) }
    }
    #[inline(always)]
    fn integrate_base<R: Real>(
        time_step: f64,
        velocity: &[R],
        position: &mut Vector<R>,
        rotation: &mut Quaternion<R>,
    ) {
        let dt = R::splat(time_step);
        for i in 0..3 {
            position[i] = position[i] + dt * velocity[3 + i];
        }
        *rotation =
            integrate_rotation(time_step, [velocity[0], velocity[1], velocity[2]], *rotation);
    }

    #[inline(always)]
    fn to_world<R: Real>(pose: &Pose<Space, R>, p: Vector<R>) -> Vector<R> {
        add(pose.rotation.apply(p), pose.origin)
    }
    #[inline(always)]
    fn to_local<R: Real>(pose: &Pose<Space, R>, p: Vector<R>) -> Vector<R> {
        pose.rotation.apply_back(sub(p, pose.origin))
    }
    #[inline(always)]
    fn compose_rotation<R: Real>(rotation: Rotation<R>, inner: &Matrix<f64>) -> Rotation<R> {
        Rotation::Any(product(rotation.rows(), inner.map(constant)))
    }
    #[inline(always)]
    fn support_point<R: Real>(geometry: &Geometry, pose: &Pose<Space, R>) -> Vector<R> {
        // `localGetSupportingVertex` of each shape in the direction of gravity. Its length is 1
        // except for rounding, but Bullet normalizes it, so we must.
        let down = neg(pose.rotation.rows()[2]);
        let down = scale(down, R::splat(1.0) / length(down));
        let vertex = match *geometry {
            Geometry::Sphere { radius } => scale(down, R::splat(radius)),
            Geometry::Capsule { radius, length } => {
                let half = R::splat(0.5 * length);
                let end = R::select(R::zero().gt(down[2]), -half, half);
                add([R::zero(), R::zero(), end], scale(down, R::splat(radius)))
            }
            Geometry::Segment { radius, from, to } => {
                // `btMultiSphereShape` subtracts the collision margin from the vertex and adds it
                // back later. The two do not cancel in the last bit.
                let (deep, margin) = (scale(down, R::splat(radius)), scale(down, R::splat(MARGIN)));
                let from = sub(add(constant(from), deep), margin);
                let to = sub(add(constant(to), deep), margin);
                let further = dot(to, down).gt(dot(from, down));
                add(choose(further, to, from), margin)
            }
        };
        Space::to_world(pose, vertex)
    }
    #[inline(always)]
    fn height<R: Real>(p: Vector<R>) -> R {
        p[2]
    }
    #[inline(always)]
    fn distance_squared<R: Real>(a: Vector<R>, b: Vector<R>) -> R {
        let difference = sub(a, b);
        dot(difference, difference)
    }
    #[inline(always)]
    fn floor_distance_squared<R: Real>(a: Vector<R>, b: Vector<R>) -> R {
        let (x, y) = (a[0] - b[0], a[1] - b[1]);
        x * x + y * y
    }
    fn area_squared(a: Vector<f64>, b: Vector<f64>, c: Vector<f64>, d: Vector<f64>) -> f64 {
        let normal = cross(sub(a, b), sub(c, d));
        dot(normal, normal)
    }
    #[inline(always)]
    fn contact_frame<R: Real>(
        base_position: Vector<R>,
        base_rotation: Rotation<R>,
        at: Vector<R>,
        rows: &mut [R],
        stride: usize,
    ) -> ContactFrame<R> {
        ContactFrame::new(sub(at, base_position), rows, stride).rotated(base_rotation)
    }
    #[inline(always)]
    fn rotate_contact_frame<R: Real>(
        rotation: Rotation<R>,
        frame: ContactFrame<R>,
    ) -> ContactFrame<R> {
        frame.rotated(rotation)
    }
    #[inline(always)]
    fn translate_contact_frame<R: Real>(
        offset: Vector<R>,
        frame: ContactFrame<R>,
    ) -> ContactFrame<R> {
        frame.translated(offset)
    }
    #[inline(always)]
    fn joint_jacobian<R: Real>(axis: &Axis, frame: ContactFrame<R>) -> [R; 3] {
        frame.of(axis)
    }
}
