//! What a figure holds.

use std::io;
use std::path::{Path, PathBuf};

use crate::plot::{Colour, Scale, csv, draw, raster, svg};

/// A grid of panels under one title, over one legend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// What stands above everything; may be empty.
    pub title: String,
    /// The panels, row after row.
    pub panels: Vec<Panel>,
    /// How many panels stand side by side; 0 lets the figure choose.
    pub columns: usize,
    /// Names in the order of the legend; others follow as they appear.
    pub order: Vec<String>,
    /// A scale of colours below the panels, from left to right: names of curves, which the legend then leaves to it, and their
    /// colours; may be empty.
    pub ramp: Vec<(String, Colour)>,
    /// Small print below everything, in as many lines as it takes; may be empty.
    pub caption: String,
}

/// Axes with curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// What stands above the panel; may be empty.
    pub title: String,
    /// Small print below the title, in as many lines as it takes; may be empty.
    pub note: String,
    /// What the horizontal axis shows.
    pub x_label: String,
    /// What the vertical axis shows.
    pub y_label: String,
    /// How numbers are spread along the horizontal axis.
    pub x_scale: Scale,
    /// How numbers are spread along the vertical axis.
    pub y_scale: Scale,
    /// The horizontal range, where it should not follow from the data.
    pub x_range: Option<(f64, f64)>,
    /// The vertical range, where it should not follow from the data.
    pub y_range: Option<(f64, f64)>,
    /// The curves, later ones over earlier ones.
    pub curves: Vec<Curve>,
    /// Horizontal lines, such as the expert's return.
    pub levels: Vec<Level>,
    /// Names that stand at x = 0, 1, 2, … instead of numbers; empty for an axis of numbers.
    pub x_names: Vec<String>,
    /// Names that stand at y = 0, -1, -2, …, from top to bottom, instead of numbers; empty for an axis of numbers.
    pub y_names: Vec<String>,
    /// Whether numbers stand beside the axes; a map whose coordinates mean nothing goes without.
    pub hide_ticks: bool,
}

/// Points (x, y), joined or not, with a band around them.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend; curves of one name share an entry, a curve without a name has none.
    pub name: String,
    /// Its colour; without one it takes that of its place in the legend.
    pub colour: Option<Colour>,
    /// How it is drawn.
    pub style: Style,
    /// The points. A point that cannot be shown interrupts the line.
    pub points: Vec<(f64, f64)>,
    /// (low, high) at each point.
    pub band: Option<Vec<(f64, f64)>>,
    /// Whether it is drawn paler than others, having less to say.
    pub faint: bool,
}

/// A horizontal line.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its name in the legend; without a name it has no entry.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// How it is drawn.
    pub style: Style,
    /// Where it lies.
    pub y: f64,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// A line.
    #[default]
    Solid,
    /// A line of dashes.
    Dashed,
    /// A line of dots.
    Dotted,
    /// A line of dashes and dots in turn.
    DashDotted,
    /// A line with a mark at each point.
    Marked,
    /// Marks alone.
    Points,
    /// Large marks alone, for few things to be compared.
    Dots,
}

/// Why a figure could not be saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The file could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The drawing could not be turned into pixels.
    #[error("cannot rasterise the figure: {0}")]
    Raster(String),
}

impl Figure {
    /// A figure without panels yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a panel.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// Sets the order of the legend.
    #[must_use]
    pub fn order(mut self, names: Vec<String>) -> Self {
        self.order = names;
        self
    }

    /// Sets how many panels stand side by side.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns;
        self
    }

    /// Puts a scale of colours below the panels.
    #[must_use]
    pub fn ramp(mut self, ramp: Vec<(String, Colour)>) -> Self {
        self.ramp = ramp;
        self
    }

    /// Puts small print below everything.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// The drawing as SVG.
    pub fn svg(&self) -> String {
        svg::print(&draw::figure(self))
    }

    /// The drawing as PNG, two pixels per unit of the SVG.
    pub fn png(&self) -> Result<Vec<u8>, FigureError> {
        raster::png(&draw::figure(self), 2.0)
    }

    /// Every number drawn: `panel,curve,x,y,low,high`, the last two empty without a band.
    pub fn csv(&self) -> String {
        csv::figure(self)
    }

    /// Writes the SVG.
    pub fn save_svg(&self, path: impl AsRef<Path>) -> Result<(), FigureError> {
        write(path.as_ref(), self.svg().as_bytes())
    }

    /// Writes the PNG.
    pub fn save_png(&self, path: impl AsRef<Path>) -> Result<(), FigureError> {
        write(path.as_ref(), &self.png()?)
    }

    /// Writes the CSV.
    pub fn save_csv(&self, path: impl AsRef<Path>) -> Result<(), FigureError> {
        write(path.as_ref(), self.csv().as_bytes())
    }
}

impl Panel {
    /// A panel without curves yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Names and scales the horizontal axis.
    #[must_use]
    pub fn x(mut self, label: impl Into<String>, scale: Scale) -> Self {
        (self.x_label, self.x_scale) = (label.into(), scale);
        self
    }

    /// Puts names at x = 0, 1, 2, … in place of numbers.
    #[must_use]
    pub fn names(mut self, names: Vec<String>) -> Self {
        let last = names.len() as f64 - 1.0;
        (self.x_names, self.x_range) = (names, Some((-0.5, last + 0.5)));
        self
    }

    /// Puts names at y = 0, -1, -2, … in place of numbers: rows from top to bottom.
    #[must_use]
    pub fn rows(mut self, names: Vec<String>) -> Self {
        let last = names.len() as f64 - 1.0;
        (self.y_names, self.y_range) = (names, Some((-last - 0.5, 0.5)));
        self
    }

    /// Puts small print below the title.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Names and scales the vertical axis.
    #[must_use]
    pub fn y(mut self, label: impl Into<String>, scale: Scale) -> Self {
        (self.y_label, self.y_scale) = (label.into(), scale);
        self
    }

    /// Adds a curve.
    #[must_use]
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curves.push(curve);
        self
    }

    /// Adds a dashed grey horizontal line.
    #[must_use]
    pub fn level(mut self, name: impl Into<String>, y: f64) -> Self {
        let level = Level { name: name.into(), colour: Colour::GREY, style: Style::Dashed, y };
        self.levels.push(level);
        self
    }
}

impl Curve {
    /// A solid line through these points.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            colour: None,
            style: Style::Solid,
            points,
            band: None,
            faint: false,
        }
    }

    /// Sets the colour.
    #[must_use]
    pub fn colour(mut self, colour: Colour) -> Self {
        self.colour = Some(colour);
        self
    }

    /// Sets how it is drawn.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Draws it paler than others.
    #[must_use]
    pub fn faint(mut self) -> Self {
        self.faint = true;
        self
    }

    /// Adds (low, high) at each point.
    #[must_use]
    pub fn band(mut self, band: Vec<(f64, f64)>) -> Self {
        self.band = Some(band);
        self
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), FigureError> {
    tutelage_files::replace(path, bytes)
        .map_err(|source| FigureError::Write { path: path.into(), source })
}
