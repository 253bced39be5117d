//! How to follow a road by what the sensors see.

use tutelage::Spaces;

use super::{DriveParameters, SENSORS};
use crate::ScriptedRule;

/// Steering per radian that the open road lies to the left.
const AIM: f64 = 2.0;

/// Steering per share by which the road to the left is wider than to the right.
const CENTRE: f64 = 1.0;

/// How much more a free direction counts than a blocked one: ranges to this power.
const PREFERENCE: i32 = 3;

/// Throttle per metre per second that the car is too slow.
const PEDAL: f64 = 0.5;

/// The share of the brakes that is planned with.
const CAUTION: f64 = 0.4;

/// The least speed that is wanted, in metres per second.
const LEAST: f64 = 3.0;

/// Steers to where the road is open, keeps to its middle, and is never too fast for what it sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FollowRoad {
    range: f64,
    top_speed: f64,
    brake: f64,
}

/// [`FollowRoad`] by five keys: steers while the road lies to a side, else minds the pedals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FollowRoadDiscrete(pub FollowRoad);

impl FollowRoad {
    /// The rule for a car of these parameters.
    pub fn of(parameters: &DriveParameters) -> Self {
        let &DriveParameters { range, brake, .. } = parameters;
        Self { range, top_speed: parameters.top_speed(), brake }
    }

    /// Steering and throttle before they are clipped.
    fn wish(&self, state: &[f32]) -> (f64, f64) {
        let ranges: [f64; SENSORS.len()] = std::array::from_fn(|i| f64::from(state[i]).max(1e-3));
        let speed = f64::from(state[SENSORS.len()]) * self.top_speed;
        let weights = ranges.map(|range| range.powi(PREFERENCE));
        let open = SENSORS.iter().zip(weights).map(|(angle, weight)| angle * weight).sum::<f64>()
            / weights.iter().sum::<f64>();
        let [right, left] = [ranges[0] + ranges[1], ranges[7] + ranges[8]];
        let steering = AIM * open + CENTRE * (left - right) / (left + right);
        let free = self.range * ranges[4];
        let wanted = (LEAST * LEAST + 2.0 * CAUTION * self.brake * free).sqrt();
        (steering, PEDAL * (wanted - speed))
    }
}

impl ScriptedRule for FollowRoad {
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: SENSORS.len() + 1, actions: 2 }
    }

    fn act(&self, state: &[f32], action: &mut [f32]) {
        let (steering, throttle) = self.wish(state);
        action.copy_from_slice(&[steering, throttle].map(|x| x.clamp(-1.0, 1.0) as f32));
    }
}

impl ScriptedRule for FollowRoadDiscrete {
    type Action = u32;

    fn spaces(&self) -> Spaces {
        Spaces { states: SENSORS.len() + 1, actions: 5 }
    }

    fn act(&self, state: &[f32], action: &mut [u32]) {
        let (steering, throttle) = self.0.wish(state);
        let slow = f64::from(state[SENSORS.len()]) * self.0.top_speed < LEAST;
        action[0] = match () {
            () if throttle < -0.5 => 4,
            () if steering > 0.2 && !slow => 1,
            () if steering < -0.2 && !slow => 2,
            () if throttle > 0.0 => 3,
            () => 0,
        };
    }
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::play::play;
    use crate::{DriveEnv, DriveFiveEnv, World};

    /// The fewest laps from any of 100 starts; every car must stay on the road to the end.
    fn fewest_laps<W: World>() -> f64 {
        let laps = |seed| {
            let steps = play(&mut W::default(), Stream::new(seed));
            assert_eq!(steps.len(), 400, "{}, seed {seed}: off the road", W::NAME);
            assert!(steps[399].truncated);
            steps.iter().map(|step| step.reward).sum::<f64>() / DriveEnv::default().lap()
        };
        (0..100).map(laps).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn it_drives_on_and_on_without_leaving_the_road() {
        let [pedals, keys] = [fewest_laps::<DriveEnv>(), fewest_laps::<DriveFiveEnv>()];
        assert!(pedals > 1.5 && keys > 1.4, "{pedals} laps by pedals, {keys} by keys");
    }

    #[test]
    fn it_steers_to_the_open_side_and_brakes_before_a_wall() {
        let rule = FollowRoad::of(&DriveParameters::default());
        let mut action = [0.0; 2];
        let mut state = [0.2, 0.2, 0.2, 0.2, 0.3, 0.5, 0.6, 0.5, 0.3, 0.5];
        rule.act(&state, &mut action);
        assert!(action[0] > 0.5, "{action:?}");
        state[4] = 0.05;
        state[9] = 0.8;
        rule.act(&state, &mut action);
        assert_eq!(action[1], -1.0);
        let mut mirrored = state;
        mirrored[..9].reverse();
        let mut opposite = [0.0; 2];
        rule.act(&mirrored, &mut opposite);
        assert!((action[0] + opposite[0]).abs() < 1e-6, "left and right are alike");
    }

    #[test]
    fn keys_get_a_standing_car_going_before_they_steer() {
        let rule = FollowRoadDiscrete(FollowRoad::of(&DriveParameters::default()));
        let (mut state, mut key) = ([0.2, 0.2, 0.2, 0.2, 0.3, 0.5, 0.6, 0.5, 0.3, 0.0], [9]);
        rule.act(&state, &mut key);
        assert_eq!(key, [3]);
        state[9] = 0.2;
        rule.act(&state, &mut key);
        assert_eq!(key, [1]);
    }
}
