//! Pictures without a GPU, a display or system fonts.
//!
//! - [`plot`]: panels of curves with bands, as SVG, PNG and CSV.
//! - [`render`]: solids over a checkered floor and flat pictures, as frames, GIFs and PNG strips.

#![forbid(unsafe_code)]

pub mod plot;
pub mod render;
