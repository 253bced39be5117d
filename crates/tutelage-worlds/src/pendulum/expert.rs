//! The scripted expert of the pendulum.

use tutelage::Spaces;

use super::env::{INERTIA, MAX_TORQUE, SPIN_UNIT, WEIGHT};
use crate::ScriptedRule;

/// Angle from upright, in radians, within which the expert balances instead of pumping energy.
const CATCH: f64 = 0.6;

/// Gains of the balancing controller per radian and per radian per second, as multiples of
/// [`WEIGHT`].
const LEAN: f64 = 2.2;
const SPIN: f64 = 0.5;

/// Gain of the energy pump.
const PUMP: f64 = 0.1;

/// Added to the velocity in the energy pump, so that a pendulum at rest starts to move.
const NUDGE: f64 = 0.05;

/// Pumps energy until the pendulum just reaches the top (Åström & Furuta 2000), then balances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SwingUp;

/// Returns the torque in a state.
fn torque(cos: f64, sin: f64, spin: f64) -> f64 {
    let angle = sin.atan2(cos);
    let balance = -WEIGHT * (LEAN * angle + SPIN * spin);
    if angle.abs() < CATCH && balance.abs() < 3.0 * MAX_TORQUE {
        return balance.clamp(-MAX_TORQUE, MAX_TORQUE);
    }
    // Energy relative to the rod at rest upright.
    let excess = 0.5 * INERTIA * spin * spin + WEIGHT * (cos - 1.0);
    let pump = -PUMP / INERTIA * excess * (spin + NUDGE);
    pump.clamp(-MAX_TORQUE, MAX_TORQUE)
}

impl ScriptedRule for SwingUp {
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 3, actions: 1 }
    }

    fn act(&self, state: &[f32], action: &mut [f32]) {
        let [cos, sin, spin] = [0, 1, 2].map(|i| f64::from(state[i]));
        action[0] = torque(cos, sin, SPIN_UNIT * spin) as f32;
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::PendulumEnv;
    use crate::play::play;

    #[test]
    fn is_upright_within_five_seconds_and_stays_upright() {
        for seed in 0..100 {
            let steps = play(&mut PendulumEnv::default(), Stream::new(seed));
            assert_eq!(steps.len(), 200);
            assert!(steps[199].truncated);
            let late = steps[100..].iter().position(|step| step.reward < 0.99);
            assert_eq!(late, None, "seed {seed}");
        }
    }

    #[test]
    fn starts_a_hanging_pendulum() {
        let rule = SwingUp;
        let mut action = [0.0];
        rule.act(&[-1.0, 0.0, 0.0], &mut action);
        assert!(action[0] > 0.0);
        rule.act(&[1.0, 0.0, 0.0], &mut action);
        assert_eq!(action[0], 0.0, "no torque upright at rest");
    }
}
