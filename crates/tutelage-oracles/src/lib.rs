//! Offline learning oracles: given labelled states, the policy of a class that fits them best.

#![forbid(unsafe_code)]

mod linear;
pub mod mlp;

pub use linear::{LeastSquares, NoDecomposition};
pub use tutelage_net as net;
