//! The expert of the pendulum.

use tutelage::Env;

use super::PendulumEnv;
use super::env::{INERTIA, MAX_TORQUE, SPIN_UNIT, WEIGHT};
use crate::worlds::{ScriptedExpert, World};

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

impl World for PendulumEnv {
    fn expert(&self) -> ScriptedExpert<f32> {
        ScriptedExpert::new(self.spaces(), |state, action| {
            let [cos, sin, spin] = [0, 1, 2].map(|i| f64::from(state[i]));
            action[0] = torque(cos, sin, SPIN_UNIT * spin) as f32;
        })
    }
}

/// Returns the torque in a state: pumps energy until the pendulum just reaches the top (Åström & Furuta 2000), then balances.
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

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::worlds::play::play;

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
        assert!(torque(-1.0, 0.0, 0.0) > 0.0);
        assert_eq!(torque(1.0, 0.0, 0.0), 0.0, "no torque upright at rest");
    }
}
