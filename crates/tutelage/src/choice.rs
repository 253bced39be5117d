//! The four choices that make up an [`Algorithm`](crate::Algorithm).

pub(crate) mod ask;
mod deploy;
pub(crate) mod drive;
pub(crate) mod sampling;
mod train_on;

pub use ask::Ask;
pub use deploy::Deploy;
pub use drive::{Beta, Drive, ExpertActs, Gate, Windows};
pub use sampling::Sampling;
pub use train_on::{PerturbationSize, TrainOn, TrainOnError};
