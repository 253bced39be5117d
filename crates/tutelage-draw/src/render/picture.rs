//! Flat pictures: shapes in a plane, as plain data.

use crate::render::{Ink, RenderError};

/// Shapes in a plane, the later ones over the earlier. x points right and y points up.
///
/// The same data can be drawn into a [`crate::render::Frame`] ([`crate::render::Renderer::draw`]) or on a page's canvas: every shape has a
/// direct counterpart there.
///
/// ```
/// use tutelage_draw::render::{Ink, Mark, Picture, Rectangle, Renderer};
///
/// let picture = Picture {
///     view: Rectangle { low: [-1.0, -1.0], high: [1.0, 1.0] },
///     background: Ink::Paper,
///     marks: vec![Mark::Circle { centre: [0.0, 0.0], radius: 0.5, ink: Ink::Blue }],
/// };
/// let frame = Renderer::new(90, 60)?.draw(&picture)?;
/// assert_eq!((frame.pixel(45, 30), frame.pixel(2, 2)), (Some(Ink::Blue.rgb()), Some(Ink::Paper.rgb())));
/// # Ok::<(), tutelage_draw::render::RenderError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The part of the plane that is shown. A frame of other proportions shows more, never less.
    pub view: Rectangle,
    /// The colour where there is no shape.
    pub background: Ink,
    /// The shapes, from the back to the front.
    pub marks: Vec<Mark>,
}

/// All points between two corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The lower left corner.
    pub low: [f64; 2],
    /// The upper right corner.
    pub high: [f64; 2],
}

/// A shape of one colour.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A filled polygon; where it crosses itself the even–odd rule tells inside from outside.
    Polygon {
        /// Its corners in order, without repeating the first.
        points: Vec<[f64; 2]>,
        /// Its colour.
        ink: Ink,
    },
    /// A disc.
    Circle {
        /// Its centre.
        centre: [f64; 2],
        /// Not negative.
        radius: f64,
        /// Its colour.
        ink: Ink,
    },
    /// A line through points, with round ends and joins. A closed one ends where it begins; a single point is a dot.
    Line {
        /// The points in order.
        points: Vec<[f64; 2]>,
        /// Not negative; a frame shows at least a hair.
        width: f64,
        /// Its colour.
        ink: Ink,
    },
}

impl Rectangle {
    /// How long the rectangle is along x and along y.
    pub fn size(&self) -> [f64; 2] {
        [self.high[0] - self.low[0], self.high[1] - self.low[1]]
    }

    /// The point in its middle.
    pub fn centre(&self) -> [f64; 2] {
        [0, 1].map(|axis| 0.5 * (self.low[axis] + self.high[axis]))
    }

    /// Its four corners, anticlockwise from the lower left.
    pub fn corners(&self) -> [[f64; 2]; 4] {
        let ([left, bottom], [right, top]) = (self.low, self.high);
        [[left, bottom], [right, bottom], [right, top], [left, top]]
    }
}

impl Mark {
    /// Its colour.
    pub fn ink(&self) -> Ink {
        match *self {
            Self::Polygon { ink, .. } | Self::Circle { ink, .. } | Self::Line { ink, .. } => ink,
        }
    }

    /// The points that it is made of.
    pub fn points(&self) -> &[[f64; 2]] {
        match self {
            Self::Polygon { points, .. } | Self::Line { points, .. } => points,
            Self::Circle { centre, .. } => std::slice::from_ref(centre),
        }
    }

    /// Its radius or width.
    fn length(&self) -> f64 {
        match *self {
            Self::Polygon { .. } => 0.0,
            Self::Circle { radius, .. } => radius,
            Self::Line { width, .. } => width,
        }
    }
}

impl Picture {
    /// The view must have an area, points must be finite, radii and widths finite and not negative.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let Rectangle { low, high } = self.view;
        if !self.view.size().iter().all(|length| length.is_finite() && *length > 0.0) {
            let value = [low, high].concat();
            return Err(RenderError::View { value });
        }
        self.marks.iter().enumerate().try_for_each(|(index, mark)| mark.check(index))
    }
}

impl Mark {
    fn check(&self, index: usize) -> Result<(), RenderError> {
        let refuse = |field, value: &[f64], allowed| {
            Err(RenderError::Mark { index, field, value: value.to_vec(), allowed })
        };
        let is_finite = |point: &&[f64; 2]| point.iter().all(|x| x.is_finite());
        if let Some(point) = self.points().iter().find(|point| !is_finite(point)) {
            return refuse("a point", point, "it must be finite");
        }
        let length = self.length();
        if !(length.is_finite() && length >= 0.0) {
            return refuse("its radius or width", &[length], "it must be finite and not negative");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(view: Rectangle, mark: Mark) -> Picture {
        let good = Mark::Circle { centre: [0.0; 2], radius: 0.0, ink: Ink::Red };
        Picture { view, background: Ink::Paper, marks: vec![good, mark] }
    }

    #[test]
    fn what_cannot_be_drawn_is_named_with_its_value() {
        let unit = Rectangle { low: [0.0; 2], high: [1.0; 2] };
        let disc = |x, radius| Mark::Circle { centre: [x, 0.0], radius, ink: Ink::Red };
        let error = |view, mark| picture(view, mark).check().unwrap_err().to_string();
        assert_eq!(
            error(unit, disc(f64::NAN, 1.0)),
            "mark 1: a point is [NaN, 0.0]; it must be finite"
        );
        assert_eq!(
            error(unit, disc(0.0, -1.0)),
            "mark 1: its radius or width is [-1.0]; it must be finite and not negative"
        );
        let flat = Rectangle { low: [0.0; 2], high: [1.0, 0.0] };
        assert_eq!(
            error(flat, disc(0.0, 1.0)),
            "view is [0.0, 0.0, 1.0, 0.0]; it must have a finite, positive width and height"
        );
    }

    #[test]
    fn corners_go_round_anticlockwise() {
        let view = Rectangle { low: [1.0, 2.0], high: [3.0, 6.0] };
        assert_eq!(view.corners(), [[1.0, 2.0], [3.0, 2.0], [3.0, 6.0], [1.0, 6.0]]);
        assert_eq!((view.centre(), view.size()), ([2.0, 4.0], [2.0, 4.0]));
    }
}
