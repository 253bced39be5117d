//! The tasks by name.

use std::fmt;
use std::str::FromStr;

use tutelage::did_you_mean;

/// A locomotion task: run along x, as far as possible in the time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
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
#[error("there is no task `{name}`{} The tasks are hopper, walker2d, half-cheetah, ant", did_you_mean(nearest.map(Task::name)))]
pub struct UnknownTask {
    /// The name that was given.
    pub name: String,
    /// The task whose name is nearest to it, where one is near.
    pub nearest: Option<Task>,
}

impl Task {
    /// All tasks.
    pub const ALL: [Task; 4] = [Task::Hopper, Task::Walker2d, Task::HalfCheetah, Task::Ant];

    /// Our name of the task.
    pub fn name(self) -> &'static str {
        match self {
            Task::Hopper => "hopper",
            Task::Walker2d => "walker2d",
            Task::HalfCheetah => "half-cheetah",
            Task::Ant => "ant",
        }
    }

    /// The name under which `pybullet_envs` registers it.
    pub fn bullet_id(self) -> &'static str {
        match self {
            Task::Hopper => "HopperBulletEnv-v0",
            Task::Walker2d => "Walker2DBulletEnv-v0",
            Task::HalfCheetah => "HalfCheetahBulletEnv-v0",
            Task::Ant => "AntBulletEnv-v0",
        }
    }

    /// Width of a state: eight numbers of the torso, position and speed of each joint, one flag per foot.
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
            Task::Hopper => &[0.75 * 100.0; 3],
            Task::Walker2d => {
                const TORQUES: [f64; 6] =
                    [0.4 * 100.0, 0.4 * 100.0, 0.4 * 30.0, 0.4 * 100.0, 0.4 * 100.0, 0.4 * 30.0];
                &TORQUES
            }
            Task::HalfCheetah => {
                const TORQUES: [f64; 6] =
                    [0.9 * 120.0, 0.9 * 90.0, 0.9 * 60.0, 0.9 * 140.0, 0.9 * 60.0, 0.9 * 30.0];
                &TORQUES
            }
            Task::Ant => &[2.5 * 100.0; 8],
        }
    }

    /// The parts whose contact with the floor the state shows.
    pub(crate) fn feet(self) -> &'static [&'static str] {
        match self {
            Task::Hopper => &["foot"],
            Task::Walker2d => &["foot", "foot_left"],
            Task::HalfCheetah => &["ffoot", "fshin", "fthigh", "bfoot", "bshin", "bthigh"],
            Task::Ant => {
                &["front_left_foot", "front_right_foot", "left_back_foot", "right_back_foot"]
            }
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Task {
    type Err = UnknownTask;

    /// Accepts our names and the Bullet ids, in any case.
    fn from_str(name: &str) -> Result<Task, UnknownTask> {
        let matches = |task: &Task| {
            name.eq_ignore_ascii_case(task.name()) || name.eq_ignore_ascii_case(task.bullet_id())
        };
        Task::ALL
            .into_iter()
            .find(matches)
            .ok_or_else(|| UnknownTask { name: name.to_owned(), nearest: nearest(name) })
    }
}

/// The task whose name or id is nearest.
fn nearest(name: &str) -> Option<Task> {
    let ids = Task::ALL.map(|task| task.bullet_id().to_lowercase());
    let names: Vec<&str> =
        Task::ALL.iter().map(|task| task.name()).chain(ids.iter().map(String::as_str)).collect();
    tutelage::nearest(name, &names)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_bullet_ids_parse_in_any_case() {
        for task in Task::ALL {
            assert_eq!(task.name().parse(), Ok(task));
            assert_eq!(task.bullet_id().to_uppercase().parse(), Ok(task));
        }
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_task() {
        for (name, nearest) in [
            ("hoper", Task::Hopper),
            ("walker", Task::Walker2d),
            ("HalfCheetah", Task::HalfCheetah),
            ("ants", Task::Ant),
        ] {
            let error = name.parse::<Task>().unwrap_err();
            assert_eq!(error, UnknownTask { name: name.to_owned(), nearest: Some(nearest) });
            assert!(
                error.to_string().contains(&format!("did you mean `{nearest}`? The")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_name_like_none_gets_the_list_alone() {
        for name in ["", "run", "humanoid", "x"] {
            let error = name.parse::<Task>().unwrap_err();
            assert_eq!(error.nearest, None, "{name}");
            assert!(error.to_string().contains("`. The tasks are hopper"), "{error}");
        }
    }

    #[test]
    fn widths_are_those_of_the_tasks() {
        assert_eq!(
            Task::ALL.map(|task| (task.state_width(), task.action_width())),
            [(15, 3), (22, 6), (26, 6), (28, 8)]
        );
    }
}
