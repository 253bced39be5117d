//! A maze, to be walked to a goal.

mod env;
mod expert;
mod maze;
mod picture;

pub use env::{Grid, GridParameters};
pub use expert::ShortestWay;

use crate::{Defaults, Scripted, World};

impl World for Grid {
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

    type Expert = Scripted<ShortestWay>;

    fn expert(&self) -> Self::Expert {
        Scripted(ShortestWay::of(self))
    }
}
