//! The robots.

use std::fmt;
use std::str::FromStr;

/// A robot that runs along x, as far as possible within the time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Robot {
    /// One leg, three actuated joints, in a plane.
    Hopper,
    /// Two legs, six actuated joints, in a plane.
    Walker2d,
    /// Two legs under a long torso, six actuated joints, in a plane.
    HalfCheetah,
    /// Four legs around a ball, eight actuated joints.
    Ant,
}

/// The time limit H, in steps.
pub const HORIZON: usize = 1000;

/// The name of no robot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no robot `{name}`; the robots are hopper, walker2d, half-cheetah and ant")]
pub struct UnknownRobot {
    /// The name.
    pub name: String,
}

impl Robot {
    /// All robots.
    pub const ALL: [Robot; 4] = [Robot::Hopper, Robot::Walker2d, Robot::HalfCheetah, Robot::Ant];

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Robot::Hopper => "hopper",
            Robot::Walker2d => "walker2d",
            Robot::HalfCheetah => "half-cheetah",
            Robot::Ant => "ant",
        }
    }

    /// Returns the width of a state: eight numbers of the torso, position and speed of each joint, one flag per
    /// foot.
    pub fn state_width(self) -> usize {
        8 + 2 * self.action_width() + self.feet().len()
    }

    /// Returns the width of an action: one number in [-1, 1] per actuated joint.
    pub fn action_width(self) -> usize {
        self.torques().len()
    }

    /// Returns the torque in N m that an action of 1 exerts on each actuated joint.
    pub(crate) fn torques(self) -> &'static [f64] {
        match self {
            Robot::Hopper => &[75.0; 3],
            Robot::Walker2d => &[40.0, 40.0, 12.0, 40.0, 40.0, 12.0],
            Robot::HalfCheetah => &[108.0, 81.0, 54.0, 126.0, 54.0, 27.0],
            Robot::Ant => &[250.0; 8],
        }
    }

    /// Returns the parts whose contact with the floor the state shows.
    pub(crate) fn feet(self) -> &'static [&'static str] {
        match self {
            Robot::Hopper => &["foot"],
            Robot::Walker2d => &["foot", "foot_left"],
            Robot::HalfCheetah => &["ffoot", "fshin", "fthigh", "bfoot", "bshin", "bthigh"],
            Robot::Ant => {
                &["front_left_foot", "front_right_foot", "left_back_foot", "right_back_foot"]
            }
        }
    }
}

impl fmt::Display for Robot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Robot {
    type Err = UnknownRobot;

    fn from_str(name: &str) -> Result<Robot, UnknownRobot> {
        let found = Robot::ALL.into_iter().find(|robot| robot.name() == name);
        found.ok_or_else(|| UnknownRobot { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse() {
        for robot in Robot::ALL {
            assert_eq!(robot.name().parse(), Ok(robot));
        }
        assert!("hoper".parse::<Robot>().is_err());
    }

    #[test]
    fn widths_are_those_of_the_tasks() {
        assert_eq!(
            Robot::ALL.map(|task| (task.state_width(), task.action_width())),
            [(15, 3), (22, 6), (26, 6), (28, 8)]
        );
    }
}
