//! The car on its track as an environment, in meters, seconds and radians.

use std::sync::Arc;

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step};
use tutelage_draw::render::{Drawing, Render};

use super::car::{Car, TOP_SPEED};
use super::track::Track;
use crate::worlds::clock::{EpisodeClock, check_index};

/// Directions of the range sensors, in radians to the left of straight ahead, from right to left.
pub(super) const SENSORS: [f64; 9] = [-1.57, -1.05, -0.6, -0.26, 0.0, 0.26, 0.6, 1.05, 1.57];

/// Width of a state: one distance per sensor and the speed.
const STATES: usize = SENSORS.len() + 1;

/// Mean radius of the track.
const RADIUS: f64 = 28.0;
/// Width of the track divided by its height.
const STRETCH: f64 = 1.5;
/// Amplitude (as a share of the radius) and phase of the waves that bend the track: one period per
/// lap, two periods, and so on.
const WAVES: [[f64; 2]; 5] = [[0.0, 0.0], [0.06, 0.6], [0.18, 2.2], [0.0, 0.0], [0.05, 1.0]];
/// Half the width of the road.
const HALF_WIDTH: f64 = 4.5;
/// Half the width of the car.
pub(super) const HALF_CAR: f64 = 0.9;
/// Range of the sensors.
pub(super) const RANGE: f64 = 25.0;
/// The time limit H.
const HORIZON: usize = 400;

/// A car on a closed track.
///
/// The state is the free distance in the direction of each of nine sensors as a share of its range,
/// then the speed as a share of the top speed. The action is steering, from −1 (right) to 1
/// (left), and throttle, from −1 (full brake) to 1 (full gas). A step earns its progress along the
/// center line in meters; driving backward earns nothing. The episode terminates when the side of
/// the car leaves the road.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveEnv {
    pub(crate) track: Arc<Track>,
    pub(crate) car: Car,
    /// The last steering, for the drawing.
    pub(crate) steering: f64,
    /// Distance of the car along the center line.
    along: f64,
    clock: EpisodeClock,
}

impl Default for DriveEnv {
    fn default() -> Self {
        let track = Track::new(RADIUS, STRETCH, &WAVES, HALF_WIDTH);
        let (place, heading) = track.at(0.0);
        let car = Car { place, heading, speed: 0.0 };
        let (track, clock) = (Arc::new(track), EpisodeClock::default());
        Self { track, car, steering: 0.0, along: 0.0, clock }
    }
}

impl DriveEnv {
    /// Returns the length of a lap in meters.
    pub fn lap(&self) -> f64 {
        self.track.length
    }

    /// Returns the free distance in the direction of each sensor, in meters.
    pub(crate) fn ranges(&self) -> [f64; SENSORS.len()] {
        let Car { place, heading, .. } = self.car;
        SENSORS.map(|angle| self.track.sight(place, heading + angle, RANGE))
    }

    fn observe(&self, state: &mut [f32]) {
        for (number, range) in state.iter_mut().zip(self.ranges()) {
            *number = (range / RANGE) as f32;
        }
        state[STATES - 1] = (self.car.speed / TOP_SPEED) as f32;
    }

    /// Returns an error if no episode is running.
    fn check_running(&self) -> Result<(), EnvError> {
        self.clock.steps().map(|_| ())
    }

    /// Moves the car. The caller has checked the action.
    fn advance(
        &mut self,
        steering: f64,
        throttle: f64,
        state: &mut [f32],
    ) -> Result<Step, EnvError> {
        EnvError::check_width("state", state.len(), STATES)?;
        self.steering = steering;
        self.car = self.car.after(steering, throttle);
        let place = self.track.nearest(self.car.place);
        let progress = self.track.between(self.along, place.along).max(0.0);
        self.along = place.along;
        self.observe(state);
        let off_road = place.aside > HALF_WIDTH - HALF_CAR;
        Ok(self.clock.tick(progress, off_road, HORIZON))
    }
}

impl Env for DriveEnv {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: STATES, actions: 2 }
    }

    fn horizon(&self) -> usize {
        HORIZON
    }

    /// Places the car anywhere on the track, at most half way to the side, roughly along the road.
    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        EnvError::check_width("state", state.len(), STATES)?;
        self.along = rng.random_range(0.0..self.track.length);
        let (middle, direction) = self.track.at(self.along);
        let aside = rng.random_range(-0.5..0.5) * (HALF_WIDTH - HALF_CAR);
        let place = [middle[0] - aside * direction.sin(), middle[1] + aside * direction.cos()];
        let heading = direction + rng.random_range(-0.2..0.2);
        self.car = Car { place, heading, speed: rng.random_range(0.0..0.25) * TOP_SPEED };
        self.steering = 0.0;
        self.clock.start();
        self.observe(state);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.check_running()?;
        EnvError::check_width("action", action.len(), 2)?;
        EnvError::check_values("action", action, "a number from -1 to 1", |x| x.abs() <= 1.0)?;
        self.advance(f64::from(action[0]), f64::from(action[1]), state)
    }
}

/// Steering of the two steering actions.
const TURN: f64 = 0.8;

/// Throttle of the two pedal actions.
const PRESS: f64 = 0.8;

/// [`DriveEnv`] with five actions: 0 rolls, 1 steers left and 2 right at constant speed, 3
/// accelerates, 4 brakes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DriveFiveEnv(DriveEnv);

impl Env for DriveFiveEnv {
    type State = f32;
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { actions: 5, ..self.0.spaces() }
    }

    fn horizon(&self) -> usize {
        self.0.horizon()
    }

    fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        self.0.reset(rng, state)
    }

    fn step(&mut self, action: &[u32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.0.check_running()?;
        EnvError::check_width("state", state.len(), self.0.spaces().states)?;
        let key = check_index(action, 5, "0 (roll), 1 (left), 2 (right), 3 (gas) or 4 (brake)")?;
        let hold = self.0.car.holding_throttle();
        let (steering, throttle) = match key {
            1 => (TURN, hold),
            2 => (-TURN, hold),
            3 => (0.0, PRESS),
            4 => (0.0, -PRESS),
            _ => (0.0, 0.0),
        };
        self.0.advance(steering, throttle, state)
    }
}

impl Render for DriveFiveEnv {
    fn render(&self) -> Drawing {
        self.0.render()
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;

    fn started() -> (DriveEnv, [f32; STATES]) {
        let (mut env, mut state) = (DriveEnv::default(), [0.0; STATES]);
        env.reset(Stream::new(1).rng(), &mut state).unwrap();
        (env, state)
    }

    #[test]
    fn reward_is_progress_along_the_road() {
        let (mut env, mut state) = started();
        let (place, heading) = env.track.at(50.0);
        (env.car, env.along) = (Car { place, heading, speed: 8.0 }, 50.0);
        let step = env.step(&[0.0, 0.4], &mut state).unwrap();
        assert!((step.reward - 0.8).abs() < 0.02, "8 m/s for a tenth of a second: {}", step.reward);
        env.car.heading += std::f64::consts::PI;
        assert_eq!(env.step(&[0.0, 0.4], &mut state).unwrap().reward, 0.0);
    }

    #[test]
    fn leaving_the_road_terminates() {
        let (mut env, mut state) = started();
        let (place, heading) = env.track.at(0.0);
        let heading = heading + 1.5;
        env.car = Car { place, heading, speed: 10.0 };
        let lengths: Vec<Step> = std::iter::repeat_with(|| env.step(&[0.0, 0.0], &mut state))
            .map_while(Result::ok)
            .collect();
        assert!(lengths.len() < 6, "the side is 3.6 m away; a step is almost 1 m");
        assert!(lengths.last().is_some_and(|step| step.terminated && !step.truncated));
        assert!(matches!(env.step(&[0.0, 0.0], &mut state), Err(EnvError::NoEpisode)));
    }

    #[test]
    fn states_are_relative_to_range_and_top_speed() {
        let (env, state) = started();
        assert!(state.iter().all(|number| (0.0..=1.0).contains(number)), "{state:?}");
        let across = f64::from(state[0] + state[8]) * RANGE;
        assert!(
            (across / 9.0 - 1.0).abs() < 0.2,
            "left and right together are about the road width: {across}"
        );
        assert!((f64::from(state[9]) * 20.0 - env.car.speed).abs() < 1e-5);
    }

    #[test]
    fn actions_steer_and_accelerate_as_documented() {
        let after = |key| {
            let (env, mut state) = started();
            let mut env = DriveFiveEnv(env);
            env.0.car.speed = 5.0;
            let before = env.0.car;
            env.step(&[key], &mut state).unwrap();
            (env.0.car.heading - before.heading, env.0.car.speed - before.speed)
        };
        assert!((after(0).1 + 0.1).abs() < 1e-9, "drag 0.2 of 5 m/s for 0.1 s");
        assert!(after(1).0 > 0.05 && after(1).1.abs() < 1e-9);
        assert_eq!(after(2).0, -after(1).0);
        assert!((after(3).1 - 0.22).abs() < 1e-9 && after(3).0 == 0.0);
        assert!((after(4).1 + 0.74).abs() < 1e-9);
    }
}
