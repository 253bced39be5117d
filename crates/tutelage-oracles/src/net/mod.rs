//! Small tanh networks at machine speed: parameter layout, passes over batches, Adam, initialisation.
//!
//! One [`Network`] computes `f_θ` forward, its gradient backward and its directional derivative for any parameter vector `θ` of its
//! [`Layout`]. Everything below is written once over eight lanes and compiled for each instruction set; the choice between them
//! ([`Isa`]) is made at run time, once per pass. How it reaches the speed it has is told in `docs/KERNELS.md`.

mod adam;
mod aligned;
mod init;
mod layout;
mod network;
pub(crate) mod passes;
#[cfg(test)]
pub(crate) mod reference;
pub(crate) mod simd;
mod tanh;
mod tape;
mod tile;

pub use adam::{Adam, AdamSettings};
pub use aligned::AlignedVec;
pub use layout::{LANES, Layer, Layout, LayoutError, MAX_WIDTH, padded};
pub(crate) use network::BLOCK;
pub use network::{Backprop, Network};
pub use simd::Isa;
pub use tape::Tape;
pub(crate) use tile::balanced;
