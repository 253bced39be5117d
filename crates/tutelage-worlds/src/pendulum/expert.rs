//! How to swing a pendulum up.

use tutelage::Spaces;

use super::PendulumParameters;
use crate::ScriptedRule;

/// Within this angle of upright the pendulum may be caught, in radians.
const CATCH: f64 = 0.6;

/// The torque that leaning by one radian and turning at one radian per second call for, as shares of the torque that gravity
/// exerts on the level rod.
const LEAN: f64 = 2.2;
const SPIN: f64 = 0.5;

/// How eagerly energy is pumped.
const PUMP: f64 = 0.1;

/// Sets a pendulum that hangs still in motion.
const NUDGE: f64 = 0.05;

/// Pumps energy until the pendulum would just reach the top (Åström & Furuta 2000), catches it there and balances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingUp {
    /// The torque that gravity exerts on the level rod.
    weight: f64,
    /// The rod's moment of inertia.
    inertia: f64,
    torque: f64,
    spin_unit: f64,
}

impl SwingUp {
    /// The rule for a pendulum of these parameters.
    pub fn of(parameters: &PendulumParameters) -> Self {
        let &PendulumParameters { gravity, mass, length, torque, spin_unit, .. } = parameters;
        Self {
            weight: 0.5 * mass * gravity * length,
            inertia: mass * length * length / 3.0,
            torque,
            spin_unit,
        }
    }

    fn torque(&self, cos: f64, sin: f64, spin: f64) -> f64 {
        let angle = sin.atan2(cos);
        let balance = -self.weight * (LEAN * angle + SPIN * spin);
        if angle.abs() < CATCH && balance.abs() < 3.0 * self.torque {
            return balance.clamp(-self.torque, self.torque);
        }
        // Energy above that of the rod at rest upright.
        let excess = 0.5 * self.inertia * spin * spin + self.weight * (cos - 1.0);
        let pump = -PUMP / self.inertia * excess * (spin + NUDGE);
        pump.clamp(-self.torque, self.torque)
    }
}

impl ScriptedRule for SwingUp {
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 3, actions: 1 }
    }

    fn act(&self, state: &[f32], action: &mut [f32]) {
        let [cos, sin, spin] = [0, 1, 2].map(|i| f64::from(state[i]));
        action[0] = self.torque(cos, sin, self.spin_unit * spin) as f32;
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::PendulumEnv;
    use crate::play::play;

    #[test]
    fn it_is_upright_within_five_seconds_and_stays_so() {
        for seed in 0..100 {
            let steps = play(&mut PendulumEnv::default(), Stream::new(seed));
            assert_eq!(steps.len(), 200);
            assert!(steps[199].truncated);
            let late = steps[100..].iter().position(|step| step.reward < 0.99);
            assert_eq!(late, None, "seed {seed}");
        }
    }

    #[test]
    fn it_leaves_a_pendulum_that_hangs_still() {
        let rule = SwingUp::of(&PendulumParameters::default());
        let mut action = [0.0];
        rule.act(&[-1.0, 0.0, 0.0], &mut action);
        assert!(action[0] > 0.0);
        rule.act(&[1.0, 0.0, 0.0], &mut action);
        assert_eq!(action[0], 0.0, "upright at rest there is nothing to do");
    }
}
