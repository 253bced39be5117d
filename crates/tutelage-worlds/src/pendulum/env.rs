//! The motion of the pendulum.

use std::f64::consts::PI;

use rand::RngExt;
use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step};

use crate::ParameterError;
use crate::check::{check_each, check_positive, check_width, check_within};
use crate::clock::EpisodeClock;

/// What an action may be, for messages.
const TORQUES: &str = "a torque within the motor's strength, either way";

/// A rod that turns about one end, driven by a motor too weak to lift it at once.
///
/// The state is (cos θ, sin θ, ω / unit) with θ = 0 upright and positive to the left (anticlockwise), ω the angular speed. The
/// action is a torque of at most [`PendulumParameters::torque`] either way. A step earns (1 + cos θ) / 2 of where it led: 0
/// hanging, 1 upright. Nothing terminates an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct PendulumEnv {
    pub(crate) parameters: PendulumParameters,
    pub(crate) motion: PendulumMotion,
    /// The last torque, to be drawn.
    pub(crate) torque: f64,
    clock: EpisodeClock,
}

/// What a pendulum is made of, in metres, kilograms, seconds and radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PendulumParameters {
    /// The strength of gravity.
    pub gravity: f64,
    /// The rod's mass.
    pub mass: f64,
    /// The rod's length.
    pub length: f64,
    /// The largest torque.
    pub torque: f64,
    /// The largest angular speed.
    pub max_spin: f64,
    /// The unit of the angular speed.
    pub spin_unit: f64,
    /// The first angular speed is uniform within ± this; the first angle is uniform.
    pub start_spin: f64,
    /// The time between two actions.
    pub time_step: f64,
    /// The time limit H.
    pub horizon: usize,
}

/// Angle and angular speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PendulumMotion {
    pub(crate) angle: f64,
    pub(crate) spin: f64,
}

impl Default for PendulumParameters {
    fn default() -> Self {
        Self {
            gravity: 10.0,
            mass: 1.0,
            length: 1.0,
            torque: 2.0,
            max_spin: 8.0,
            spin_unit: 4.0,
            start_spin: 1.0,
            time_step: 0.05,
            horizon: 200,
        }
    }
}

impl Default for PendulumEnv {
    fn default() -> Self {
        Self {
            parameters: PendulumParameters::default(),
            motion: PendulumMotion { angle: PI, spin: 0.0 },
            torque: 0.0,
            clock: EpisodeClock::default(),
        }
    }
}

impl PendulumEnv {
    /// A pendulum of these parameters.
    pub fn new(parameters: PendulumParameters) -> Result<Self, ParameterError> {
        let p = parameters;
        check_positive(&[
            ("gravity", p.gravity),
            ("mass", p.mass),
            ("length", p.length),
            ("torque", p.torque),
            ("max_spin", p.max_spin),
            ("spin_unit", p.spin_unit),
            ("start_spin", p.start_spin),
            ("time_step", p.time_step),
            ("horizon", p.horizon as f64),
        ])?;
        // The box of actions is declared in single precision.
        let is_single = |torque: f64| (1e-30..=1e30).contains(&torque);
        check_each(&[("torque", p.torque)], "from 1e-30 to 1e30", is_single)?;
        Ok(Self { parameters, ..Self::default() })
    }

    fn observe(&self, state: &mut [f32]) {
        let PendulumMotion { angle, spin } = self.motion;
        let numbers = [angle.cos(), angle.sin(), spin / self.parameters.spin_unit];
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
        self.parameters.horizon
    }

    fn bounds(&self) -> Bounds {
        let torque = self.parameters.torque as f32;
        Bounds::new(vec![-torque], vec![torque]).unwrap_or(Bounds::unit(1))
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        check_width("state", state.len(), 3)?;
        let start = self.parameters.start_spin;
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
        check_width("state", state.len(), 3)?;
        check_width("action", action.len(), 1)?;
        let p = &self.parameters;
        check_within("action", action, f64::from(p.torque as f32), TORQUES)?;
        self.torque = f64::from(action[0]);
        self.motion = self.motion.after(self.torque, p);
        self.observe(state);
        let reward = 0.5 * (1.0 + self.motion.angle.cos());
        Ok(self.clock.tick(reward, false, p.horizon))
    }
}

impl PendulumMotion {
    /// One step of ω′ = (3g / 2l) sin θ + (3 / ml²) u, the new speed moving the angle.
    fn after(self, torque: f64, p: &PendulumParameters) -> Self {
        let Self { angle, spin } = self;
        let fall = 1.5 * p.gravity / p.length * angle.sin();
        let drive = 3.0 * torque / (p.mass * p.length * p.length);
        let spin = (spin + p.time_step * (fall + drive)).clamp(-p.max_spin, p.max_spin);
        Self { angle: (angle + p.time_step * spin + PI).rem_euclid(2.0 * PI) - PI, spin }
    }
}

#[cfg(test)]
mod tests {
    use tutelage::{Stream, check_env};

    use super::*;

    #[test]
    fn it_keeps_the_contract_of_environments() {
        check_env(PendulumEnv::default, Stream::new(1)).unwrap();
    }

    #[test]
    fn steps_are_as_computed_by_hand() {
        let p = PendulumParameters::default();
        // Level, at rest, full torque against the fall: ω = 0.05 (15 − 6) = 0.45, θ = π/2 + 0.05 · 0.45.
        let after = PendulumMotion { angle: PI / 2.0, spin: 0.0 }.after(-2.0, &p);
        assert!((after.spin - 0.45).abs() < 1e-12, "{after:?}");
        assert!((after.angle - PI / 2.0 - 0.0225).abs() < 1e-12, "{after:?}");
        let fast = PendulumMotion { angle: PI - 0.1, spin: 7.9 }.after(2.0, &p);
        assert_eq!(fast.spin, 8.0, "speed has a limit");
        assert!((fast.angle - (0.3 - PI)).abs() < 1e-12, "angles wrap: {fast:?}");
    }

    #[test]
    fn a_step_earns_how_upright_it_led() {
        let (mut env, mut state) = (PendulumEnv::default(), [0.0; 3]);
        env.reset(Stream::new(1).rng(), &mut state).unwrap();
        for (angle, reward) in [(0.0, 1.0), (PI, 0.0), (PI / 3.0, 0.75)] {
            // Whatever the fall and the torque do to the speed here, this speed cancels it.
            let spin = -0.05 * 15.0 * f64::sin(angle);
            env.motion = PendulumMotion { angle, spin };
            let step = env.step(&[0.0], &mut state).unwrap();
            assert!((step.reward - reward).abs() < 1e-9, "{angle}: {}", step.reward);
        }
    }

    #[test]
    fn bad_input_is_named_and_changes_nothing() {
        let (mut env, mut state) = (PendulumEnv::default(), [0.0; 3]);
        assert!(matches!(env.step(&[0.0], &mut state), Err(EnvError::NoEpisode)));
        env.reset(Stream::new(1).rng(), &mut state).unwrap();
        let before = env.clone();
        for torque in [f32::NAN, f32::INFINITY, 2.1, -2.1] {
            let error = env.step(&[torque], &mut state).unwrap_err();
            assert!(matches!(error, EnvError::Value { what: "action", index: 0, .. }), "{error}");
        }
        assert!(matches!(env.step(&[0.0; 2], &mut state), Err(EnvError::Width { .. })));
        assert!(matches!(env.step(&[0.0], &mut [0.0; 4]), Err(EnvError::Width { .. })));
        assert_eq!(env, before);
        let bad = PendulumParameters { length: f64::NAN, ..PendulumParameters::default() };
        assert_eq!(PendulumEnv::new(bad).unwrap_err().field, "length");
    }

    #[test]
    fn the_declared_box_is_the_motors() {
        let parameters = PendulumParameters { torque: 0.1, ..PendulumParameters::default() };
        let (mut env, mut state) = (PendulumEnv::new(parameters).unwrap(), [0.0; 3]);
        assert_eq!(env.bounds(), Bounds::new(vec![-0.1], vec![0.1]).unwrap());
        env.reset(Stream::new(1).rng(), &mut state).unwrap();
        env.step(env.bounds().high(), &mut state).unwrap();
    }
}
