//! Batches of rows, and datasets of labeled states.

mod batch;
mod dataset;

pub use batch::{Batch, ShapeError};
pub use dataset::Dataset;
