//! Car and track as an environment.

use std::sync::Arc;

use rand::RngExt;
use tutelage::{Env, EnvError, Rng, Spaces, Step};

use super::car::Car;
use super::track::Track;
use crate::ParameterError;
use crate::check::{check_each, check_positive, check_width, check_within};
use crate::clock::EpisodeClock;

/// Where the range sensors look, in radians to the left of straight ahead, from right to left.
pub const SENSORS: [f64; 9] = [-1.57, -1.05, -0.6, -0.26, 0.0, 0.26, 0.6, 1.05, 1.57];

/// The numbers of a state: a range per sensor and the speed.
const STATES: usize = SENSORS.len() + 1;

/// A car on a closed track.
///
/// The state is what each sensor ([`SENSORS`]) sees, how far the road is free in its direction as a share of its range, and
/// then the car's speed as a share of its top speed. The action is steering, from −1 (right) to 1 (left), and throttle, from
/// −1 (full brake) to 1 (full gas). A step earns its progress along the middle of the road in metres, going back earns nothing.
/// The episode is terminated when the car's side leaves the road.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveEnv {
    parameters: DriveParameters,
    pub(crate) track: Arc<Track>,
    pub(crate) car: Car,
    /// The last steering, to be drawn.
    pub(crate) steering: f64,
    /// How far along the middle line the car is.
    along: f64,
    clock: EpisodeClock,
}

/// What car and track are like, in metres, seconds and radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveParameters {
    /// The track's mean radius.
    pub radius: f64,
    /// How many times as wide as high the track is.
    pub stretch: f64,
    /// Size (as a share of the radius) and phase of the waves that bend the track: one per turn, two per turn, and so on.
    pub waves: [[f64; 2]; 5],
    /// Half the road's width.
    pub half_width: f64,
    /// Half the car's width.
    pub half_car: f64,
    /// The distance between the axles.
    pub wheel_base: f64,
    /// How far the front wheels turn.
    pub max_wheel: f64,
    /// The acceleration of full gas.
    pub gas: f64,
    /// The deceleration of full brake.
    pub brake: f64,
    /// Deceleration per speed of the rolling car; its top speed is `gas / drag`.
    pub drag: f64,
    /// The largest sideways acceleration.
    pub grip: f64,
    /// The range of the sensors.
    pub range: f64,
    /// The time between two actions.
    pub time_step: f64,
    /// The time limit H.
    pub horizon: usize,
}

impl DriveParameters {
    pub(crate) const DEFAULT: Self = Self {
        radius: 28.0,
        stretch: 1.5,
        waves: [[0.0, 0.0], [0.06, 0.6], [0.18, 2.2], [0.0, 0.0], [0.05, 1.0]],
        half_width: 4.5,
        half_car: 0.9,
        wheel_base: 2.5,
        max_wheel: 0.5,
        gas: 4.0,
        brake: 8.0,
        drag: 0.2,
        grip: 7.0,
        range: 25.0,
        time_step: 0.1,
        horizon: 400,
    };

    /// The speed at which drag balances full gas.
    pub fn top_speed(&self) -> f64 {
        self.gas / self.drag
    }

    fn check(&self) -> Result<(), ParameterError> {
        check_positive(&[
            ("radius", self.radius),
            ("stretch", self.stretch),
            ("half_width", self.half_width),
            ("half_car", self.half_car),
            ("wheel_base", self.wheel_base),
            ("gas", self.gas),
            ("brake", self.brake),
            ("drag", self.drag),
            ("grip", self.grip),
            ("range", self.range),
            ("time_step", self.time_step),
            ("horizon", self.horizon as f64),
        ])?;
        check_each(&self.waves.map(|[size, _]| ("waves", size)), "finite", f64::is_finite)?;
        check_each(&self.waves.map(|[_, phase]| ("waves", phase)), "finite", f64::is_finite)?;
        let turns = |wheel: f64| wheel > 0.0 && wheel < 1.5;
        check_each(&[("max_wheel", self.max_wheel)], "above 0 and below 1.5", turns)?;
        let fits = |half_car: f64| half_car < self.half_width;
        check_each(&[("half_car", self.half_car)], "less than half_width", fits)
    }
}

impl Default for DriveParameters {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Default for DriveEnv {
    fn default() -> Self {
        Self::unchecked(DriveParameters::DEFAULT)
    }
}

impl DriveEnv {
    /// A car and a track of these parameters.
    pub fn new(parameters: DriveParameters) -> Result<Self, ParameterError> {
        parameters.check()?;
        let drive = Self::unchecked(parameters);
        let allowed = "less than the radius of the track's tightest bend";
        let fits = |half_width: f64| half_width < drive.track.tightest();
        check_each(&[("half_width", parameters.half_width)], allowed, fits)?;
        Ok(drive)
    }

    fn unchecked(parameters: DriveParameters) -> Self {
        let p = &parameters;
        let track = Track::new(p.radius, p.stretch, &p.waves, p.half_width);
        let (place, heading) = track.at(0.0);
        let car = Car { place, heading, speed: 0.0 };
        let (track, clock) = (Arc::new(track), EpisodeClock::default());
        Self { parameters, track, car, steering: 0.0, along: 0.0, clock }
    }

    /// What car and track are like.
    pub fn parameters(&self) -> &DriveParameters {
        &self.parameters
    }

    /// The length of a lap in metres.
    pub fn lap(&self) -> f64 {
        self.track.length
    }

    /// How far each sensor sees, in metres.
    pub(crate) fn ranges(&self) -> [f64; SENSORS.len()] {
        let Car { place, heading, .. } = self.car;
        SENSORS.map(|angle| self.track.sight(place, heading + angle, self.parameters.range))
    }

    fn observe(&self, state: &mut [f32]) {
        let (ranges, p) = (self.ranges(), &self.parameters);
        for (number, range) in state.iter_mut().zip(ranges) {
            *number = (range / p.range) as f32;
        }
        state[STATES - 1] = (self.car.speed / p.top_speed()) as f32;
    }

    /// Whether an episode is under way.
    pub(super) fn check_running(&self) -> Result<(), EnvError> {
        self.clock.steps().map(|_| ())
    }

    /// Moves the car; the action has been checked.
    pub(super) fn advance(
        &mut self,
        steering: f64,
        throttle: f64,
        state: &mut [f32],
    ) -> Result<Step, EnvError> {
        check_width("state", state.len(), STATES)?;
        let p = &self.parameters;
        self.steering = steering;
        self.car = self.car.after(steering, throttle, p);
        let place = self.track.nearest(self.car.place);
        let progress = self.track.between(self.along, place.along).max(0.0);
        self.along = place.along;
        self.observe(state);
        let off_road = place.aside > p.half_width - p.half_car;
        Ok(self.clock.tick(progress, off_road, p.horizon))
    }
}

impl Env for DriveEnv {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: STATES, actions: 2 }
    }

    fn horizon(&self) -> usize {
        self.parameters.horizon
    }

    /// Puts the car anywhere on the track, up to half way to the side, roughly in the road's direction.
    fn reset(&mut self, mut rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        check_width("state", state.len(), STATES)?;
        let p = &self.parameters;
        self.along = rng.random_range(0.0..self.track.length);
        let (middle, direction) = self.track.at(self.along);
        let aside = rng.random_range(-0.5..0.5) * (p.half_width - p.half_car);
        let place = [middle[0] - aside * direction.sin(), middle[1] + aside * direction.cos()];
        let heading = direction + rng.random_range(-0.2..0.2);
        self.car = Car { place, heading, speed: rng.random_range(0.0..0.25) * p.top_speed() };
        self.steering = 0.0;
        self.clock.start();
        self.observe(state);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        self.check_running()?;
        check_width("action", action.len(), 2)?;
        check_within("action", action, 1.0, "from -1 to 1")?;
        self.advance(f64::from(action[0]), f64::from(action[1]), state)
    }
}

#[cfg(test)]
mod tests {
    use tutelage::{Stream, check_env};

    use super::*;

    fn started() -> (DriveEnv, [f32; STATES]) {
        let (mut env, mut state) = (DriveEnv::default(), [0.0; STATES]);
        env.reset(Stream::new(1).rng(), &mut state).unwrap();
        (env, state)
    }

    #[test]
    fn it_keeps_the_contract_of_environments() {
        check_env(DriveEnv::default, Stream::new(1)).unwrap();
    }

    #[test]
    fn a_step_earns_its_way_along_the_road_and_nothing_for_going_back() {
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
        assert!(lengths.len() < 6, "the side is 3.6 m away, a step is almost 1 m");
        assert!(lengths.last().is_some_and(|step| step.terminated && !step.truncated));
        assert!(matches!(env.step(&[0.0, 0.0], &mut state), Err(EnvError::NoEpisode)));
    }

    #[test]
    fn states_are_shares_of_range_and_speed() {
        let (env, state) = started();
        assert!(state.iter().all(|number| (0.0..=1.0).contains(number)), "{state:?}");
        let across = f64::from(state[0] + state[8]) * env.parameters.range;
        assert!(
            (across / 9.0 - 1.0).abs() < 0.2,
            "both sides together are about the road: {across}"
        );
        assert!((f64::from(state[9]) * 20.0 - env.car.speed).abs() < 1e-5);
    }

    #[test]
    fn bad_input_is_named_and_changes_nothing() {
        let mut fresh = DriveEnv::default();
        assert!(matches!(fresh.step(&[0.0; 2], &mut [0.0; STATES]), Err(EnvError::NoEpisode)));
        assert!(fresh.reset(Stream::new(1).rng(), &mut [0.0; 3]).is_err());
        let (mut env, mut state) = started();
        let before = env.clone();
        let error = env.step(&[0.0, f32::NAN], &mut state).unwrap_err();
        assert!(matches!(error, EnvError::Value { what: "action", index: 1, .. }), "{error}");
        let error = env.step(&[1.5, 0.0], &mut state).unwrap_err().to_string();
        assert_eq!(error, "action[0] is 1.5, which is not allowed (from -1 to 1)");
        assert!(matches!(env.step(&[0.0], &mut state), Err(EnvError::Width { .. })));
        assert!(matches!(env.step(&[0.0; 2], &mut [0.0; 2]), Err(EnvError::Width { .. })));
        assert_eq!(env, before);
    }

    #[test]
    fn parameters_that_make_no_road_are_refused() {
        let refused = |change: fn(&mut DriveParameters)| {
            let mut parameters = DriveParameters::default();
            change(&mut parameters);
            DriveEnv::new(parameters).unwrap_err().field
        };
        assert_eq!(refused(|p| p.waves[2][1] = f64::NAN), "waves");
        assert_eq!(refused(|p| p.half_car = 5.0), "half_car");
        assert_eq!(refused(|p| p.half_width = 40.0), "half_width");
        assert_eq!(refused(|p| p.max_wheel = 1.6), "max_wheel");
        assert_eq!(refused(|p| p.horizon = 0), "horizon");
        assert_eq!(DriveEnv::new(DriveParameters::default()).unwrap(), DriveEnv::default());
    }

    #[test]
    fn starts_differ_by_seed() {
        let start = |seed| {
            let mut state = [0.0; STATES];
            DriveEnv::default().reset(Stream::new(seed).rng(), &mut state).unwrap();
            state
        };
        assert_eq!(start(3), start(3));
        assert_ne!(start(3), start(4));
    }
}
