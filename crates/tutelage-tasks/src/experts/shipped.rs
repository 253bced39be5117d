//! The experts that ship with the project.

use crate::bullet::Robot;

use crate::experts::{ContentError, GaussianExpert};

/// An expert that ships with the project, compiled into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Its name, which is the task's for the default expert of a task.
    pub name: &'static str,
    /// The task.
    pub task: Robot,
    file: &'static [u8],
}

macro_rules! shipped {
    ($name:literal, $task:expr) => {
        Shipped {
            name: $name,
            task: $task,
            file: include_bytes!(concat!("../../data/", $name, ".safetensors")),
        }
    };
}

/// All of them, the default experts of the tasks first.
pub const SHIPPED: [Shipped; 5] = [
    shipped!("hopper", Robot::Hopper),
    shipped!("walker2d", Robot::Walker2d),
    shipped!("half-cheetah", Robot::HalfCheetah),
    shipped!("ant", Robot::Ant),
    shipped!("hopper-forgiving", Robot::Hopper),
];

impl Shipped {
    /// Returns the expert of this name.
    pub fn named(name: &str) -> Option<Self> {
        SHIPPED.into_iter().find(|shipped| shipped.name == name)
    }

    /// Loads the expert.
    pub fn expert(self) -> Result<GaussianExpert, ContentError> {
        GaussianExpert::from_safetensors(self.file)
    }
}

impl GaussianExpert {
    /// Loads the default expert of a task.
    pub fn shipped(task: Robot) -> Result<Self, ContentError> {
        let index = match task {
            Robot::Hopper => 0,
            Robot::Walker2d => 1,
            Robot::HalfCheetah => 2,
            Robot::Ant => 3,
        };
        SHIPPED[index].expert()
    }
}
