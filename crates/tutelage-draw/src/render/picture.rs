//! Flat pictures: shapes in a plane.

use crate::render::{Ink, RenderError};

/// Shapes in a plane, the later ones over the earlier. x points right and y points up.
///
/// A [`Renderer`](crate::render::Renderer) draws it into a frame, a page on its canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The part of the plane to show. A frame of other proportions shows more.
    pub view: Rectangle,
    /// The color of the background.
    pub background: Ink,
    /// The shapes, from the back to the front.
    pub marks: Vec<Mark>,
}

/// An axis-aligned rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// The lower left corner.
    pub low: [f64; 2],
    /// The upper right corner.
    pub high: [f64; 2],
}

/// A shape of one color.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A filled polygon, by the even–odd rule.
    Polygon {
        /// Its corners in order, without repeating the first.
        points: Vec<[f64; 2]>,
        /// Its color.
        ink: Ink,
    },
    /// A disc.
    Circle {
        /// Its center.
        center: [f64; 2],
        /// Not negative.
        radius: f64,
        /// Its color.
        ink: Ink,
    },
    /// A line through points, with round ends and joins; a single point is a dot.
    Line {
        /// The points in order.
        points: Vec<[f64; 2]>,
        /// Not negative; very thin lines are drawn as hairlines.
        width: f64,
        /// Its color.
        ink: Ink,
    },
}

impl Rectangle {
    /// Returns the lengths along x and y.
    pub fn size(&self) -> [f64; 2] {
        [self.high[0] - self.low[0], self.high[1] - self.low[1]]
    }

    /// Returns the point in the middle.
    pub fn center(&self) -> [f64; 2] {
        [0, 1].map(|axis| 0.5 * (self.low[axis] + self.high[axis]))
    }

    /// Returns the corners, counterclockwise from the lower left.
    pub fn corners(&self) -> [[f64; 2]; 4] {
        let ([left, bottom], [right, top]) = (self.low, self.high);
        [[left, bottom], [right, bottom], [right, top], [left, top]]
    }
}

impl Mark {
    /// Its color.
    pub fn ink(&self) -> Ink {
        match *self {
            Self::Polygon { ink, .. } | Self::Circle { ink, .. } | Self::Line { ink, .. } => ink,
        }
    }

    /// Its points.
    pub fn points(&self) -> &[[f64; 2]] {
        match self {
            Self::Polygon { points, .. } | Self::Line { points, .. } => points,
            Self::Circle { center, .. } => std::slice::from_ref(center),
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

    fn check(&self, index: usize) -> Result<(), RenderError> {
        let points = self.points().as_flattened();
        let is_finite = points.iter().all(|coordinate| coordinate.is_finite());
        let length = self.length();
        let is_length = length.is_finite() && length >= 0.0;
        let fields: [(_, _, &[f64], _); 2] = [
            ("points", is_finite, points, "finite"),
            ("radius or width", is_length, &[length], "finite and not negative"),
        ];
        RenderError::check(format!("mark {index}"), &fields)
    }
}

impl Picture {
    /// Returns an error unless the view has an area, points are finite, and radii and widths are finite and not negative.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let Rectangle { low, high } = self.view;
        let has_area = self.view.size().iter().all(|length| length.is_finite() && *length > 0.0);
        let expected = "of finite, positive width and height";
        RenderError::check("picture", &[("view", has_area, &[low, high].concat(), expected)])?;
        self.marks.iter().enumerate().try_for_each(|(index, mark)| mark.check(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_mark_and_field() {
        let unit = Rectangle { low: [0.0; 2], high: [1.0; 2] };
        let flat = Rectangle { low: [0.0; 2], high: [1.0, 0.0] };
        for (view, x, radius, wrong) in [
            (unit, f64::NAN, 1.0, ("mark 0", "points")),
            (unit, 0.0, -1.0, ("mark 0", "radius or width")),
            (flat, 0.0, 1.0, ("picture", "view")),
        ] {
            let marks = vec![Mark::Circle { center: [x, 0.0], radius, ink: Ink::Red }];
            let error = Picture { view, background: Ink::Paper, marks }.check().unwrap_err();
            let RenderError::Value { what, field, .. } = error else { panic!("{error}") };
            assert_eq!((&*what, field), wrong);
        }
    }

    #[test]
    fn corners_run_counterclockwise() {
        let view = Rectangle { low: [1.0, 2.0], high: [3.0, 6.0] };
        assert_eq!(view.corners(), [[1.0, 2.0], [3.0, 2.0], [3.0, 6.0], [1.0, 6.0]]);
        assert_eq!((view.center(), view.size()), ([2.0, 4.0], [2.0, 4.0]));
    }
}
