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
//! A figure is laid out once as a page of lines, areas and labels. The SVG and the PNG show the same page. The PNG's font is
//! compiled in, so that it does not depend on the fonts of the machine. The legend is below the panels and covers no
//! data. The CSV holds every number of the figure.

mod axis;
mod csv;
mod draw;
mod figure;
mod page;
mod raster;
mod svg;

pub use crate::Color;
pub use axis::Scale;
pub use figure::{Curve, Figure, FigureError, Level, Panel, Style};
