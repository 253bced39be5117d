//! How to balance a pole.

use tutelage::Spaces;

use crate::ScriptedRule;

/// Pushes to the side that a weighted sum of the state points to.
///
/// A pole that leans or swings right needs a push to the right. The cart's place and speed count the same way: to come back
/// from the right, the cart first pushes further right, so that the pole leans left and can be followed there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BalancePole {
    /// Weights of the cart's place and speed and of the pole's angle and angular speed, in the units of the state.
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
    fn it_stands_to_the_end_from_every_start_and_returns_to_the_middle() {
        let mut farthest = 0.0f64;
        for seed in 0..100 {
            let mut world = CartPoleEnv::default();
            let steps = play(&mut world, Stream::new(seed));
            assert_eq!(steps.len(), 400, "seed {seed}");
            assert!(steps.iter().all(|step| step.reward == 1.0));
            assert!(steps[399].truncated && !steps[399].terminated);
            farthest = farthest.max(world.motion.place.abs());
        }
        assert!(farthest < 0.5, "ends {farthest} m from the middle");
    }

    #[test]
    fn it_answers_for_any_batch_and_refuses_unlike_rows() {
        let mut expert = ScriptedExpert(BalancePole::default());
        let mut actions = Batch::zeros(2, 1);
        let states = Batch::from_vec(4, vec![0.0, 0.0, 0.5, 0.0, 0.0, 0.0, -0.5, 0.0]).unwrap();
        expert.mean(&states, &mut actions).unwrap();
        assert_eq!(actions.as_slice(), [1, 0]);
        let error = expert.mean(&Batch::zeros(2, 3), &mut actions).unwrap_err().to_string();
        assert_eq!(error, "state has 3 values, but this task takes 4");
        assert!(expert.mean(&Batch::zeros(3, 4), &mut actions).is_err(), "three states, two rows");
        let nan = Batch::from_vec(4, vec![f32::NAN; 8]).unwrap();
        assert!(expert.mean(&nan, &mut actions).is_err());
    }
}
