//! The motion of cart and pole.

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step};

use crate::ParameterError;
use crate::check::{check_index, check_positive, check_width};
use crate::clock::EpisodeClock;

/// A pole on a cart (Barto, Sutton & Anderson 1983).
///
/// The state is the cart's place and speed and the pole's angle and angular speed, each divided by its unit
/// ([`CartPoleParameters`]). Action 0 pushes left, action 1 right. Every step that leaves the pole standing and the cart on its
/// rail earns 1; otherwise the episode is terminated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CartPoleEnv {
    pub(crate) parameters: CartPoleParameters,
    pub(crate) motion: CartPoleMotion,
    clock: EpisodeClock,
}

/// What a cart-pole is made of, in metres, kilograms, seconds and radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CartPoleParameters {
    /// The strength of gravity.
    pub gravity: f64,
    /// The cart's mass.
    pub cart_mass: f64,
    /// The pole's mass.
    pub pole_mass: f64,
    /// Half the pole's length.
    pub half_length: f64,
    /// The force of a push.
    pub force: f64,
    /// The time between two actions.
    pub time_step: f64,
    /// How far the cart may go from the middle: the unit of its place.
    pub rail: f64,
    /// How far the pole may lean: the unit of its angle.
    pub lean: f64,
    /// The unit of the cart's speed.
    pub speed_unit: f64,
    /// The unit of the pole's angular speed.
    pub spin_unit: f64,
    /// Each number of a first state is uniform within ± this.
    pub start: f64,
    /// The time limit H.
    pub horizon: usize,
}

/// Place, speed, angle and angular speed. The angle is zero upright and positive to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CartPoleMotion {
    pub(crate) place: f64,
    pub(crate) speed: f64,
    pub(crate) angle: f64,
    pub(crate) spin: f64,
}

impl Default for CartPoleParameters {
    fn default() -> Self {
        Self {
            gravity: 9.8,
            cart_mass: 1.0,
            pole_mass: 0.1,
            half_length: 0.5,
            force: 10.0,
            time_step: 0.02,
            rail: 2.4,
            lean: 0.21,
            speed_unit: 1.5,
            spin_unit: 1.5,
            start: 0.4,
            horizon: 400,
        }
    }
}

impl CartPoleEnv {
    /// A cart-pole of these parameters.
    pub fn new(parameters: CartPoleParameters) -> Result<Self, ParameterError> {
        let p = parameters;
        check_positive(&[
            ("gravity", p.gravity),
            ("cart_mass", p.cart_mass),
            ("pole_mass", p.pole_mass),
            ("half_length", p.half_length),
            ("force", p.force),
            ("time_step", p.time_step),
            ("rail", p.rail),
            ("lean", p.lean),
            ("speed_unit", p.speed_unit),
            ("spin_unit", p.spin_unit),
            ("start", p.start),
            ("horizon", p.horizon as f64),
        ])?;
        Ok(Self { parameters, ..Self::default() })
    }

    fn observe(&self, state: &mut [f32]) {
        let (CartPoleMotion { place, speed, angle, spin }, p) = (self.motion, &self.parameters);
        let scaled = [place / p.rail, speed / p.speed_unit, angle / p.lean, spin / p.spin_unit];
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
        self.parameters.horizon
    }

    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        check_width("state", state.len(), 4)?;
        let p = &self.parameters;
        let mut draw = |unit: f64| unit * p.start * rng.random_range(-1.0..1.0);
        self.motion = CartPoleMotion {
            place: draw(p.rail),
            speed: draw(p.speed_unit),
            angle: draw(p.lean),
            spin: draw(p.spin_unit),
        };
        self.clock.start();
        self.observe(state);
        Ok(())
    }

    fn step(&mut self, action: &[u32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.clock.steps()?;
        check_width("state", state.len(), 4)?;
        let push = check_index(action, 2, "0 pushes left, 1 right")?;
        let p = &self.parameters;
        self.motion = self.motion.after(if push == 1 { p.force } else { -p.force }, p);
        self.observe(state);
        let stands = self.motion.angle.abs() <= p.lean && self.motion.place.abs() <= p.rail;
        Ok(self.clock.tick(f64::from(u8::from(stands)), !stands, p.horizon))
    }
}

impl CartPoleMotion {
    /// One Euler step of the equations of motion without friction (Florian 2007, equations 23 and 24).
    fn after(self, force: f64, p: &CartPoleParameters) -> Self {
        let Self { place, speed, angle, spin } = self;
        let ((sin, cos), mass) = (angle.sin_cos(), p.cart_mass + p.pole_mass);
        let pull = (force + p.pole_mass * p.half_length * spin * spin * sin) / mass;
        let inertia = p.half_length * (4.0 / 3.0 - p.pole_mass * cos * cos / mass);
        let spin_rate = (p.gravity * sin - cos * pull) / inertia;
        let speed_rate = pull - p.pole_mass * p.half_length * spin_rate * cos / mass;
        Self {
            place: place + p.time_step * speed,
            speed: speed + p.time_step * speed_rate,
            angle: angle + p.time_step * spin,
            spin: spin + p.time_step * spin_rate,
        }
    }
}

#[cfg(test)]
mod tests {
    use tutelage::{Stream, check_env};

    use super::*;

    #[test]
    fn it_keeps_the_contract_of_environments() {
        check_env(CartPoleEnv::default, Stream::new(1)).unwrap();
    }

    #[test]
    fn a_push_from_rest_is_as_computed_by_hand() {
        // Upright at rest: pull = 10 / 1.1, spin rate = −pull / (0.5 (4/3 − 0.1/1.1)) = −14.634…, speed rate = 9.756…
        let after = CartPoleMotion::default().after(10.0, &CartPoleParameters::default());
        let (spin_rate, speed_rate) = (-600.0 / 41.0, 400.0 / 41.0);
        assert!((after.spin - 0.02 * spin_rate).abs() < 1e-12, "{after:?}");
        assert!((after.speed - 0.02 * speed_rate).abs() < 1e-12, "{after:?}");
        assert_eq!((after.place, after.angle), (0.0, 0.0), "places follow a step later");
    }

    #[test]
    fn it_ends_where_pole_or_cart_go_too_far_and_earns_nothing_then() {
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

    #[test]
    fn bad_input_is_named_and_changes_nothing() {
        let mut env = CartPoleEnv::default();
        let mut state = [0.0; 4];
        assert!(matches!(env.step(&[0], &mut state), Err(EnvError::NoEpisode)));
        assert!(env.reset(Stream::new(1).rng(), &mut [0.0; 3]).is_err());
        env.reset(Stream::new(1).rng(), &mut state).unwrap();
        let before = env.clone();
        let error = env.step(&[2], &mut state).unwrap_err().to_string();
        assert_eq!(error, "action[0] is 2, which is not allowed (0 pushes left, 1 right)");
        assert!(matches!(env.step(&[], &mut state), Err(EnvError::Width { what: "action", .. })));
        assert!(matches!(
            env.step(&[0], &mut [0.0; 5]),
            Err(EnvError::Width { what: "state", expected: 4, found: 5 })
        ));
        assert_eq!(env, before);
        let parameters = CartPoleParameters { pole_mass: 0.0, ..CartPoleParameters::default() };
        let error = CartPoleEnv::new(parameters).unwrap_err().to_string();
        assert_eq!(error, "pole_mass is 0, which is not allowed (finite and greater than 0)");
    }

    #[test]
    fn starts_differ_by_seed() {
        let start = |seed| {
            let mut state = [0.0; 4];
            CartPoleEnv::default().reset(Stream::new(seed).rng(), &mut state).unwrap();
            state
        };
        assert_eq!(start(1), start(1));
        assert_ne!(start(1), start(2));
    }
}
