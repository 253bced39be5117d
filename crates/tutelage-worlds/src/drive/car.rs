//! The motion of the car.

use super::DriveParameters;

/// Where a car is, where it heads and how fast it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Car {
    pub(crate) place: [f64; 2],
    /// In radians, anticlockwise from the x axis.
    pub(crate) heading: f64,
    pub(crate) speed: f64,
}

impl Car {
    /// One step of a bicycle model. Steering is from −1 (right) to 1 (left), throttle from −1 (full brake) to 1 (full gas).
    ///
    /// Tyres hold no more than a certain sideways acceleration: who is too fast turns less than the wheels say.
    pub(crate) fn after(self, steering: f64, throttle: f64, p: &DriveParameters) -> Self {
        let push = if throttle > 0.0 { p.gas } else { p.brake };
        let speed = (self.speed + p.time_step * (push * throttle - p.drag * self.speed)).max(0.0);
        let wanted = speed * (p.max_wheel * steering).tan() / p.wheel_base;
        let held = p.grip / speed.max(1e-9);
        let heading = self.heading + p.time_step * wanted.clamp(-held, held);
        let way = p.time_step * speed;
        let place = [self.place[0] + way * heading.cos(), self.place[1] + way * heading.sin()];
        Self { place, heading, speed }
    }

    /// The throttle that keeps the speed.
    pub(crate) fn holding_throttle(&self, p: &DriveParameters) -> f64 {
        (p.drag * self.speed / p.gas).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: DriveParameters = DriveParameters::DEFAULT;

    fn car(speed: f64) -> Car {
        Car { place: [1.0, 2.0], heading: 0.0, speed }
    }

    #[test]
    fn steps_are_as_computed_by_hand() {
        // 2 m/s, full gas: 2 + 0.1 (4 − 0.2 · 2) = 2.36. Half left: 2.36 tan(0.25) / 2.5 rad/s.
        let after = car(2.0).after(0.5, 1.0, &P);
        assert!((after.speed - 2.36).abs() < 1e-12, "{after:?}");
        let heading = 0.1 * 2.36 * 0.25f64.tan() / 2.5;
        assert!((after.heading - heading).abs() < 1e-12, "{after:?}");
        assert!((after.place[0] - 1.0 - 0.236 * heading.cos()).abs() < 1e-12);
        assert!((after.place[1] - 2.0 - 0.236 * heading.sin()).abs() < 1e-12);
    }

    #[test]
    fn tyres_limit_the_turn_and_brakes_stop_at_rest() {
        let after = car(10.0).after(-1.0, 0.0, &P);
        assert!((after.heading + 0.1 * P.grip / after.speed).abs() < 1e-12, "{after:?}");
        assert_eq!(car(0.3).after(0.0, -1.0, &P), car(0.0));
    }

    #[test]
    fn the_holding_throttle_holds() {
        let car = car(6.0);
        assert!((car.after(0.0, car.holding_throttle(&P), &P).speed - 6.0).abs() < 1e-12);
    }
}
