//! What there is to see of a robot: its solids, and where they are.

use articulated::{CollisionShape, Geometry, LinkId, World};

use crate::robot::Robot;
use crate::{Colour, Herd, Locomotion, Task};

/// What there is to see of a robot at this moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Whose robot it is.
    pub task: Task,
    /// Its solids, always in the same order.
    pub bodies: Vec<Body>,
    /// World position of the torso: the point for a camera to follow.
    pub torso: [f64; 3],
}

/// A solid of the robot at this moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// What it looks like.
    pub form: Form,
    /// Where it is in the world.
    pub pose: Pose,
    /// Its colour in full light.
    pub colour: Colour,
}

/// A solid around its own origin, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// All points within `radius` of the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// All points within `radius` of the segment from `-half_length` to `half_length` on the local z axis.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Half the length of the segment, without the caps.
        half_length: f64,
    },
}

/// A place and an orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Of the origin, in metres; z points up and the floor is at z = 0.
    pub position: [f64; 3],
    /// A unit quaternion x, y, z, w that turns local directions into world directions.
    pub rotation: [f64; 4],
}

impl Locomotion {
    /// The robot as it is now.
    pub fn sight(&self) -> Sight {
        self.robot().sight(self.world(), 0)
    }
}

impl Herd {
    /// The robot of one lane as it is now.
    pub fn sight(&self, lane: usize) -> Sight {
        let (world, place) = self.place(lane);
        self.robot().sight(world, place)
    }
}

impl Robot {
    fn sight(&self, world: &World, lane: usize) -> Sight {
        let (bodies, torso) = (self.bodies(world, lane), world.position(lane, self.torso));
        Sight { task: self.task, bodies, torso }
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
    let (form, local) = match shape.geometry {
        Geometry::Sphere { radius } => {
            (Form::Sphere { radius }, Pose { position: shape.position, rotation: shape.rotation })
        }
        Geometry::Capsule { radius, length } => (
            Form::Capsule { radius, half_length: 0.5 * length },
            Pose { position: shape.position, rotation: shape.rotation },
        ),
        Geometry::Segment { radius, from, to } => {
            let middle = [0, 1, 2].map(|i| shape.position[i] + 0.5 * (from[i] + to[i]));
            let along = [0, 1, 2].map(|i| 0.5 * (to[i] - from[i]));
            let half_length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
            (
                Form::Capsule { radius, half_length },
                Pose { position: middle, rotation: from_z_to(along.map(|x| x / half_length)) },
            )
        }
    };
    let offset = rotate(link.rotation, local.position);
    let position = [0, 1, 2].map(|i| link.position[i] + offset[i]);
    Body {
        form,
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
    use crate::Task;

    fn ends(body: &Body) -> [[f64; 3]; 2] {
        let Form::Capsule { half_length, .. } = body.form else { return [body.pose.position; 2] };
        [-half_length, half_length].map(|z| {
            let offset = rotate(body.pose.rotation, [0.0, 0.0, z]);
            [0, 1, 2].map(|i| body.pose.position[i] + offset[i])
        })
    }

    #[test]
    fn neighbouring_bones_share_an_end_in_any_pose() {
        let mut env = Locomotion::new(Task::Hopper).unwrap();
        env.reset_to(&[-0.7, -1.1, 0.4], &mut [0.0; 15]).unwrap();
        let Sight { bodies, .. } = env.sight();
        assert_eq!(bodies.len(), 4);
        for pair in bodies[..3].windows(2) {
            let (bottom, top) = (ends(&pair[0])[1], ends(&pair[1])[0]);
            let gap = (0..3).map(|i| (bottom[i] - top[i]).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-7, "{bottom:?} {top:?}"); // dimensions are single precision
        }
    }

    #[test]
    fn an_ant_has_a_ball_and_twelve_bones_above_the_floor() {
        let mut env = Locomotion::new(Task::Ant).unwrap();
        env.reset_to(&[0.0; 8], &mut [0.0; 28]).unwrap();
        let Sight { bodies, torso, .. } = env.sight();
        assert_eq!(bodies.len(), 13);
        assert_eq!(bodies[0].form, Form::Sphere { radius: 0.25 });
        assert!(bodies.iter().all(|body| (body.pose.position[2] - 0.75).abs() < 1e-9));
        assert_eq!(torso, [0.0, 0.0, 0.75]);
    }

    #[test]
    fn a_lane_of_a_herd_looks_as_a_robot_alone_does() {
        let mut env = Locomotion::new(Task::Ant).unwrap();
        let mut herd = Herd::new(Task::Ant, 6).unwrap();
        for lane in 0..6 {
            let pose = [0.02 * lane as f64; 8];
            herd.reset_to(lane, &pose).unwrap();
            env.reset_to(&pose, &mut [0.0; 28]).unwrap();
            assert_eq!(herd.sight(lane), env.sight());
        }
        assert_ne!(herd.sight(0), herd.sight(5));
    }
}
