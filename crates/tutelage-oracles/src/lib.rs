//! Offline learning oracles: given labelled states, the policy of a class that fits them best.
//!
//! | class | oracle | actions |
//! | --- | --- | --- |
//! | affine maps | [`LeastSquares`] | vectors |
//! | tanh networks | [`mlp::MlpOracle`] | vectors |
//! | tanh networks with softmax (linear softmax without hidden layers) | [`mlp::MlpClassifier`] | indices |
//!
//! All of them train ensembles, see states as they are given or standardised ([`Standardize`]), and store and load their own policies
//! ([`tutelage::DurableOracle`]): one safetensors file that needs nothing else.

#![forbid(unsafe_code)]

mod linear;
pub mod mlp;
mod pseudo_inverse;
mod standardize;

pub use linear::{LeastSquares, SvdFailed};
pub use standardize::{Standardize, Standardizer};
pub use tutelage_net as net;
