//! Spatial algebra: the operations that the physics needs, generic over the space of motion.
//!
//! The passes over a body are written once, in terms of Featherstone's spatial vectors.
//! [`crate::space::Space`] gives those vectors all of their components; [`crate::plane::Plane`]
//! leaves out the ones that are exactly zero for a body that moves in the plane of x and z. What it
//! leaves out are products with zero and sums with zero, so that every number that remains has the
//! same bits.

use crate::body::Geometry;
use crate::multibody::{Axis, MassProperties, MultiBody};
use crate::simd::Real;
use crate::vector::{Matrix, Quaternion, Vector, constant};

/// A fixed number of values of one type.
pub(crate) trait Parts<R>: Copy + Send + Sync + AsRef<[R]> + AsMut<[R]> {}

impl<R: Copy + Send + Sync, T: Copy + Send + Sync + AsRef<[R]> + AsMut<[R]>> Parts<R> for T {}

/// A node's pose in the world: `rotation` maps its directions to the world's.
#[derive(Clone, Copy)]
pub(crate) struct Pose<A: Algebra, R: Real> {
    pub(crate) rotation: A::Rotation<R>,
    pub(crate) origin: A::Point<R>,
}

/// Spatial algebra over the numbers `R`.
///
/// Motions are velocities and accelerations (spin, and velocity of the center of mass); forces are
/// pairs of a force and a torque about the center of mass. All of them are in the frame of the node
/// they belong to.
pub(crate) trait Algebra: Copy + Send + Sync + 'static {
    /// Coordinates of the base's velocity.
    const BASE: usize;
    /// Directions of contact forces: up, and along the floor.
    const DIRECTIONS: usize;

    /// A point, an offset or a direction.
    type Point<R: Real>: Parts<R>;
    /// A rotation as a quaternion.
    type Orientation<R: Real>: Parts<R>;
    /// A rotation as a matrix.
    type Rotation<R: Real>: Copy + Send + Sync;
    type Motion<R: Real>: Copy + Send + Sync;
    type Force<R: Real>: Copy + Send + Sync;
    /// A symmetric map from motions to forces.
    type Inertia<R: Real>: Copy + Send + Sync;
    /// The base's inverse inertia.
    type InverseInertia<R: Real>: Copy + Send + Sync;
    /// A point of contact and the directions of its forces, in the frame of a node.
    type ContactFrame<R: Real>: Copy + Send + Sync;

    // Rotations and points.
    #[inline(always)]
    fn point<R: Real>(v: [f64; 3]) -> Self::Point<R> {
        Self::from_xyz(constant(v))
    }
    fn from_xyz<R: Real>(v: Vector<R>) -> Self::Point<R>;
    /// One lane of a point.
    fn lane_xyz<R: Real>(p: Self::Point<R>, lane: usize) -> Vector<f64>;
    fn add<R: Real>(a: Self::Point<R>, b: Self::Point<R>) -> Self::Point<R>;
    fn add_scaled<R: Real>(a: Self::Point<R>, b: [f64; 3], factor: R) -> Self::Point<R>;
    fn base_orientation<R: Real>(q: Quaternion<R>) -> Self::Orientation<R>;
    /// The rotation of a revolute joint, from the sine (over the length of its axis) and cosine of
    /// half its angle.
    fn revolute_orientation<R: Real>(axis: [f64; 3], sine: R, cosine: R) -> Self::Orientation<R>;
    /// The rotation `b` followed by `a`.
    fn compose<R: Real>(a: Self::Orientation<R>, b: Self::Orientation<R>) -> Self::Orientation<R>;
    fn conjugate<R: Real>(spin: Self::Orientation<R>) -> Self::Orientation<R>;
    fn rotate<R: Real>(spin: Self::Orientation<R>, p: Self::Point<R>) -> Self::Point<R>;
    fn rotation<R: Real>(spin: Self::Orientation<R>) -> Self::Rotation<R>;
    /// The rotation of a revolute joint, like [`Algebra::revolute_orientation`].
    #[inline(always)]
    fn revolute_rotation<R: Real>(axis: [f64; 3], sine: R, cosine: R) -> Self::Rotation<R> {
        Self::rotation(Self::revolute_orientation(axis, sine, cosine))
    }
    fn rotate_point<R: Real>(rotation: Self::Rotation<R>, p: Self::Point<R>) -> Self::Point<R>;

    // Motions.
    fn zero_motion<R: Real>() -> Self::Motion<R>;
    fn add_motion<R: Real>(a: Self::Motion<R>, b: Self::Motion<R>) -> Self::Motion<R>;
    fn rotate_motion<R: Real>(
        rotation: Self::Rotation<R>,
        motion: Self::Motion<R>,
    ) -> Self::Motion<R>;
    /// The same motion, seen from a point at `offset`.
    fn translate_motion<R: Real>(
        offset: Self::Point<R>,
        motion: Self::Motion<R>,
    ) -> Self::Motion<R>;
    /// `motion` plus the joint's motion at this speed.
    fn add_joint<R: Real>(motion: Self::Motion<R>, axis: &Axis, speed: R) -> Self::Motion<R>;
    /// Acceleration of a link that moves at `velocity`, some of which is due to its joint.
    fn coriolis<R: Real>(velocity: Self::Motion<R>, axis: &Axis, speed: R) -> Self::Motion<R>;

    // Forces.
    fn zero_force<R: Real>() -> Self::Force<R>;
    fn add_force<R: Real>(a: Self::Force<R>, b: Self::Force<R>) -> Self::Force<R>;
    fn add_scaled_force<R: Real>(a: Self::Force<R>, b: Self::Force<R>, factor: R)
    -> Self::Force<R>;
    /// A child's force at `offset`, as it acts on its parent's center of mass.
    fn translate_force<R: Real>(offset: Self::Point<R>, force: Self::Force<R>) -> Self::Force<R>;
    fn rotate_force_back<R: Real>(
        rotation: Self::Rotation<R>,
        force: Self::Force<R>,
    ) -> Self::Force<R>;
    /// Power of a force under a motion.
    fn dot<R: Real>(motion: Self::Motion<R>, force: Self::Force<R>) -> R;
    /// Power of a force under a unit of joint velocity.
    fn joint_component<R: Real>(axis: &Axis, force: Self::Force<R>) -> R;
    /// The force that keeps a body from accelerating: weight (`up` is the world's vertical),
    /// damping and gyration.
    fn bias_force<R: Real>(
        body: &MassProperties,
        weight: f64,
        up: Self::Point<R>,
        velocity: Self::Motion<R>,
    ) -> Self::Force<R>;

    // Inertias.
    fn rigid_inertia<R: Real>(body: &MassProperties) -> Self::Inertia<R>;
    fn add_inertia<R: Real>(a: Self::Inertia<R>, b: Self::Inertia<R>) -> Self::Inertia<R>;
    fn times<R: Real>(inertia: Self::Inertia<R>, motion: Self::Motion<R>) -> Self::Force<R>;
    fn times_axis<R: Real>(inertia: Self::Inertia<R>, axis: &Axis) -> Self::Force<R>;
    /// I − h hᵀ · `inverse`.
    fn without_joint<R: Real>(
        inertia: Self::Inertia<R>,
        h: Self::Force<R>,
        inverse: R,
    ) -> Self::Inertia<R>;
    fn translate_inertia<R: Real>(
        offset: Self::Point<R>,
        inertia: Self::Inertia<R>,
    ) -> Self::Inertia<R>;
    fn rotate_inertia_back<R: Real>(
        rotation: Self::Rotation<R>,
        inertia: Self::Inertia<R>,
    ) -> Self::Inertia<R>;

    // The base.
    fn base_velocity<R: Real>(rotation: Self::Rotation<R>, velocity: &[R]) -> Self::Motion<R>;
    /// The world's vertical in the frame of the base.
    fn base_up<R: Real>(rotation: Self::Rotation<R>) -> Self::Point<R>;
    /// Inverts the articulated inertia of the base.
    fn invert_base_inertia<R: Real>(
        multibody: &MultiBody,
        inertia: Self::Inertia<R>,
    ) -> Self::InverseInertia<R>;
    /// The acceleration of the base from Z: `btMultiBody::solveImatrix`, negated.
    fn solve_base<R: Real>(
        inverse: &Self::InverseInertia<R>,
        force: Self::Force<R>,
    ) -> Self::Motion<R>;
    /// A force on the base along its part of a row of the solver.
    fn base_impulse<R: Real>(
        rotation: Self::Rotation<R>,
        row: &[R],
        passed: Self::Force<R>,
    ) -> Self::Force<R>;
    /// The base's part of velocity coordinates.
    fn base_coordinates<R: Real>(
        rotation: Self::Rotation<R>,
        motion: Self::Motion<R>,
        coordinates: &mut [R],
    );
    /// The acceleration of a moving frame as the world sees it.
    fn classical_acceleration<R: Real>(
        acceleration: Self::Motion<R>,
        velocity: Self::Motion<R>,
    ) -> Self::Motion<R>;
    /// Integrates the base.
    fn integrate_base<R: Real>(
        time_step: f64,
        velocity: &[R],
        position: &mut Vector<R>,
        rotation: &mut Quaternion<R>,
    );

    // Contacts.
    fn to_world<R: Real>(pose: &Pose<Self, R>, p: Self::Point<R>) -> Self::Point<R>;
    fn to_local<R: Real>(pose: &Pose<Self, R>, p: Self::Point<R>) -> Self::Point<R>;
    fn compose_rotation<R: Real>(
        rotation: Self::Rotation<R>,
        inner: &Matrix<f64>,
    ) -> Self::Rotation<R>;
    /// The lowest point of a shape.
    fn support_point<R: Real>(geometry: &Geometry, pose: &Pose<Self, R>) -> Self::Point<R>;
    fn height<R: Real>(p: Self::Point<R>) -> R;
    /// Squared distance.
    fn distance_squared<R: Real>(a: Self::Point<R>, b: Self::Point<R>) -> R;
    /// Squared distance along the floor.
    fn floor_distance_squared<R: Real>(a: Self::Point<R>, b: Self::Point<R>) -> R;
    /// Squared area of the parallelogram between `a` to `b` and `c` to `d`.
    fn area_squared(
        a: Self::Point<f64>,
        b: Self::Point<f64>,
        c: Self::Point<f64>,
        d: Self::Point<f64>,
    ) -> f64;
    /// A contact in the frame of the base; the base's part of each direction's row goes to `rows`,
    /// `stride` apart.
    fn contact_frame<R: Real>(
        base_position: Vector<R>,
        base_rotation: Self::Rotation<R>,
        at: Self::Point<R>,
        rows: &mut [R],
        stride: usize,
    ) -> Self::ContactFrame<R>;
    fn rotate_contact_frame<R: Real>(
        rotation: Self::Rotation<R>,
        frame: Self::ContactFrame<R>,
    ) -> Self::ContactFrame<R>;
    fn translate_contact_frame<R: Real>(
        offset: Self::Point<R>,
        frame: Self::ContactFrame<R>,
    ) -> Self::ContactFrame<R>;
    /// The velocity of the point along each direction per unit of joint velocity.
    fn joint_jacobian<R: Real>(axis: &Axis, frame: Self::ContactFrame<R>) -> [R; 3];
}
