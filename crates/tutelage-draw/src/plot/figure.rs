//! Figures, panels and curves.

use std::io;
use std::path::{Path, PathBuf};

use crate::Color;
use crate::plot::{Scale, csv, draw, raster, svg};

/// A grid of panels under one title, over one legend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The title; may be empty.
    pub title: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
    /// The number of panels in a row; 0 chooses it automatically.
    pub columns: usize,
    /// Names in the order of the legend; other names follow in order of appearance.
    pub order: Vec<String>,
    /// A color bar below the panels, from left to right: names of curves, which the legend omits, and their colors; may be
    /// empty.
    pub ramp: Vec<(String, Color)>,
    /// Small print at the bottom, wrapped; may be empty.
    pub caption: String,
}

/// Axes with curves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// The title above the panel; may be empty.
    pub title: String,
    /// Small print below the title, wrapped; may be empty.
    pub note: String,
    /// The label of the horizontal axis.
    pub x_label: String,
    /// The label of the vertical axis.
    pub y_label: String,
    /// The scale of the horizontal axis.
    pub x_scale: Scale,
    /// The scale of the vertical axis.
    pub y_scale: Scale,
    /// The horizontal range; `None` follows the data.
    pub x_range: Option<(f64, f64)>,
    /// The vertical range; `None` follows the data.
    pub y_range: Option<(f64, f64)>,
    /// The curves, the last one on top.
    pub curves: Vec<Curve>,
    /// Horizontal lines, such as the expert's return.
    pub levels: Vec<Level>,
    /// Names at x = 0, 1, 2, … instead of numbers; may be empty.
    pub x_names: Vec<String>,
    /// Names at y = 0, -1, -2, … instead of numbers, from top to bottom; may be empty.
    pub y_names: Vec<String>,
    /// Whether to omit the numbers of the axes, for maps whose coordinates mean nothing.
    pub hide_ticks: bool,
}

/// Points (x, y), joined or not, with an optional band.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend. Curves of one name share an entry; unnamed curves have none.
    pub name: String,
    /// Its color; `None` takes the color of its position in the legend.
    pub color: Option<Color>,
    /// How it is drawn.
    pub style: Style,
    /// The points. Points that cannot be shown interrupt the line.
    pub points: Vec<(f64, f64)>,
    /// (low, high) at each point.
    pub band: Option<Vec<(f64, f64)>>,
    /// Whether it is drawn pale, for secondary data.
    pub faint: bool,
}

/// A horizontal line.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its name in the legend; an empty name has no entry.
    pub name: String,
    /// Its color.
    pub color: Color,
    /// How it is drawn.
    pub style: Style,
    /// Its vertical position.
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
    /// A line of alternating dashes and dots.
    DashDotted,
    /// A line with a mark at each point.
    Marked,
    /// Marks without a line.
    Points,
    /// Large marks without a line, to compare a few things.
    Dots,
}

/// Why a figure could not be saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The file could not be written.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The figure has no pixels.
    #[error("the figure has no size")]
    Size,
}

impl Figure {
    /// Creates a figure without panels.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a panel.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// Sets the number of panels in a row.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns;
        self
    }

    /// Sets the small print at the bottom.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// Returns the figure as SVG.
    pub fn svg(&self) -> String {
        svg::print(&draw::figure(self))
    }

    /// Returns the figure as PNG, two pixels per unit of the SVG.
    pub fn png(&self) -> Result<Vec<u8>, FigureError> {
        raster::png(&draw::figure(self), 2.0)
    }

    /// Returns every number of the figure: `panel,curve,x,y,low,high`; the last two are empty without a band.
    pub fn csv(&self) -> String {
        csv::figure(self)
    }

    /// Returns the extensions and contents of the figure's files.
    pub fn files(&self) -> Result<[(&'static str, Vec<u8>); 3], FigureError> {
        Ok([
            ("svg", self.svg().into_bytes()),
            ("png", self.png()?),
            ("csv", self.csv().into_bytes()),
        ])
    }

    /// Writes `stem.svg`, `stem.png` and `stem.csv`.
    pub fn save(&self, stem: &Path) -> Result<(), FigureError> {
        self.files()?.iter().try_for_each(|(extension, bytes)| {
            let mut path = stem.as_os_str().to_owned();
            path.push(format!(".{extension}"));
            tutelage_files::replace(path.as_ref(), bytes)
                .map_err(|source| FigureError::Write { path: path.into(), source })
        })
    }
}

impl Panel {
    /// Creates a panel without curves.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Sets label and scale of the horizontal axis.
    #[must_use]
    pub fn x(mut self, label: impl Into<String>, scale: Scale) -> Self {
        (self.x_label, self.x_scale) = (label.into(), scale);
        self
    }

    /// Sets the small print below the title.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Sets label and scale of the vertical axis.
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

    /// Adds a dashed gray horizontal line.
    #[must_use]
    pub fn level(mut self, name: impl Into<String>, y: f64) -> Self {
        let level = Level { name: name.into(), color: Color::GRAY, style: Style::Dashed, y };
        self.levels.push(level);
        self
    }
}

impl Curve {
    /// Creates a solid line through these points.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, ..Self::default() }
    }

    /// Sets the color.
    #[must_use]
    pub fn color(mut self, color: Color) -> Self {
        self.color = Some(color);
        self
    }

    /// Sets the style.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Adds (low, high) at each point.
    #[must_use]
    pub fn band(mut self, band: Vec<(f64, f64)>) -> Self {
        self.band = Some(band);
        self
    }
}
