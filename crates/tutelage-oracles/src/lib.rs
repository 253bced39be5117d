//! Offline learning oracles: given labelled states, the policy of a class that fits them best.

mod linear;
pub mod mlp;
pub mod net;

pub use linear::{LeastSquares, NoDecomposition};
