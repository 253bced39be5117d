//! The experts of the car.

use tutelage::Env;

use super::car::{BRAKE, TOP_SPEED};
use super::env::{RANGE, SENSORS};
use super::{DriveEnv, DriveFiveEnv};
use crate::worlds::{ScriptedExpert, World};

/// Steering per radian of the direction of the open road.
const AIM: f64 = 2.0;

/// Steering per relative difference between the free distances on the left and on the right.
const CENTER: f64 = 1.0;

/// Exponent of the distances when directions are averaged: open directions dominate.
const PREFERENCE: i32 = 3;

/// Throttle per meter per second below the target speed.
const PEDAL: f64 = 0.5;

/// Share of the braking deceleration that the target speed assumes.
const CAUTION: f64 = 0.4;

/// The lowest target speed, in meters per second.
const LEAST: f64 = 3.0;

impl World for DriveEnv {
    /// Steers toward the open road, keeps to its center, and slows down for what the sensors see.
    fn expert(&self) -> ScriptedExpert<f32> {
        ScriptedExpert::new(self.spaces(), follow_road)
    }
}

impl World for DriveFiveEnv {
    /// Steers while the road lies to one side, else uses the pedals.
    fn expert(&self) -> ScriptedExpert<u32> {
        ScriptedExpert::new(self.spaces(), follow_road_with_keys)
    }
}

/// Returns steering and throttle before they are clipped.
fn wish(state: &[f32]) -> (f64, f64) {
    let ranges: [f64; SENSORS.len()] = std::array::from_fn(|i| f64::from(state[i]).max(1e-3));
    let speed = f64::from(state[SENSORS.len()]) * TOP_SPEED;
    let weights = ranges.map(|range| range.powi(PREFERENCE));
    let open = SENSORS.iter().zip(weights).map(|(angle, weight)| angle * weight).sum::<f64>()
        / weights.iter().sum::<f64>();
    let [right, left] = [ranges[0] + ranges[1], ranges[7] + ranges[8]];
    let steering = AIM * open + CENTER * (left - right) / (left + right);
    // The speed from which the car can brake to the lowest target speed within the free distance.
    let free = RANGE * ranges[4];
    let wanted = (LEAST * LEAST + 2.0 * CAUTION * BRAKE * free).sqrt();
    (steering, PEDAL * (wanted - speed))
}

fn follow_road(state: &[f32], action: &mut [f32]) {
    let (steering, throttle) = wish(state);
    action.copy_from_slice(&[steering, throttle].map(|x| x.clamp(-1.0, 1.0) as f32));
}

fn follow_road_with_keys(state: &[f32], action: &mut [u32]) {
    let (steering, throttle) = wish(state);
    let slow = f64::from(state[SENSORS.len()]) * TOP_SPEED < LEAST;
    action[0] = match () {
        () if throttle < -0.5 => 4,
        () if steering > 0.2 && !slow => 1,
        () if steering < -0.2 && !slow => 2,
        () if throttle > 0.0 => 3,
        () => 0,
    };
}

#[cfg(test)]
mod tests {
    use tutelage::Stream;

    use super::*;
    use crate::worlds::play::play;

    /// Returns the fewest laps from 100 starts. The car must stay on the road to the end.
    fn fewest_laps<W: World>() -> f64 {
        let laps = |seed| {
            let steps = play(&mut W::default(), Stream::new(seed));
            assert_eq!(steps.len(), 400, "seed {seed}: off the road");
            assert!(steps[399].truncated);
            steps.iter().map(|step| step.reward).sum::<f64>() / DriveEnv::default().lap()
        };
        (0..100).map(laps).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn stays_on_the_road_for_whole_episodes() {
        let [pedals, keys] = [fewest_laps::<DriveEnv>(), fewest_laps::<DriveFiveEnv>()];
        assert!(pedals > 1.5 && keys > 1.4, "{pedals} laps (continuous), {keys} laps (discrete)");
    }

    #[test]
    fn steers_to_the_open_side_and_brakes_before_a_wall() {
        let mut action = [0.0; 2];
        let mut state = [0.2, 0.2, 0.2, 0.2, 0.3, 0.5, 0.6, 0.5, 0.3, 0.5];
        follow_road(&state, &mut action);
        assert!(action[0] > 0.5, "{action:?}");
        state[4] = 0.05;
        state[9] = 0.8;
        follow_road(&state, &mut action);
        assert_eq!(action[1], -1.0);
        let mut mirrored = state;
        mirrored[..9].reverse();
        let mut opposite = [0.0; 2];
        follow_road(&mirrored, &mut opposite);
        assert!((action[0] + opposite[0]).abs() < 1e-6, "left and right are symmetric");
    }

    #[test]
    fn discrete_expert_accelerates_before_it_steers() {
        let (mut state, mut key) = ([0.2, 0.2, 0.2, 0.2, 0.3, 0.5, 0.6, 0.5, 0.3, 0.0], [9]);
        follow_road_with_keys(&state, &mut key);
        assert_eq!(key, [3]);
        state[9] = 0.2;
        follow_road_with_keys(&state, &mut key);
        assert_eq!(key, [1]);
    }
}
