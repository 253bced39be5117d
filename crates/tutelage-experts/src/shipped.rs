//! The experts that come with the project.

use tutelage_envs::Robot;

use crate::{GaussianExpert, Problem};

/// An expert that comes with the project, compiled into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// What it goes by: its task, where it is the task's own.
    pub name: &'static str,
    /// The task.
    pub task: Robot,
    file: &'static [u8],
}

/// All of them, each task's own first.
pub const SHIPPED: [Shipped; 5] = [
    Shipped {
        name: "hopper",
        task: Robot::Hopper,
        file: include_bytes!("../data/hopper.safetensors"),
    },
    Shipped {
        name: "walker2d",
        task: Robot::Walker2d,
        file: include_bytes!("../data/walker2d.safetensors"),
    },
    Shipped {
        name: "half-cheetah",
        task: Robot::HalfCheetah,
        file: include_bytes!("../data/half-cheetah.safetensors"),
    },
    Shipped { name: "ant", task: Robot::Ant, file: include_bytes!("../data/ant.safetensors") },
    Shipped {
        name: "hopper-forgiving",
        task: Robot::Hopper,
        file: include_bytes!("../data/hopper-forgiving.safetensors"),
    },
];

impl Shipped {
    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        SHIPPED.into_iter().find(|shipped| shipped.name == name)
    }

    /// The expert.
    pub fn expert(self) -> Result<GaussianExpert, Problem> {
        GaussianExpert::from_safetensors(self.file)
    }
}

impl GaussianExpert {
    /// A task's own expert.
    pub fn shipped(task: Robot) -> Result<Self, Problem> {
        let [hopper, walker2d, half_cheetah, ant, _] = SHIPPED;
        let shipped = match task {
            Robot::Hopper => hopper,
            Robot::Walker2d => walker2d,
            Robot::HalfCheetah => half_cheetah,
            Robot::Ant => ant,
        };
        shipped.expert()
    }
}
