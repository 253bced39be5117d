//! Errors of the renderer.

use std::error::Error;
use std::path::{Path, PathBuf};

/// Why a picture could not be drawn or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A frame without pixels, or larger than a GIF can be.
    #[error("a frame of {width} x {height} pixels: both must be between 1 and {}", u16::MAX)]
    Size {
        /// Pixels across.
        width: usize,
        /// Pixels down.
        height: usize,
    },
    /// A number of a drawing is invalid.
    #[error("{what}: {field} is {value:?}; it must be {expected}")]
    Value {
        /// The part of the drawing: `camera`, `view`, `body 3`, `mark 0`.
        what: String,
        /// Its field.
        field: &'static str,
        /// The numbers found there.
        value: Vec<f64>,
        /// The numbers that are valid.
        expected: &'static str,
    },
    /// An animation or strip has no frames.
    #[error("there are no frames to write")]
    NoFrames,
    /// The frames of an animation or strip have different sizes.
    #[error("frame {index} has {found:?} pixels, the first has {expected:?}")]
    Mismatch {
        /// The frame that differs from the first.
        index: usize,
        /// Its width and height.
        found: (usize, usize),
        /// The width and height of the first frame.
        expected: (usize, usize),
    },
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl RenderError {
    /// Returns a function for `map_err` that reports a failure to write `path`.
    pub(crate) fn write<E: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl Fn(E) -> Self {
        move |source| Self::Write { path: path.to_owned(), source: source.into() }
    }

    /// Returns an error about the first field of `what` that is not valid: its name, whether it is valid, its numbers, and
    /// what is expected.
    pub(crate) fn check(
        what: impl Into<String>,
        fields: &[(&'static str, bool, &[f64], &'static str)],
    ) -> Result<(), Self> {
        let Some(&(field, _, value, expected)) = fields.iter().find(|(_, valid, ..)| !valid) else {
            return Ok(());
        };
        Err(Self::Value { what: what.into(), field, value: value.to_vec(), expected })
    }
}
