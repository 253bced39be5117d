//! Balance a pole on a cart by pushing left or right. Units are meters, kilograms, seconds and radians.

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step};
use tutelage_draw::render::{Drawing, Ink, Mark, Picture, Rectangle, Render};

use crate::worlds::clock::{EpisodeClock, check_index};
use crate::worlds::{ScriptedExpert, World};

/// Gravitational acceleration.
const GRAVITY: f64 = 9.8;
const CART_MASS: f64 = 1.0;
const POLE_MASS: f64 = 0.1;
/// Half the length of the pole.
const HALF_LENGTH: f64 = 0.5;
/// Force of one push.
const FORCE: f64 = 10.0;
/// Time between two actions.
const TIME_STEP: f64 = 0.02;
/// Largest distance of the cart from the center, and the unit of its position.
const RAIL: f64 = 2.4;
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
    motion: CartPoleMotion,
    clock: EpisodeClock,
}

/// Position, velocity, angle and angular velocity. The angle is 0 upright and positive to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct CartPoleMotion {
    place: f64,
    speed: f64,
    angle: f64,
    spin: f64,
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

/// Weights of the four numbers of a state.
///
/// A pole that leans or swings right needs a push to the right. The weights of the cart's position
/// and velocity are positive too: to return from the right, the cart first moves further right, so
/// that the pole leans left, and then follows it.
const WEIGHTS: [f32; 4] = [0.4, 0.5, 1.0, 1.5];

impl World for CartPoleEnv {
    fn expert(&self) -> ScriptedExpert<u32> {
        ScriptedExpert::new(self.spaces(), |state, action| {
            let terms = WEIGHTS.iter().zip(state).map(|(weight, number)| weight * number);
            action[0] = u32::from(terms.sum::<f32>() > 0.0);
        })
    }
}

impl Render for CartPoleEnv {
    fn render(&self) -> Drawing {
        let (motion, length, edge) = (self.motion, 2.0 * HALF_LENGTH, RAIL + 0.5);
        let top = 0.22;
        let hinge = [motion.place, top];
        let tip = [motion.place + length * motion.angle.sin(), top + length * motion.angle.cos()];
        let line =
            |points: &[[f64; 2]], width, ink| Mark::Line { points: points.to_vec(), width, ink };
        let disc = |center, radius, ink| Mark::Circle { center, radius, ink };
        let cart =
            Rectangle { low: [motion.place - 0.26, -0.08], high: [motion.place + 0.26, 0.14] };
        let wheel = |side: f64| [motion.place + side, -0.12];
        let ground = Rectangle { low: [-9.0, -9.0], high: [9.0, -0.2] };
        let mut marks = vec![
            Mark::Polygon { points: ground.corners().to_vec(), ink: Ink::Field },
            line(&[[-RAIL, -0.2], [RAIL, -0.2]], 0.025, Ink::Gray),
        ];
        for end in [-RAIL, RAIL] {
            marks.push(line(&[[end, -0.2], [end, 0.02]], 0.05, Ink::Red));
        }
        marks.push(line(&[[0.0, -0.2], [0.0, -0.26]], 0.025, Ink::Gray));
        marks.push(line(&closed(&cart.corners()), 0.06, Ink::Blue));
        marks.push(Mark::Polygon { points: cart.corners().to_vec(), ink: Ink::Blue });
        for wheel in [wheel(-0.16), wheel(0.16)] {
            marks.push(disc(wheel, 0.08, Ink::Dark));
            marks.push(disc(wheel, 0.03, Ink::Gray));
        }
        marks.push(line(&[[motion.place, 0.12], hinge], 0.12, Ink::Blue));
        marks.push(line(&[hinge, tip], 0.075, Ink::Orange));
        marks.push(disc(hinge, 0.045, Ink::Dark));
        Picture {
            view: Rectangle { low: [-edge, -0.5], high: [edge, length + 0.9] },
            background: Ink::Paper,
            marks,
        }
        .into()
    }
}

/// Returns the corners with the first one repeated at the end.
fn closed(corners: &[[f64; 2]]) -> Vec<[f64; 2]> {
    corners.iter().chain(corners.first()).copied().collect()
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::worlds::play::play;

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

    /// Returns the two ends of the pole.
    fn pole(motion: CartPoleMotion) -> [[f64; 2]; 2] {
        let world = CartPoleEnv { motion, ..CartPoleEnv::default() };
        let is_pole = |mark: &&Mark| mark.ink() == Ink::Orange;
        let picture = world.render().into_picture().unwrap();
        let points = picture.marks.iter().find(is_pole).unwrap().points();
        [points[0], points[1]]
    }

    #[test]
    fn pole_is_drawn_on_the_cart_at_its_angle() {
        let [hinge, tip] = pole(CartPoleMotion { place: 1.0, ..CartPoleMotion::default() });
        assert_eq!((hinge[0], tip[0]), (1.0, 1.0));
        assert!((tip[1] - hinge[1] - 1.0).abs() < 1e-12, "the pole is one meter long");
        let [hinge, tip] = pole(CartPoleMotion { angle: 0.2, ..CartPoleMotion::default() });
        assert!((tip[0] - hinge[0] - 0.2f64.sin()).abs() < 1e-12, "positive angles lean right");
    }
}
