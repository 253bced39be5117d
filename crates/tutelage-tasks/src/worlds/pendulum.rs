//! Swing up a pendulum with a weak motor and keep it upright. Units are meters, kilograms, seconds and
//! radians.

use std::f64::consts::{FRAC_PI_2, PI};

use rand::RngExt;
use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step};
use tutelage_draw::render::{Drawing, Ink, Mark, Picture, Rectangle, Render};

use crate::worlds::clock::EpisodeClock;
use crate::worlds::{ScriptedExpert, World};

const GRAVITY: f64 = 10.0;
/// Mass and length of the rod.
const MASS: f64 = 1.0;
const LENGTH: f64 = 1.0;
/// Torque that gravity exerts on the horizontal rod: its center of mass is at half its length.
const WEIGHT: f64 = 0.5 * MASS * GRAVITY * LENGTH;
/// Moment of inertia of the rod about its end.
const INERTIA: f64 = MASS * LENGTH * LENGTH / 3.0;
/// The largest torque.
const MAX_TORQUE: f64 = 2.0;
/// The largest angular velocity.
const MAX_SPIN: f64 = 8.0;
/// The unit of the angular velocity in a state.
const SPIN_UNIT: f64 = 4.0;
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
    motion: PendulumMotion,
    /// The last torque, for the drawing.
    torque: f64,
    clock: EpisodeClock,
}

/// Angle and angular velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PendulumMotion {
    angle: f64,
    spin: f64,
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

impl Render for PendulumEnv {
    fn render(&self) -> Drawing {
        let length = LENGTH;
        let direction = [-self.motion.angle.sin(), self.motion.angle.cos()];
        let tip = direction.map(|x| x * length);
        let disc = |share: f64, ink| Mark::Circle { center: [0.0; 2], radius: share * length, ink };
        let mut marks = vec![disc(1.12, Ink::Field), disc(1.08, Ink::Paper)];
        marks.push(Mark::Line {
            points: vec![[0.0, 1.02 * length], [0.0, 1.18 * length]],
            width: 0.03 * length,
            ink: Ink::Green,
        });
        marks.push(Mark::Line {
            points: vec![[0.0; 2], tip],
            width: 0.16 * length,
            ink: Ink::Orange,
        });
        marks.extend(self.torque_arrow());
        marks.push(disc(0.06, Ink::Dark));
        let reach = 1.3 * length;
        Picture {
            view: Rectangle { low: [-1.4 * reach, -reach], high: [1.4 * reach, reach] },
            background: Ink::Paper,
            marks,
        }
        .into()
    }
}

impl PendulumEnv {
    /// Returns an arrow along an arc whose direction and length show the motor's torque.
    fn torque_arrow(&self) -> Vec<Mark> {
        const PARTS: usize = 24;
        let (share, radius) = (self.torque / MAX_TORQUE, 0.45 * LENGTH);
        if share.abs() < 0.05 {
            return Vec::new();
        }
        let at = |angle: f64, radius: f64| [radius * angle.cos(), radius * angle.sin()];
        let turn = 1.2 * FRAC_PI_2 * share;
        // The arc lies on the side away from the rod.
        let middle = self.motion.angle - FRAC_PI_2;
        let points =
            (0..=PARTS).map(|i| at(middle + turn * (i as f64 / PARTS as f64 - 0.5), radius));
        let (end, ahead) = (middle + 0.5 * turn, 0.3 * share.signum());
        let head = vec![at(end, 0.8 * radius), at(end, 1.2 * radius), at(end + ahead, radius)];
        vec![
            Mark::Line { points: points.collect(), width: 0.14 * radius, ink: Ink::Blue },
            Mark::Polygon { points: head, ink: Ink::Blue },
        ]
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::worlds::play::play;

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

    fn picture(angle: f64, torque: f64) -> Picture {
        let mut world = PendulumEnv::default();
        (world.motion, world.torque) = (PendulumMotion { angle, spin: 0.0 }, torque);
        world.render().into_picture().unwrap()
    }

    fn points(picture: &Picture, ink: Ink) -> Vec<[f64; 2]> {
        let marks = picture.marks.iter().filter(|mark| mark.ink() == ink);
        marks.flat_map(|mark| mark.points().to_vec()).collect()
    }

    #[test]
    fn the_rod_points_where_the_angle_says() {
        assert_eq!(points(&picture(0.0, 0.0), Ink::Orange)[1], [0.0, 1.0]);
        let [x, y] = points(&picture(FRAC_PI_2, 0.0), Ink::Orange)[1];
        assert!((x + 1.0).abs() < 1e-12 && y.abs() < 1e-12, "positive angles lean left");
    }

    #[test]
    fn an_arrow_turns_with_the_torque_and_grows_with_it() {
        assert!(points(&picture(0.3, 0.0), Ink::Blue).is_empty());
        let turn = |torque| {
            let arc = points(&picture(0.3, torque), Ink::Blue);
            let angle = |[x, y]: [f64; 2]| y.atan2(x);
            angle(arc[24]) - angle(arc[0])
        };
        assert!(turn(2.0) > 1.0, "anticlockwise");
        assert!((turn(-2.0) + turn(2.0)).abs() < 1e-9);
        assert!(turn(1.0) < 0.6 * turn(2.0));
    }
}
