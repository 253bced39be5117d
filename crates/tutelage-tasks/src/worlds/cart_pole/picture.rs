//! Drawing a cart-pole.

use tutelage_draw::render::{Drawing, Ink, Mark, Picture, Rectangle, Render};

use super::CartPoleEnv;
use super::env::{HALF_LENGTH, RAIL};

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
    use super::super::env::CartPoleMotion;
    use super::*;

    /// Returns the two ends of the pole.
    fn pole(motion: CartPoleMotion) -> [[f64; 2]; 2] {
        let mut world = CartPoleEnv::default();
        world.motion = motion;
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
