//! The car with five discrete actions.

use tutelage::{Env, EnvError, Rng, Spaces, Step};
use tutelage_draw::render::{Drawing, Render};

use super::DriveEnv;
use crate::worlds::clock::check_index;

/// Steering of the two steering actions.
const TURN: f64 = 0.8;

/// Throttle of the two pedal actions.
const PRESS: f64 = 0.8;

/// [`DriveEnv`] with five actions: 0 rolls, 1 steers left and 2 right at constant speed, 3
/// accelerates, 4 brakes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DriveFiveEnv(pub(super) DriveEnv);

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

    fn started() -> (DriveFiveEnv, Vec<f32>) {
        let mut env = DriveFiveEnv::default();
        let mut state = vec![0.0; env.spaces().states];
        env.reset(Stream::new(1).rng(), &mut state).unwrap();
        env.0.car.speed = 5.0;
        (env, state)
    }

    #[test]
    fn actions_steer_and_accelerate_as_documented() {
        let after = |key| {
            let (mut env, mut state) = started();
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
