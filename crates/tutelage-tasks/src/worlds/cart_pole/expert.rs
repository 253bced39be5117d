//! The expert of cart-pole.

use tutelage::Env;

use super::CartPoleEnv;
use crate::worlds::{ScriptedExpert, World};

/// Weights of the four numbers of a state.
///
/// A pole that leans or swings right needs a push to the right. The weights of the cart's position
/// and velocity are positive too: to return from the right, the cart first moves further right, so
/// that the pole leans left, and then follows it.
const WEIGHTS: [f32; 4] = [0.4, 0.5, 1.0, 1.5];

impl World for CartPoleEnv {
    fn expert(&self) -> ScriptedExpert<u32> {
        ScriptedExpert::new(self.spaces(), |state, action| {
            let terms = WEIGHTS.iter().zip(state).map(|(weight, number)| weight * number);
            action[0] = u32::from(terms.sum::<f32>() > 0.0);
        })
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::worlds::play::play;

    #[test]
    fn balances_from_every_start_and_returns_to_the_center() {
        let mut farthest = 0.0f64;
        for seed in 0..100 {
            let mut world = CartPoleEnv::default();
            let steps = play(&mut world, Stream::new(seed));
            assert_eq!(steps.len(), 400, "seed {seed}");
            assert!(steps.iter().all(|step| step.reward == 1.0));
            assert!(steps[399].truncated && !steps[399].terminated);
            farthest = farthest.max(world.motion.place.abs());
        }
        assert!(farthest < 0.5, "ends {farthest} m from the center");
    }
}
