//! What a robot looks like.

use tutelage_draw::render::{Camera, Frame, RenderError, Renderer};
use tutelage_envs::{Robot, Snapshot};

/// Draws a robot from the side.
///
/// ```
/// use tutelage::{Env, Stream};
/// use tutelage_envs::{Locomotion, Robot};
///
/// let mut hopper = Locomotion::new(Robot::Hopper)?;
/// hopper.reset(Stream::new(1).rng(), &mut [0.0; 15])?;
/// let frame = tutelage_lab::robot_frame(&tutelage_draw::render::Renderer::new(64, 48)?, &hopper.snapshot())?;
/// assert_eq!(frame.rgb().len(), 64 * 48 * 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn robot_frame(renderer: &Renderer, robot: &Snapshot) -> Result<Frame, RenderError> {
    renderer.render(&robot.scene, &camera(robot))
}

/// Follows the torso along the ground, at a height that keeps the whole robot in the picture.
fn camera(robot: &Snapshot) -> Camera {
    let [x, y, _] = robot.torso;
    match robot.robot {
        Robot::Hopper | Robot::Walker2d => Camera::beside([x, 0.0, 0.75], 4.2),
        Robot::HalfCheetah => Camera::beside([x, 0.0, 0.5], 4.2),
        Robot::Ant => Camera::at_an_angle([x, y, 0.4], 4.5),
    }
}
