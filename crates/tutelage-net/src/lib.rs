//! Fast kernels for small tanh networks: layout, passes over batches, losses, Adam, initialization.
//!
//! A [`Network`] computes `f_θ`, its gradient and its directional derivative for any parameter vector `θ`
//! of its [`Layout`]. [`LossGradient`] runs the forward and the backward pass of a minibatch together.
//! Every kernel is written once over vectors of 8 or 16 lanes and compiled for each instruction set;
//! [`Isa`] selects one at run time, once per pass. `docs/KERNELS.md` explains the design.
//!
//! The functions take slices and panic, like slices, if a length does not match the network, if there is
//! no such row, level or layer, or if a size overflows. No argument makes them access memory out of bounds.

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
