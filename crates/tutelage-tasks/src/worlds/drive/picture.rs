//! Drawing the car and the track.

use tutelage_draw::render::{Drawing, Ink, Mark, Picture, Rectangle, Render};

use super::DriveEnv;
use super::car::{MAX_WHEEL, WHEEL_BASE};
use super::env::{HALF_CAR, SENSORS};
use super::polyline::ClosedPolyline;

/// Meters of grass around the road.
const MARGIN: f64 = 4.0;

impl Render for DriveEnv {
    fn render(&self) -> Drawing {
        let mut marks = self.road();
        marks.extend(self.rays());
        marks.extend(self.body());
        Picture { view: self.view(), background: Ink::Field, marks }.into()
    }
}

impl DriveEnv {
    fn view(&self) -> Rectangle {
        let edge = |axis: usize, start: f64, pick: fn(f64, f64) -> f64| {
            let points = self.track.borders.iter().flat_map(ClosedPolyline::points);
            points.map(|point| point[axis]).fold(start, pick)
        };
        let low = [0, 1].map(|axis| edge(axis, f64::INFINITY, f64::min) - MARGIN);
        let high = [0, 1].map(|axis| edge(axis, f64::NEG_INFINITY, f64::max) + MARGIN);
        Rectangle { low, high }
    }

    /// Draws a light edge, the asphalt, and a dashed center line.
    fn road(&self) -> Vec<Mark> {
        let (closed, width) = (self.track.middle.points(), 2.0 * self.track.half_width);
        let line =
            |points: &[[f64; 2]], width, ink| Mark::Line { points: points.to_vec(), width, ink };
        let mut marks =
            vec![line(closed, width + 1.0, Ink::Paper), line(closed, width, Ink::Slate)];
        let dashes = (self.track.length / 6.0).round();
        marks.extend((0..dashes as usize).map(|i| {
            let start = self.track.length * i as f64 / dashes;
            let points = [0.0, 1.25, 2.5].map(|along| self.track.at(start + along).0);
            line(&points, 0.25, Ink::Gray)
        }));
        marks
    }

    /// Draws a ray per sensor.
    fn rays(&self) -> impl Iterator<Item = Mark> {
        let (place, heading) = (self.car.place, self.car.heading);
        SENSORS.into_iter().zip(self.ranges()).flat_map(move |(angle, range)| {
            let end = ahead(place, heading + angle, range);
            [
                Mark::Line { points: vec![place, end], width: 0.22, ink: Ink::Yellow },
                Mark::Circle { center: end, radius: 0.5, ink: Ink::Yellow },
            ]
        })
    }

    /// Draws the wheels (the front ones turned), then the body and its window.
    fn body(&self) -> Vec<Mark> {
        let (half, reach) = (HALF_CAR, 0.5 * WHEEL_BASE);
        let mut marks = Vec::new();
        for (along, turn) in [(reach, MAX_WHEEL * self.steering), (-reach, 0.0)] {
            for side in [-half, half] {
                let ([x, y], angle) = (self.on_car([along, side]), self.car.heading + turn);
                let points = vec![ahead([x, y], angle, -0.5), ahead([x, y], angle, 0.5)];
                marks.push(Mark::Line { points, width: 0.6, ink: Ink::Dark });
            }
        }
        let block = |low: [f64; 2], high: [f64; 2], ink| {
            let corners = Rectangle { low, high }.corners();
            Mark::Polygon { points: corners.map(|corner| self.on_car(corner)).to_vec(), ink }
        };
        marks.push(block([-reach - 0.9, -half], [reach + 0.9, half], Ink::Orange));
        marks.push(block([0.2, -0.75 * half], [0.9, 0.75 * half], Ink::Paper));
        marks
    }

    /// Converts a point from the car's frame (ahead, left) to the track's.
    fn on_car(&self, [along, aside]: [f64; 2]) -> [f64; 2] {
        let (sin, cos) = self.car.heading.sin_cos();
        let [x, y] = self.car.place;
        [x + along * cos - aside * sin, y + along * sin + aside * cos]
    }
}

fn ahead([x, y]: [f64; 2], direction: f64, distance: f64) -> [f64; 2] {
    [x + distance * direction.cos(), y + distance * direction.sin()]
}

#[cfg(test)]
mod tests {
    use tutelage::{Env, Stream};

    use super::*;

    fn started(seed: u64) -> DriveEnv {
        let mut drive = DriveEnv::default();
        let mut state = vec![0.0; drive.spaces().states];
        drive.reset(Stream::new(seed).rng(), &mut state).unwrap();
        drive
    }

    #[test]
    fn rays_end_at_the_road_edge_or_at_their_range() {
        for drive in (0..20).map(started) {
            let ends: Vec<[f64; 2]> = drive.rays().map(|mark| mark.points()[0]).collect();
            for (place, end) in ends.chunks_exact(2).map(|pair| (pair[0], pair[1])) {
                let aside = drive.track.nearest(end).aside;
                let length = (end[0] - place[0]).hypot(end[1] - place[1]);
                assert!(
                    (aside - 4.5).abs() < 0.2 || (length - 25.0).abs() < 1e-9,
                    "{aside} {length}"
                );
            }
        }
    }

    #[test]
    fn car_is_on_the_road_and_everything_is_in_view() {
        for drive in (0..20).map(started) {
            let Picture { view, marks, .. } = drive.render().into_picture().unwrap();
            let is_inside = |point: &[f64; 2]| {
                (0..2).all(|i| view.low[i] < point[i] && point[i] < view.high[i])
            };
            assert!(marks.iter().flat_map(Mark::points).all(is_inside));
            let car = marks.iter().rfind(|mark| mark.ink() == Ink::Orange).unwrap();
            assert!(car.points().iter().all(|corner| drive.track.nearest(*corner).aside < 4.5));
        }
    }
}
