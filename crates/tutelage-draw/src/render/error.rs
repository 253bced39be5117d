//! What can go wrong, naming the place, the value and what is allowed.

use std::path::{Path, PathBuf};

/// Why a picture could not be drawn or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A picture without pixels, or larger than a GIF can be.
    #[error("a frame of {width} x {height} pixels: both must be between 1 and {}", u16::MAX)]
    Size {
        /// Pixels across.
        width: usize,
        /// Pixels down.
        height: usize,
    },
    /// A body whose shape or pose has no meaning.
    #[error("body {index}: {field} is {value:?}; {allowed}")]
    Body {
        /// Its place in the scene.
        index: usize,
        /// What is wrong with it.
        field: &'static str,
        /// The numbers found there.
        value: Vec<f64>,
        /// The numbers that would be right.
        allowed: &'static str,
    },
    /// A mark of a flat picture that has no meaning.
    #[error("mark {index}: {field} is {value:?}; {allowed}")]
    Mark {
        /// Its place in the picture.
        index: usize,
        /// What is wrong with it.
        field: &'static str,
        /// The numbers found there.
        value: Vec<f64>,
        /// The numbers that would be right.
        allowed: &'static str,
    },
    /// A flat picture that shows nothing of the plane.
    #[error("view is {value:?}; it must have a finite, positive width and height")]
    View {
        /// Left, bottom, right, top.
        value: Vec<f64>,
    },
    /// A camera that looks from nowhere.
    #[error("camera: {field} is {value}; {allowed}")]
    Camera {
        /// What is wrong with it.
        field: &'static str,
        /// The number found there.
        value: f64,
        /// The numbers that would be right.
        allowed: &'static str,
    },
    /// An animation or a strip of nothing.
    #[error("there are no frames to write")]
    NoFrames,
    /// Frames of one animation or strip must be alike.
    #[error("frame {index} has {found:?} pixels, the first has {expected:?}")]
    Mismatch {
        /// The frame that is unlike the first.
        index: usize,
        /// Its width and height.
        found: (usize, usize),
        /// The first frame's.
        expected: (usize, usize),
    },
    /// The file could not be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// Where it should have gone.
        path: PathBuf,
        /// What the system or the encoder said.
        reason: String,
    },
}

impl RenderError {
    /// A failure to write `path`, for `map_err`.
    pub(crate) fn write<E: std::fmt::Display>(path: &Path) -> impl Fn(E) -> Self {
        let path = path.to_owned();
        move |reason| Self::Write { path: path.clone(), reason: reason.to_string() }
    }
}
