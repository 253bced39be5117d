//! The dynamics of the pendulum, in meters, kilograms, seconds and radians.

use std::f64::consts::PI;

use rand::RngExt;
use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step};

use crate::worlds::clock::EpisodeClock;

const GRAVITY: f64 = 10.0;
/// Mass and length of the rod.
pub(super) const MASS: f64 = 1.0;
pub(super) const LENGTH: f64 = 1.0;
/// Torque that gravity exerts on the horizontal rod: its center of mass is at half its length.
pub(super) const WEIGHT: f64 = 0.5 * MASS * GRAVITY * LENGTH;
/// Moment of inertia of the rod about its end.
pub(super) const INERTIA: f64 = MASS * LENGTH * LENGTH / 3.0;
/// The largest torque.
pub(super) const MAX_TORQUE: f64 = 2.0;
/// The largest angular velocity.
const MAX_SPIN: f64 = 8.0;
/// The unit of the angular velocity in a state.
pub(super) const SPIN_UNIT: f64 = 4.0;
/// The initial angular velocity is uniform within ± this; the initial angle is uniform.
const START_SPIN: f64 = 1.0;
/// Time between two actions.
const TIME_STEP: f64 = 0.05;
/// The time limit H.
const HORIZON: usize = 200;

/// A rod that turns about one end, driven by a motor too weak to lift it directly.
///
/// The state is (cos θ, sin θ, ω / 4). θ is 0 upright and positive counterclockwise; ω is the
/// angular velocity. The action is a torque in [−2, 2]. A step earns (1 + cos θ) / 2 of the state it
/// leads to: 0 hanging, 1 upright. Episodes never terminate; they end at the time limit.
#[derive(Clone, Debug, PartialEq)]
pub struct PendulumEnv {
    pub(crate) motion: PendulumMotion,
    /// The last torque, for the drawing.
    pub(crate) torque: f64,
    clock: EpisodeClock,
}

/// Angle and angular velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PendulumMotion {
    pub(crate) angle: f64,
    pub(crate) spin: f64,
}

impl Default for PendulumEnv {
    fn default() -> Self {
        let motion = PendulumMotion { angle: PI, spin: 0.0 };
        Self { motion, torque: 0.0, clock: EpisodeClock::default() }
    }
}

impl PendulumEnv {
    fn observe(&self, state: &mut [f32]) {
        let PendulumMotion { angle, spin } = self.motion;
        let numbers = [angle.cos(), angle.sin(), spin / SPIN_UNIT];
        state.copy_from_slice(&numbers.map(|number| number as f32));
    }
}

impl Env for PendulumEnv {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 3, actions: 1 }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn bounds(&self) -> Bounds {
        let torque = MAX_TORQUE as f32;
        Bounds::new(vec![-torque], vec![torque]).unwrap_or(Bounds::unit(1))
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        EnvError::check_width("state", state.len(), 3)?;
        let start = START_SPIN;
        self.motion = PendulumMotion {
            angle: rng.random_range(-PI..PI),
            spin: rng.random_range(-start..start),
        };
        self.torque = 0.0;
        self.clock.start();
        self.observe(state);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.clock.steps()?;
        EnvError::check_width("state", state.len(), 3)?;
        EnvError::check_width("action", action.len(), 1)?;
        let allowed = "a torque from -2 to 2";
        EnvError::check_values("action", action, allowed, |x| f64::from(x).abs() <= MAX_TORQUE)?;
        self.torque = f64::from(action[0]);
        self.motion = self.motion.after(self.torque);
        self.observe(state);
        let reward = 0.5 * (1.0 + self.motion.angle.cos());
        Ok(self.clock.tick(reward, false, HORIZON))
    }
}

impl PendulumMotion {
    /// Returns the motion after one step of ω′ = (3g / 2l) sin θ + (3 / ml²) u.
    ///
    /// The integration is semi-implicit Euler: the new velocity moves the angle.
    fn after(self, torque: f64) -> Self {
        let Self { angle, spin } = self;
        let fall = 1.5 * GRAVITY / LENGTH * angle.sin();
        let drive = 3.0 * torque / (MASS * LENGTH * LENGTH);
        let spin = (spin + TIME_STEP * (fall + drive)).clamp(-MAX_SPIN, MAX_SPIN);
        Self { angle: (angle + TIME_STEP * spin + PI).rem_euclid(2.0 * PI) - PI, spin }
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;

    #[test]
    fn steps_match_hand_calculation() {
        // Horizontal, at rest, full torque against gravity: ω = 0.05 (15 − 6) = 0.45, θ = π/2 + 0.05 · 0.45.
        let after = PendulumMotion { angle: PI / 2.0, spin: 0.0 }.after(-2.0);
        assert!((after.spin - 0.45).abs() < 1e-12, "{after:?}");
        assert!((after.angle - PI / 2.0 - 0.0225).abs() < 1e-12, "{after:?}");
        let fast = PendulumMotion { angle: PI - 0.1, spin: 7.9 }.after(2.0);
        assert_eq!(fast.spin, 8.0, "the velocity is clipped");
        assert!((fast.angle - (0.3 - PI)).abs() < 1e-12, "angles wrap: {fast:?}");
    }

    #[test]
    fn reward_measures_how_upright_the_rod_is() {
        let (mut env, mut state) = (PendulumEnv::default(), [0.0; 3]);
        env.reset(Stream::new(1).rng(), &mut state).unwrap();
        for (angle, reward) in [(0.0, 1.0), (PI, 0.0), (PI / 3.0, 0.75)] {
            // This velocity cancels what gravity adds in the step.
            let spin = -0.05 * 15.0 * f64::sin(angle);
            env.motion = PendulumMotion { angle, spin };
            let step = env.step(&[0.0], &mut state).unwrap();
            assert!((step.reward - reward).abs() < 1e-9, "{angle}: {}", step.reward);
        }
    }
}
