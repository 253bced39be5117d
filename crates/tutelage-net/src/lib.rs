//! Small tanh networks at machine speed: parameter layout, passes over batches, losses, Adam, initialisation.
//!
//! One [`Network`] computes `f_θ` forward, its gradient backward and its directional derivative for any parameter vector `θ` of its
//! [`Layout`]; [`LossGradient`] goes forward and backward through a minibatch in one sweep. Everything is written once over vectors of
//! eight or sixteen lanes and compiled for each instruction set; the choice between them ([`Isa`]) is made at run time, once per pass. How it reaches the
//! speed it has is told in `docs/KERNELS.md`.
//!
//! This crate knows nothing of experts, datasets or policies. Its functions take slices and panic, like slices, when a length is not
//! the network's; no argument makes them read or write out of bounds.

mod adam;
mod aligned;
mod init;
mod layout;
mod loss;
mod loss_gradient;
mod network;
mod passes;
pub mod reference;
mod simd;
mod tanh;
mod tape;
mod tile;

pub use adam::{Adam, AdamSettings};
pub use aligned::AlignedVec;
pub use layout::{LANES, Layer, Layout, LayoutError, MAX_PARAMETERS, MAX_WIDTH, padded};
pub use loss::Loss;
pub use loss_gradient::{BLOCK, ExampleSource, LossGradient, Parameters, TransposedWeights};
pub use network::{Backprop, Network};
pub use simd::Isa;
pub use tape::{Tape, copy_row};
