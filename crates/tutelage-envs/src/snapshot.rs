//! Snapshots of a robot for drawing: its solids and their poses.

use articulated::{CollisionShape, Geometry, LinkId, World};
use tutelage_draw::render::{Body, Colour, Pose, Scene, Shape};

use crate::task::LocomotionTask;
use crate::{Locomotion, LocomotionVecEnv, Robot};

/// A robot as it can be drawn at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Which robot this is.
    pub robot: Robot,
    /// Its solids, always in the same order.
    pub scene: Scene,
    /// World position of the torso: the point for a camera to follow.
    pub torso: [f64; 3],
}

impl Locomotion {
    /// The robot as it is now.
    pub fn snapshot(&self) -> Snapshot {
        self.task.snapshot(self.world(), 0)
    }
}

impl LocomotionVecEnv {
    /// The robot of one lane as it is now.
    pub fn snapshot(&self, lane: usize) -> Snapshot {
        let (world, place) = self.place(lane);
        self.task.snapshot(world, place)
    }
}

impl LocomotionTask {
    fn snapshot(&self, world: &World, lane: usize) -> Snapshot {
        let scene = Scene { bodies: self.bodies(world, lane) };
        Snapshot { robot: self.robot, scene, torso: world.position(lane, self.torso) }
    }

    fn bodies(&self, world: &World, lane: usize) -> Vec<Body> {
        let body = &self.model.body;
        let shapes =
            std::iter::once(&body.base.shapes).chain(body.links.iter().map(|link| &link.shapes));
        let links = std::iter::once(LinkId::Base).chain((0..).map(LinkId::Link));
        let mut bodies = Vec::new();
        for ((link, shapes), &colour) in links.zip(shapes).zip(&self.model.colours) {
            let pose =
                Pose { position: world.position(lane, link), rotation: world.rotation(lane, link) };
            bodies.extend(shapes.iter().map(|shape| place(shape, pose, colour)));
        }
        bodies
    }
}

fn place(shape: &CollisionShape, link: Pose, colour: Colour) -> Body {
    let (shape, local) = match shape.geometry {
        Geometry::Sphere { radius } => {
            (Shape::Sphere { radius }, Pose { position: shape.position, rotation: shape.rotation })
        }
        Geometry::Capsule { radius, length } => (
            Shape::Capsule { radius, half_length: 0.5 * length },
            Pose { position: shape.position, rotation: shape.rotation },
        ),
        Geometry::Segment { radius, from, to } => {
            let middle = [0, 1, 2].map(|i| shape.position[i] + 0.5 * (from[i] + to[i]));
            let along = [0, 1, 2].map(|i| 0.5 * (to[i] - from[i]));
            let half_length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
            (
                Shape::Capsule { radius, half_length },
                Pose { position: middle, rotation: from_z_to(along.map(|x| x / half_length)) },
            )
        }
    };
    let offset = rotate(link.rotation, local.position);
    let position = [0, 1, 2].map(|i| link.position[i] + offset[i]);
    Body {
        shape,
        pose: Pose { position, rotation: multiply(link.rotation, local.rotation) },
        colour,
    }
}

/// The shortest rotation that takes the z axis to a unit vector.
fn from_z_to([x, y, z]: [f64; 3]) -> [f64; 4] {
    if z < -0.999_999 {
        return [1.0, 0.0, 0.0, 0.0]; // half a turn about x
    }
    let scale = (2.0 * (1.0 + z)).sqrt();
    [-y / scale, x / scale, 0.0, 0.5 * scale]
}

/// The rotation `b` followed by `a`.
fn multiply(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn rotate(rotation: [f64; 4], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let [qx, qy, qz, qw] = rotation;
    let [rx, ry, rz, _] = multiply(multiply(rotation, [x, y, z, 0.0]), [-qx, -qy, -qz, qw]);
    [rx, ry, rz]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Robot;

    fn ends(body: &Body) -> [[f64; 3]; 2] {
        let Shape::Capsule { half_length, .. } = body.shape else { return [body.pose.position; 2] };
        [-half_length, half_length].map(|z| {
            let offset = rotate(body.pose.rotation, [0.0, 0.0, z]);
            [0, 1, 2].map(|i| body.pose.position[i] + offset[i])
        })
    }

    #[test]
    fn neighbouring_bones_share_an_end_in_any_pose() {
        let mut env = Locomotion::new(Robot::Hopper).unwrap();
        env.reset_to(&[-0.7, -1.1, 0.4], &mut [0.0; 15]).unwrap();
        let bodies = env.snapshot().scene.bodies;
        assert_eq!(bodies.len(), 4);
        for pair in bodies[..3].windows(2) {
            let (bottom, top) = (ends(&pair[0])[1], ends(&pair[1])[0]);
            let gap = (0..3).map(|i| (bottom[i] - top[i]).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-7, "{bottom:?} {top:?}"); // dimensions are single precision
        }
    }

    #[test]
    fn an_ant_has_a_ball_and_twelve_bones_above_the_floor() {
        let mut env = Locomotion::new(Robot::Ant).unwrap();
        env.reset_to(&[0.0; 8], &mut [0.0; 28]).unwrap();
        let Snapshot { scene: Scene { bodies }, torso, .. } = env.snapshot();
        assert_eq!(bodies.len(), 13);
        assert_eq!(bodies[0].shape, Shape::Sphere { radius: 0.25 });
        assert!(bodies.iter().all(|body| (body.pose.position[2] - 0.75).abs() < 1e-9));
        assert_eq!(torso, [0.0, 0.0, 0.75]);
    }

    #[test]
    fn a_lane_of_a_herd_looks_as_a_robot_alone_does() {
        let mut env = Locomotion::new(Robot::Ant).unwrap();
        let mut envs = LocomotionVecEnv::new(Robot::Ant, 6).unwrap();
        for lane in 0..6 {
            let pose = [0.02 * lane as f64; 8];
            envs.reset_to(lane, &pose).unwrap();
            env.reset_to(&pose, &mut [0.0; 28]).unwrap();
            assert_eq!(envs.snapshot(lane), env.snapshot());
        }
        assert_ne!(envs.snapshot(0), envs.snapshot(5));
    }
}
