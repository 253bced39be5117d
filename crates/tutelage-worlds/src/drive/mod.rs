//! Drive a car with range sensors around a closed track.

mod car;
mod env;
mod expert;
mod five;
mod picture;
mod plane;
mod polyline;
mod track;

pub use env::{DriveEnv, SENSORS};
pub use expert::{FollowRoad, FollowRoadDiscrete};
pub use five::DriveFiveEnv;

use crate::{Defaults, ScriptedExpert, World};

impl World for DriveEnv {
    const NAME: &'static str = "drive";

    const DEFAULTS: Defaults = Defaults {
        rounds: 10,
        states_per_round: 50,
        stride: 8,
        hidden: &[32],
        iterations: 1000,
        batch: 100,
        learning_rate: 3e-3,
        episodes: 20,
        perturbations: 5,
        cover: [-2.0, 2.0],
    };

    type Expert = ScriptedExpert<FollowRoad>;

    fn expert(&self) -> Self::Expert {
        ScriptedExpert(FollowRoad)
    }
}

impl World for DriveFiveEnv {
    const NAME: &'static str = "drive-5";

    const DEFAULTS: Defaults = Defaults {
        rounds: 15,
        states_per_round: 60,
        iterations: 1000,
        learning_rate: 5e-3,
        hidden: &[32, 32],
        stride: 10,
        ..DriveEnv::DEFAULTS
    };

    type Expert = ScriptedExpert<FollowRoadDiscrete>;

    fn expert(&self) -> Self::Expert {
        ScriptedExpert(FollowRoadDiscrete)
    }
}
