//! Balance a pole on a cart by pushing left or right.

mod env;
mod expert;
mod picture;

pub use env::CartPoleEnv;
pub use expert::BalancePole;

use crate::{Defaults, ScriptedExpert, World};

impl World for CartPoleEnv {
    const NAME: &'static str = "cart-pole";

    const DEFAULTS: Defaults = Defaults {
        rounds: 10,
        states_per_round: 40,
        stride: 5,
        hidden: &[16],
        iterations: 400,
        batch: 100,
        learning_rate: 1e-2,
        episodes: 20,
        perturbations: 5,
        cover: [-2.0, 2.0],
    };

    type Expert = ScriptedExpert<BalancePole>;

    fn expert(&self) -> Self::Expert {
        ScriptedExpert(BalancePole::default())
    }
}
