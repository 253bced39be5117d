//! The experts that come with the project.

use tutelage_envs::Task;

use crate::{GaussianExpert, Problem};

impl GaussianExpert {
    /// The expert for a task that is compiled into the program.
    pub fn shipped(task: Task) -> Result<Self, Problem> {
        let bytes: &[u8] = match task {
            Task::Hopper => include_bytes!("../data/hopper.safetensors"),
            Task::Walker2d => include_bytes!("../data/walker2d.safetensors"),
            Task::HalfCheetah => include_bytes!("../data/half-cheetah.safetensors"),
            Task::Ant => include_bytes!("../data/ant.safetensors"),
        };
        Self::from_safetensors(bytes)
    }
}
