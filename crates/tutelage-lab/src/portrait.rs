//! What a robot looks like.

use tutelage_draw::render::{Body, Camera, Frame, Pose, RenderError, Renderer, Scene, Shape};
use tutelage_envs::{Form, Sight, Task as Robot};

/// A picture of a robot, from beside it.
///
/// ```
/// use tutelage::{Env, Stream};
/// use tutelage_envs::{Locomotion, Task};
///
/// let mut hopper = Locomotion::new(Task::Hopper)?;
/// hopper.reset(Stream::new(1).rng(), &mut [0.0; 15])?;
/// let frame = tutelage_lab::robot_frame(&tutelage_draw::render::Renderer::new(64, 48)?, &hopper.sight())?;
/// assert_eq!(frame.rgb().len(), 64 * 48 * 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn robot_frame(renderer: &Renderer, robot: &Sight) -> Result<Frame, RenderError> {
    renderer.render(&scene(robot), &camera(robot))
}

fn scene(robot: &Sight) -> Scene {
    let body = |body: &tutelage_envs::Body| Body {
        shape: match body.form {
            Form::Sphere { radius } => Shape::Sphere { radius },
            Form::Capsule { radius, half_length } => Shape::Capsule { radius, half_length },
        },
        pose: Pose { position: body.pose.position, rotation: body.pose.rotation },
        colour: body.colour,
    };
    Scene { bodies: robot.bodies.iter().map(body).collect() }
}

/// Follows the torso along the ground, at a height that keeps the whole robot in the picture.
fn camera(robot: &Sight) -> Camera {
    let [x, y, _] = robot.torso;
    match robot.task {
        Robot::Hopper | Robot::Walker2d => Camera::beside([x, 0.0, 0.75], 4.2),
        Robot::HalfCheetah => Camera::beside([x, 0.0, 0.5], 4.2),
        Robot::Ant => Camera::at_an_angle([x, y, 0.4], 4.5),
    }
}
