//! Offline learning oracles: given labeled states, they return the policy of a class that fits best.
//!
//! | class | oracle | actions |
//! | --- | --- | --- |
//! | affine maps | [`LeastSquares`] | vectors |
//! | tanh networks | [`mlp::MlpOracle`] | vectors |
//! | tanh networks with softmax (linear softmax without hidden layers) | [`mlp::MlpClassifier`] | indices |
//!
//! All oracles train ensembles, can standardize states ([`Standardize`]), and store and load their
//! policies ([`tutelage::oracle::DurableOracle`]) as self-contained safetensors files.

#![forbid(unsafe_code)]

mod linear;
pub mod mlp;
mod pseudo_inverse;
mod standardize;

pub use linear::{LeastSquares, SvdFailed};
pub use standardize::{Standardize, Standardizer};
pub use tutelage_net as net;
