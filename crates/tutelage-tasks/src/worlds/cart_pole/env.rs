//! The dynamics of a cart-pole, in meters, kilograms, seconds and radians.

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step};

use crate::worlds::clock::{EpisodeClock, check_index};

/// Gravitational acceleration.
const GRAVITY: f64 = 9.8;
const CART_MASS: f64 = 1.0;
const POLE_MASS: f64 = 0.1;
/// Half the length of the pole.
pub(super) const HALF_LENGTH: f64 = 0.5;
/// Force of one push.
const FORCE: f64 = 10.0;
/// Time between two actions.
const TIME_STEP: f64 = 0.02;
/// Largest distance of the cart from the center, and the unit of its position.
pub(super) const RAIL: f64 = 2.4;
/// Largest angle of the pole, and the unit of its angle.
const MAX_ANGLE: f64 = 0.21;
/// Unit of the cart's velocity.
const SPEED_UNIT: f64 = 1.5;
/// Unit of the pole's angular velocity.
const SPIN_UNIT: f64 = 1.5;
/// Each number of an initial state is uniform within ± this share of its unit.
const START: f64 = 0.4;
/// The time limit H.
const HORIZON: usize = 400;

/// A pole on a cart (Barto, Sutton & Anderson 1983).
///
/// The state is the position and velocity of the cart and the angle and angular velocity of the
/// pole, each divided by a typical value. Action 0 pushes left, action 1 right. A step earns 1 while
/// the pole stands and the cart stays on its rail; otherwise the episode terminates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CartPoleEnv {
    pub(crate) motion: CartPoleMotion,
    clock: EpisodeClock,
}

/// Position, velocity, angle and angular velocity. The angle is 0 upright and positive to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CartPoleMotion {
    pub(crate) place: f64,
    pub(crate) speed: f64,
    pub(crate) angle: f64,
    pub(crate) spin: f64,
}

impl CartPoleEnv {
    fn observe(&self, state: &mut [f32]) {
        let CartPoleMotion { place, speed, angle, spin } = self.motion;
        let scaled = [place / RAIL, speed / SPEED_UNIT, angle / MAX_ANGLE, spin / SPIN_UNIT];
        state.copy_from_slice(&scaled.map(|number| number as f32));
    }
}

impl Env for CartPoleEnv {
    type State = f32;
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 4, actions: 2 }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        EnvError::check_width("state", state.len(), 4)?;
        let mut draw = |unit: f64| unit * START * rng.random_range(-1.0..1.0);
        self.motion = CartPoleMotion {
            place: draw(RAIL),
            speed: draw(SPEED_UNIT),
            angle: draw(MAX_ANGLE),
            spin: draw(SPIN_UNIT),
        };
        self.clock.start();
        self.observe(state);
        Ok(())
    }

    fn step(&mut self, action: &[u32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.clock.steps()?;
        EnvError::check_width("state", state.len(), 4)?;
        let push = check_index(action, 2, "0 (left) or 1 (right)")?;
        self.motion = self.motion.after(if push == 1 { FORCE } else { -FORCE });
        self.observe(state);
        let stands = self.motion.angle.abs() <= MAX_ANGLE && self.motion.place.abs() <= RAIL;
        Ok(self.clock.tick(f64::from(u8::from(stands)), !stands, HORIZON))
    }
}

impl CartPoleMotion {
    /// Returns the motion after one explicit Euler step without friction (Florian 2007, eqs. 23, 24).
    ///
    /// Positions move with the old velocities, as in Gymnasium.
    fn after(self, force: f64) -> Self {
        let Self { place, speed, angle, spin } = self;
        let ((sin, cos), mass) = (angle.sin_cos(), CART_MASS + POLE_MASS);
        let pull = (force + POLE_MASS * HALF_LENGTH * spin * spin * sin) / mass;
        let inertia = HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cos * cos / mass);
        let spin_rate = (GRAVITY * sin - cos * pull) / inertia;
        let speed_rate = pull - POLE_MASS * HALF_LENGTH * spin_rate * cos / mass;
        Self {
            place: place + TIME_STEP * speed,
            speed: speed + TIME_STEP * speed_rate,
            angle: angle + TIME_STEP * spin,
            spin: spin + TIME_STEP * spin_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;

    #[test]
    fn push_from_rest_matches_hand_calculation() {
        // Upright at rest: pull = 10 / 1.1, spin rate = −pull / (0.5 (4/3 − 0.1/1.1)) = −14.634…, speed rate = 9.756…
        let after = CartPoleMotion::default().after(10.0);
        let (spin_rate, speed_rate) = (-600.0 / 41.0, 400.0 / 41.0);
        assert!((after.spin - 0.02 * spin_rate).abs() < 1e-12, "{after:?}");
        assert!((after.speed - 0.02 * speed_rate).abs() < 1e-12, "{after:?}");
        assert_eq!((after.place, after.angle), (0.0, 0.0), "positions follow one step later");
    }

    #[test]
    fn terminates_without_reward_outside_the_limits() {
        let mut env = CartPoleEnv::default();
        let mut state = [0.0; 4];
        for (motion, edge) in [
            (CartPoleMotion { angle: 0.2, spin: 1.0, ..CartPoleMotion::default() }, 2),
            (CartPoleMotion { place: -2.39, speed: -3.0, ..CartPoleMotion::default() }, 0),
        ] {
            env.reset(Stream::new(1).rng(), &mut state).unwrap();
            env.motion = motion;
            let step = env.step(&[1], &mut state).unwrap();
            assert_eq!(step, Step { reward: 0.0, terminated: true, truncated: false });
            assert!(state[edge].abs() > 1.0, "{state:?}");
            assert!(matches!(env.step(&[1], &mut state), Err(EnvError::NoEpisode)));
        }
    }
}
