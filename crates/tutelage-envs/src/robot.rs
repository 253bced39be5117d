//! The tasks by name.

use std::fmt;
use std::str::FromStr;

use tutelage::suggest::did_you_mean;

/// A locomotion task: run along x, as far as possible in the time limit.
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

/// Environment steps after which an episode is truncated.
pub const HORIZON: usize = 1000;

/// An unknown task.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no task `{name}`{} The tasks are hopper, walker2d, half-cheetah, ant", did_you_mean(nearest.map(Robot::name)))]
pub struct UnknownRobot {
    /// The name that was given.
    pub name: String,
    /// The task whose name is nearest to it, where one is near.
    pub nearest: Option<Robot>,
}

impl Robot {
    /// All tasks.
    pub const ALL: [Robot; 4] = [Robot::Hopper, Robot::Walker2d, Robot::HalfCheetah, Robot::Ant];

    /// Our name of the task.
    pub fn name(self) -> &'static str {
        match self {
            Robot::Hopper => "hopper",
            Robot::Walker2d => "walker2d",
            Robot::HalfCheetah => "half-cheetah",
            Robot::Ant => "ant",
        }
    }

    /// The name under which `pybullet_envs` registers it.
    pub fn bullet_id(self) -> &'static str {
        match self {
            Robot::Hopper => "HopperBulletEnv-v0",
            Robot::Walker2d => "Walker2DBulletEnv-v0",
            Robot::HalfCheetah => "HalfCheetahBulletEnv-v0",
            Robot::Ant => "AntBulletEnv-v0",
        }
    }

    /// Width of a state: eight numbers of the torso, position and speed of each joint, one flag per
    /// foot.
    pub fn state_width(self) -> usize {
        8 + 2 * self.action_width() + self.feet().len()
    }

    /// Width of an action: one number in [-1, 1] per actuated joint.
    pub fn action_width(self) -> usize {
        self.torques().len()
    }

    /// Torque in N m that an action of 1 exerts on each actuated joint.
    pub(crate) fn torques(self) -> &'static [f64] {
        match self {
            Robot::Hopper => &[0.75 * 100.0; 3],
            Robot::Walker2d => {
                const TORQUES: [f64; 6] =
                    [0.4 * 100.0, 0.4 * 100.0, 0.4 * 30.0, 0.4 * 100.0, 0.4 * 100.0, 0.4 * 30.0];
                &TORQUES
            }
            Robot::HalfCheetah => {
                const TORQUES: [f64; 6] =
                    [0.9 * 120.0, 0.9 * 90.0, 0.9 * 60.0, 0.9 * 140.0, 0.9 * 60.0, 0.9 * 30.0];
                &TORQUES
            }
            Robot::Ant => &[2.5 * 100.0; 8],
        }
    }

    /// The parts whose contact with the floor the state shows.
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

    /// Accepts our names and the Bullet ids, in any case.
    fn from_str(name: &str) -> Result<Robot, UnknownRobot> {
        let matches = |task: &Robot| {
            name.eq_ignore_ascii_case(task.name()) || name.eq_ignore_ascii_case(task.bullet_id())
        };
        Robot::ALL
            .into_iter()
            .find(matches)
            .ok_or_else(|| UnknownRobot { name: name.to_owned(), nearest: nearest(name) })
    }
}

/// The task whose name or id is nearest.
fn nearest(name: &str) -> Option<Robot> {
    let ids = Robot::ALL.map(|task| task.bullet_id().to_lowercase());
    let names: Vec<&str> =
        Robot::ALL.iter().map(|task| task.name()).chain(ids.iter().map(String::as_str)).collect();
    tutelage::suggest::nearest(name, &names)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bullet_ids_parse_in_any_case() {
        for task in Robot::ALL {
            assert_eq!(task.name().parse(), Ok(task));
            assert_eq!(task.bullet_id().to_uppercase().parse(), Ok(task));
        }
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_task() {
        for (name, nearest) in [
            ("hoper", Robot::Hopper),
            ("walker", Robot::Walker2d),
            ("HalfCheetah", Robot::HalfCheetah),
            ("ants", Robot::Ant),
        ] {
            let error = name.parse::<Robot>().unwrap_err();
            assert_eq!(error, UnknownRobot { name: name.to_owned(), nearest: Some(nearest) });
            assert!(
                error.to_string().contains(&format!("did you mean `{nearest}`? The")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_name_like_none_gets_the_list_alone() {
        for name in ["", "run", "humanoid", "x"] {
            let error = name.parse::<Robot>().unwrap_err();
            assert_eq!(error.nearest, None, "{name}");
            assert!(error.to_string().contains("`. The tasks are hopper"), "{error}");
        }
    }

    #[test]
    fn widths_are_those_of_the_tasks() {
        assert_eq!(
            Robot::ALL.map(|task| (task.state_width(), task.action_width())),
            [(15, 3), (22, 6), (26, 6), (28, 8)]
        );
    }
}
