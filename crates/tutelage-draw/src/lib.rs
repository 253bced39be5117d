//! Pictures without a GPU, a display or system fonts.
//!
//! - [`plot`]: panels of curves with bands, as SVG, PNG and CSV.
//! - [`render`]: environments, drawn as flat pictures or as solids above a checkered floor; frames, GIFs and PNG strips.

#![forbid(unsafe_code)]

mod color;
pub mod plot;
pub mod render;
mod text;

pub use color::Color;
