//! Figures: panels of curves with bands, as SVG, PNG and CSV.
//!
//! ```
//! use tutelage_draw::plot::{Curve, Figure, Panel, Scale};
//!
//! let curve = Curve::new("DAgger", vec![(50.0, 310.0), (100.0, 850.0)]).band(vec![(290.0, 330.0), (800.0, 900.0)]);
//! let panel = Panel::new("Hopper").x("annotations", Scale::Linear).y("reward", Scale::Linear).curve(curve);
//! let svg = Figure::new("Learning curve").panel(panel).svg();
//! assert!(svg.contains("DAgger"));
//! ```
//!
//! A figure is laid out once, as a scene of lines, areas and labels; the SVG is that scene written down, the PNG is the same
//! scene in pixels, its letters drawn from a font that is compiled in, so that a machine without fonts draws the same. The legend stands below the panels, where it covers no data. The CSV
//! holds every number that was drawn.

mod axis;
mod colour;
mod csv;
mod draw;
mod figure;
mod raster;
mod scene;
mod svg;
mod text;

pub use axis::Scale;
pub use colour::Colour;
pub use figure::{Curve, Figure, FigureError, Level, Panel, Style};
