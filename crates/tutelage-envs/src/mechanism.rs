//! A task's robot in the terms of the physics, for programs that step it in their own way.

use articulated::{Articulation, WorldSettings};

use crate::Robot;
use crate::task::SETTINGS;

/// A robot, its motors, and the world that it stands in.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// The world.
    pub settings: WorldSettings,
    /// The robot.
    pub body: Articulation,
    /// One per number of an action.
    pub motors: Vec<Motor>,
}

/// What turns a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Whose joint.
    pub link: usize,
    /// Lower and upper limit of the angle, in radians.
    pub limits: [f64; 2],
    /// Torque of an action of 1, in N m.
    pub torque: f64,
}

impl Robot {
    /// The robot's body and motors.
    pub fn mechanism(self) -> Mechanism {
        let model = self.model();
        let motors = model.actuated.iter().zip(self.torques());
        let motors = motors.map(|(&(link, limits), &torque)| Motor { link, limits, torque });
        Mechanism { settings: SETTINGS, motors: motors.collect(), body: model.body }
    }
}
