//! The dynamics of the car, in meters, seconds and radians.

/// Distance between the axles.
pub(super) const WHEEL_BASE: f64 = 2.5;
/// Largest angle of the front wheels.
pub(super) const MAX_WHEEL: f64 = 0.5;
/// Acceleration at full gas.
const GAS: f64 = 4.0;
/// Deceleration at full brake.
pub(super) const BRAKE: f64 = 8.0;
/// Deceleration of the rolling car per unit of speed.
const DRAG: f64 = 0.2;
/// The speed at which drag balances full gas.
pub(super) const TOP_SPEED: f64 = GAS / DRAG;
/// Largest lateral acceleration.
const GRIP: f64 = 7.0;
/// Time between two actions.
const TIME_STEP: f64 = 0.1;

/// Position, heading and speed of a car.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Car {
    pub(crate) place: [f64; 2],
    /// In radians, counterclockwise from the x axis.
    pub(crate) heading: f64,
    pub(crate) speed: f64,
}

impl Car {
    /// Returns the car after one step of a bicycle model.
    ///
    /// Steering is from −1 (right) to 1 (left), throttle from −1 (full brake) to 1 (full gas). The tires
    /// limit the lateral acceleration: a car that is too fast turns less than its wheels.
    pub(crate) fn after(self, steering: f64, throttle: f64) -> Self {
        let push = if throttle > 0.0 { GAS } else { BRAKE };
        let speed = (self.speed + TIME_STEP * (push * throttle - DRAG * self.speed)).max(0.0);
        let wanted = speed * (MAX_WHEEL * steering).tan() / WHEEL_BASE;
        let held = GRIP / speed.max(1e-9);
        let heading = self.heading + TIME_STEP * wanted.clamp(-held, held);
        let way = TIME_STEP * speed;
        let place = [self.place[0] + way * heading.cos(), self.place[1] + way * heading.sin()];
        Self { place, heading, speed }
    }

    /// Returns the throttle that keeps the speed.
    pub(crate) fn holding_throttle(&self) -> f64 {
        (DRAG * self.speed / GAS).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn car(speed: f64) -> Car {
        Car { place: [1.0, 2.0], heading: 0.0, speed }
    }

    #[test]
    fn steps_match_hand_calculation() {
        // 2 m/s, full gas: 2 + 0.1 (4 − 0.2 · 2) = 2.36. Half left: 2.36 tan(0.25) / 2.5 rad/s.
        let after = car(2.0).after(0.5, 1.0);
        assert!((after.speed - 2.36).abs() < 1e-12, "{after:?}");
        let heading = 0.1 * 2.36 * 0.25f64.tan() / 2.5;
        assert!((after.heading - heading).abs() < 1e-12, "{after:?}");
        assert!((after.place[0] - 1.0 - 0.236 * heading.cos()).abs() < 1e-12);
        assert!((after.place[1] - 2.0 - 0.236 * heading.sin()).abs() < 1e-12);
    }

    #[test]
    fn grip_limits_turns_and_brakes_stop_at_rest() {
        let after = car(10.0).after(-1.0, 0.0);
        assert!((after.heading + 0.1 * GRIP / after.speed).abs() < 1e-12, "{after:?}");
        assert_eq!(car(0.3).after(0.0, -1.0), car(0.0));
    }

    #[test]
    fn holding_throttle_keeps_the_speed() {
        let car = car(6.0);
        assert!((car.after(0.0, car.holding_throttle()).speed - 6.0).abs() < 1e-12);
    }
}
