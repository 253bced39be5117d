//! Swing up a pendulum with a weak motor and keep it upright.

mod env;
mod expert;
mod picture;

pub use env::PendulumEnv;
pub use expert::SwingUp;

use crate::{Defaults, ScriptedExpert, World};

impl World for PendulumEnv {
    const NAME: &'static str = "pendulum";

    const DEFAULTS: Defaults = Defaults {
        rounds: 10,
        states_per_round: 50,
        stride: 5,
        hidden: &[32, 32],
        iterations: 1000,
        batch: 100,
        learning_rate: 3e-3,
        episodes: 20,
        perturbations: 5,
        cover: [-2.0, 2.0],
    };

    type Expert = ScriptedExpert<SwingUp>;

    fn expert(&self) -> Self::Expert {
        ScriptedExpert(SwingUp)
    }
}
