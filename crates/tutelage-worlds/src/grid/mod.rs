//! Find the way to a goal in a maze.

mod env;
mod expert;
mod maze;
mod picture;

pub use env::GridEnv;
pub use expert::ShortestPath;

use crate::{Defaults, ScriptedExpert, World};

impl World for GridEnv {
    const NAME: &'static str = "grid";

    const DEFAULTS: Defaults = Defaults {
        rounds: 20,
        states_per_round: 80,
        stride: 25,
        hidden: &[64],
        iterations: 800,
        batch: 100,
        learning_rate: 5e-3,
        episodes: 50,
        perturbations: 5,
        cover: [-2.0, 2.0],
    };

    type Expert = ScriptedExpert<ShortestPath>;

    fn expert(&self) -> Self::Expert {
        ScriptedExpert(ShortestPath::of(self))
    }
}
