//! The experts that come with the project.

use tutelage_envs::Task;

use crate::{GaussianExpert, Problem};

/// An expert that comes with the project, compiled into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// What it goes by: its task, where it is the task's own.
    pub name: &'static str,
    /// The task.
    pub task: Task,
    file: &'static [u8],
}

/// All of them, each task's own first.
pub const SHIPPED: [Shipped; 5] = [
    Shipped {
        name: "hopper",
        task: Task::Hopper,
        file: include_bytes!("../data/hopper.safetensors"),
    },
    Shipped {
        name: "walker2d",
        task: Task::Walker2d,
        file: include_bytes!("../data/walker2d.safetensors"),
    },
    Shipped {
        name: "half-cheetah",
        task: Task::HalfCheetah,
        file: include_bytes!("../data/half-cheetah.safetensors"),
    },
    Shipped { name: "ant", task: Task::Ant, file: include_bytes!("../data/ant.safetensors") },
    Shipped {
        name: "hopper-forgiving",
        task: Task::Hopper,
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
    pub fn shipped(task: Task) -> Result<Self, Problem> {
        let [hopper, walker2d, half_cheetah, ant, _] = SHIPPED;
        let shipped = match task {
            Task::Hopper => hopper,
            Task::Walker2d => walker2d,
            Task::HalfCheetah => half_cheetah,
            Task::Ant => ant,
        };
        shipped.expert()
    }
}
