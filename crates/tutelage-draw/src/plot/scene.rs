//! What a figure is drawn of, laid out once: the SVG is written and the pixels are filled from the same marks.

use crate::plot::Colour;

/// A place, in units of the drawing; y grows downwards.
pub(crate) type Point = (f64, f64);

/// A white page with marks on it, later ones over earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) marks: Vec<Mark>,
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// Marks that belong together.
    Group(Vec<Mark>),
    /// A window, under its name; nothing is seen of it by itself.
    Window(Window),
    /// Marks that are seen only inside a window.
    Inside(Window, Vec<Mark>),
    /// The outline of a rectangle.
    Frame(Area, Colour),
    /// A straight thin line, for axes and grids.
    Rule([Point; 2], Colour),
    /// A line through points.
    Line(Vec<Point>, Dashes, Colour),
    /// A filled circle.
    Dot { centre: Point, radius: f64, colour: Colour },
    /// A filled rectangle.
    Patch(Area, Colour),
    /// A filled polygon, most of which the light passes.
    Veil(Vec<Point>, Colour),
    /// A line of text.
    Label { text: String, place: Point, size: f64, anchor: Anchor, turned: bool },
}

/// An area with a name that is its own in the figure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Window {
    pub(crate) name: String,
    pub(crate) area: Area,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// How a line is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dashes {
    None,
    Long,
    Dots,
    LongAndDots,
}

/// Which part of a text lies at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Widths of thin lines and of curves.
pub(crate) const THIN: f64 = 1.0;
pub(crate) const BOLD: f64 = 1.8;
/// How much of what is behind a veil it covers.
pub(crate) const VEIL: f64 = 0.18;
/// The colour of text.
pub(crate) const INK: Colour = Colour::new(0x22, 0x22, 0x22);

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

impl Dashes {
    /// Lengths drawn and left out in turn. A dot is a dash of no length with round ends.
    pub(crate) fn lengths(self) -> &'static [f64] {
        match self {
            Self::None => &[],
            Self::Long => &[7.0, 4.0],
            Self::Dots => &[0.1, 4.0],
            Self::LongAndDots => &[9.0, 4.0, 0.1, 4.0],
        }
    }

    pub(crate) fn have_round_ends(self) -> bool {
        matches!(self, Self::Dots | Self::LongAndDots)
    }
}

/// A hundredth of a unit is finer than anyone sees.
pub(crate) fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
