//! Drawings of robots: solids, their poses, and a camera that follows.

use articulated::{CollisionShape, Geometry, LinkId, World};
use tutelage_draw::Color;
use tutelage_draw::render::{Body, Camera, Drawing, Pose, Render, Scene, Shape};

use crate::bullet::task::LocomotionTask;
use crate::bullet::{Locomotion, LocomotionVecEnv, Robot};

impl Render for Locomotion {
    fn render(&self) -> Drawing {
        self.task.scene(self.world(), 0).into()
    }
}

impl LocomotionVecEnv {
    /// Describes what the robot of a lane looks like now.
    pub fn render(&self, lane: usize) -> Drawing {
        let (world, place) = self.place(lane);
        self.task.scene(world, place).into()
    }
}

impl LocomotionTask {
    fn scene(&self, world: &World, lane: usize) -> Scene {
        let camera = self.camera(world.position(lane, self.torso));
        Scene { bodies: self.bodies(world, lane), camera }
    }

    /// Follows the torso along the ground, at a height that shows the whole robot.
    fn camera(&self, [x, y, _]: [f64; 3]) -> Camera {
        match self.robot {
            Robot::Hopper | Robot::Walker2d => Camera::from_side([x, 0.0, 0.75], 4.2),
            Robot::HalfCheetah => Camera::from_side([x, 0.0, 0.5], 4.2),
            Robot::Ant => Camera::at_an_angle([x, y, 0.4], 4.5),
        }
    }

    fn bodies(&self, world: &World, lane: usize) -> Vec<Body> {
        let body = &self.model.body;
        let shapes =
            std::iter::once(&body.base.shapes).chain(body.links.iter().map(|link| &link.shapes));
        let links = std::iter::once(LinkId::Base).chain((0..).map(LinkId::Link));
        let mut bodies = Vec::new();
        for ((link, shapes), &color) in links.zip(shapes).zip(&self.model.colors) {
            let pose =
                Pose { position: world.position(lane, link), rotation: world.rotation(lane, link) };
            bodies.extend(shapes.iter().map(|shape| place(shape, pose, color)));
        }
        bodies
    }
}

fn place(shape: &CollisionShape, link: Pose, color: Color) -> Body {
    let (shape, position, rotation) = match shape.geometry {
        Geometry::Sphere { radius } => (Shape::Sphere { radius }, shape.position, shape.rotation),
        Geometry::Capsule { radius, length } => {
            (Shape::Capsule { radius, half_length: 0.5 * length }, shape.position, shape.rotation)
        }
        Geometry::Segment { radius, from, to } => {
            let middle = [0, 1, 2].map(|i| shape.position[i] + 0.5 * (from[i] + to[i]));
            let along = [0, 1, 2].map(|i| 0.5 * (to[i] - from[i]));
            let half_length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
            let rotation = from_z_to(along.map(|x| x / half_length));
            (Shape::Capsule { radius, half_length }, middle, rotation)
        }
    };
    let offset = rotate(link.rotation, position);
    let position = [0, 1, 2].map(|i| link.position[i] + offset[i]);
    Body { shape, pose: Pose { position, rotation: multiply(link.rotation, rotation) }, color }
}

/// Returns the shortest rotation that takes the z axis to a unit vector.
fn from_z_to([x, y, z]: [f64; 3]) -> [f64; 4] {
    if z < -0.999_999 {
        return [1.0, 0.0, 0.0, 0.0]; // half a turn about x
    }
    let scale = (2.0 * (1.0 + z)).sqrt();
    [-y / scale, x / scale, 0.0, 0.5 * scale]
}

/// Returns the rotation `b` followed by `a`.
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

    fn scene(env: &Locomotion) -> Scene {
        env.task.scene(env.world(), 0)
    }

    fn ends(body: &Body) -> [[f64; 3]; 2] {
        let Shape::Capsule { half_length, .. } = body.shape else { return [body.pose.position; 2] };
        [-half_length, half_length].map(|z| {
            let offset = rotate(body.pose.rotation, [0.0, 0.0, z]);
            [0, 1, 2].map(|i| body.pose.position[i] + offset[i])
        })
    }

    #[test]
    fn adjacent_bones_share_an_end() {
        let mut env = Locomotion::new(Robot::Hopper).unwrap();
        env.reset_to(&[-0.7, -1.1, 0.4], &mut [0.0; 15]).unwrap();
        let bodies = scene(&env).bodies;
        assert_eq!(bodies.len(), 4);
        for pair in bodies[..3].windows(2) {
            let (bottom, top) = (ends(&pair[0])[1], ends(&pair[1])[0]);
            let gap = (0..3).map(|i| (bottom[i] - top[i]).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-7, "{bottom:?} {top:?}"); // dimensions are single precision
        }
    }

    #[test]
    fn ants_have_a_ball_and_twelve_bones() {
        let mut env = Locomotion::new(Robot::Ant).unwrap();
        env.reset_to(&[0.0; 8], &mut [0.0; 28]).unwrap();
        let Scene { bodies, camera } = scene(&env);
        assert_eq!(bodies.len(), 13);
        assert_eq!(bodies[0].shape, Shape::Sphere { radius: 0.25 });
        assert!(bodies.iter().all(|body| (body.pose.position[2] - 0.75).abs() < 1e-9));
        assert_eq!(camera.target, [0.0, 0.0, 0.4]);
    }

    #[test]
    fn lanes_look_like_single_robots() {
        let mut env = Locomotion::new(Robot::Ant).unwrap();
        let mut envs = LocomotionVecEnv::new(Robot::Ant, 6).unwrap();
        for lane in 0..6 {
            let pose = [0.02 * lane as f64; 8];
            envs.reset_to(lane, &pose).unwrap();
            env.reset_to(&pose, &mut [0.0; 28]).unwrap();
            assert_eq!(envs.render(lane), env.render());
        }
        assert_ne!(envs.render(0), envs.render(5));
    }
}
