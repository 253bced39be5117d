//! Drawing a pendulum.

use std::f64::consts::FRAC_PI_2;

use tutelage_draw::render::{Drawing, Ink, Mark, Picture, Rectangle, Render};

use super::PendulumEnv;
use super::env::{LENGTH, MAX_TORQUE};

impl Render for PendulumEnv {
    fn render(&self) -> Drawing {
        let length = LENGTH;
        let direction = [-self.motion.angle.sin(), self.motion.angle.cos()];
        let tip = direction.map(|x| x * length);
        let disc = |share: f64, ink| Mark::Circle { center: [0.0; 2], radius: share * length, ink };
        let mut marks = vec![disc(1.12, Ink::Field), disc(1.08, Ink::Paper)];
        marks.push(Mark::Line {
            points: vec![[0.0, 1.02 * length], [0.0, 1.18 * length]],
            width: 0.03 * length,
            ink: Ink::Green,
        });
        marks.push(Mark::Line {
            points: vec![[0.0; 2], tip],
            width: 0.16 * length,
            ink: Ink::Orange,
        });
        marks.extend(self.torque_arrow());
        marks.push(disc(0.06, Ink::Dark));
        let reach = 1.3 * length;
        Picture {
            view: Rectangle { low: [-1.4 * reach, -reach], high: [1.4 * reach, reach] },
            background: Ink::Paper,
            marks,
        }
        .into()
    }
}

impl PendulumEnv {
    /// Returns an arrow along an arc whose direction and length show the motor's torque.
    fn torque_arrow(&self) -> Vec<Mark> {
        const PARTS: usize = 24;
        let (share, radius) = (self.torque / MAX_TORQUE, 0.45 * LENGTH);
        if share.abs() < 0.05 {
            return Vec::new();
        }
        let at = |angle: f64, radius: f64| [radius * angle.cos(), radius * angle.sin()];
        let turn = 1.2 * FRAC_PI_2 * share;
        // The arc lies on the side away from the rod.
        let middle = self.motion.angle - FRAC_PI_2;
        let points =
            (0..=PARTS).map(|i| at(middle + turn * (i as f64 / PARTS as f64 - 0.5), radius));
        let (end, ahead) = (middle + 0.5 * turn, 0.3 * share.signum());
        let head = vec![at(end, 0.8 * radius), at(end, 1.2 * radius), at(end + ahead, radius)];
        vec![
            Mark::Line { points: points.collect(), width: 0.14 * radius, ink: Ink::Blue },
            Mark::Polygon { points: head, ink: Ink::Blue },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::env::PendulumMotion;
    use super::*;

    fn picture(angle: f64, torque: f64) -> Picture {
        let mut world = PendulumEnv::default();
        (world.motion, world.torque) = (PendulumMotion { angle, spin: 0.0 }, torque);
        world.render().into_picture().unwrap()
    }

    fn points(picture: &Picture, ink: Ink) -> Vec<[f64; 2]> {
        let marks = picture.marks.iter().filter(|mark| mark.ink() == ink);
        marks.flat_map(|mark| mark.points().to_vec()).collect()
    }

    #[test]
    fn the_rod_points_where_the_angle_says() {
        assert_eq!(points(&picture(0.0, 0.0), Ink::Orange)[1], [0.0, 1.0]);
        let [x, y] = points(&picture(FRAC_PI_2, 0.0), Ink::Orange)[1];
        assert!((x + 1.0).abs() < 1e-12 && y.abs() < 1e-12, "positive angles lean left");
    }

    #[test]
    fn an_arrow_turns_with_the_torque_and_grows_with_it() {
        assert!(points(&picture(0.3, 0.0), Ink::Blue).is_empty());
        let turn = |torque| {
            let arc = points(&picture(0.3, torque), Ink::Blue);
            let angle = |[x, y]: [f64; 2]| y.atan2(x);
            angle(arc[24]) - angle(arc[0])
        };
        assert!(turn(2.0) > 1.0, "anticlockwise");
        assert!((turn(-2.0) + turn(2.0)).abs() < 1e-9);
        assert!(turn(1.0) < 0.6 * turn(2.0));
    }
}
