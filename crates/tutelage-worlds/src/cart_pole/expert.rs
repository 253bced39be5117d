//! The scripted expert of cart-pole.

use tutelage::Spaces;

use crate::ScriptedRule;

/// A linear policy: pushes right if a weighted sum of the state is positive, else left.
///
/// A pole that leans or swings right needs a push to the right. The weights of the cart's position
/// and velocity are positive too: to return from the right, the cart first moves further right, so
/// that the pole leans left, and then follows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BalancePole {
    /// Weights of the four numbers of the state.
    pub weights: [f32; 4],
}

impl Default for BalancePole {
    fn default() -> Self {
        Self { weights: [0.4, 0.5, 1.0, 1.5] }
    }
}

impl ScriptedRule for BalancePole {
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 4, actions: 2 }
    }

    fn act(&self, state: &[f32], action: &mut [u32]) {
        let sum: f32 = self.weights.iter().zip(state).map(|(weight, number)| weight * number).sum();
        action[0] = u32::from(sum > 0.0);
    }
}

#[cfg(test)]
mod tests {
    use tutelage::{Batch, Expert, Stream};

    use super::*;
    use crate::play::play;
    use crate::{CartPoleEnv, ScriptedExpert};

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

    #[test]
    fn labels_batches_and_rejects_wrong_shapes() {
        let mut expert = ScriptedExpert(BalancePole::default());
        let mut actions = Batch::zeros(2, 1);
        let states = Batch::from_vec(4, vec![0.0, 0.0, 0.5, 0.0, 0.0, 0.0, -0.5, 0.0]).unwrap();
        expert.mean(&states, &mut actions).unwrap();
        assert_eq!(actions.as_slice(), [1, 0]);
        assert!(expert.mean(&Batch::zeros(2, 3), &mut actions).is_err(), "three numbers, not four");
        assert!(
            expert.mean(&Batch::zeros(3, 4), &mut actions).is_err(),
            "three states, two labels"
        );
        let nan = Batch::from_vec(4, vec![f32::NAN; 8]).unwrap();
        assert!(expert.mean(&nan, &mut actions).is_err());
    }
}
