//! Robots as physics bodies, for programs that step them without a task.

use articulated::{Articulation, WorldSettings};

use crate::bullet::Robot;
use crate::bullet::task::SETTINGS;

/// A robot, its motors and the settings of its world.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// The settings of the world.
    pub settings: WorldSettings,
    /// The robot.
    pub body: Articulation,
    /// One per coordinate of an action.
    pub motors: Vec<Motor>,
}

/// The motor of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// The link that the joint moves.
    pub link: usize,
    /// Lower and upper limit of the angle, in radians.
    pub limits: [f64; 2],
    /// Torque of an action of 1, in N m.
    pub torque: f64,
}

impl Robot {
    /// Returns the robot's body and motors.
    pub fn mechanism(self) -> Mechanism {
        let model = self.model();
        let motors = model.actuated.iter().zip(self.torques());
        let motors = motors.map(|(&(link, limits), &torque)| Motor { link, limits, torque });
        Mechanism { settings: SETTINGS, motors: motors.collect(), body: model.body }
    }
}
