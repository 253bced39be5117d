//! The layout of a figure, from which both the SVG and the PNG are made.

use crate::Color;

/// A point in units of the page; y grows downward.
pub(crate) type Point = (f64, f64);

/// A white page; later items cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Page {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) items: Vec<Item>,
}

/// Something on a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// Items that belong together.
    Group(Vec<Item>),
    /// The definition of a window.
    Window(Window),
    /// Items that are visible only inside a window.
    Inside(Window, Vec<Item>),
    /// The outline of a rectangle.
    Frame(Area, Color),
    /// A thin straight line, for axes and grids.
    Rule([Point; 2], Color),
    /// A line through points.
    Line(Vec<Point>, Dashes, Color),
    /// A filled circle.
    Dot { center: Point, radius: f64, color: Color },
    /// A filled rectangle.
    Patch(Area, Color),
    /// A translucent polygon.
    Veil(Vec<Point>, Color),
    /// A line of text.
    Label { text: String, place: Point, size: f64, anchor: Anchor, turned: bool },
}

/// An area with a unique name.
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

/// The dashes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dashes {
    None,
    Long,
    Dots,
    LongAndDots,
}

/// The part of a text that lies at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Widths of thin lines and of curves.
pub(crate) const THIN: f64 = 1.0;
pub(crate) const BOLD: f64 = 1.8;
/// The opacity of veils.
pub(crate) const VEIL: f64 = 0.18;
/// The color of text.
pub(crate) const INK: Color = Color::new(0x22, 0x22, 0x22);

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

impl Dashes {
    /// Returns the lengths of dashes and gaps. A dot is a dash of almost no length with round ends.
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

/// Rounds to a hundredth of a unit, which keeps files short and is invisible.
pub(crate) fn short(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
