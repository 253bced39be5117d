//! Atomic file replacement, and readers that do not trust the sizes in file headers.
//!
//! | item | purpose |
//! | --- | --- |
//! | [`replace`], [`AtomicFile`], [`remove_unfinished`] | write a file completely or not at all, even if the power fails; remove leftovers of killed writers |
//! | [`read`], [`read_text`] | read a regular file up to a size limit |
//! | [`MemoryBudget`] | limit the memory that decoding a file may allocate |
//! | [`npy`] | NumPy arrays; sizes are checked against the file before memory is allocated |
//! | [`check_safetensors_header`] | reject oversized headers before the safetensors library parses them |
//! | `ZipReader`, `npz` (feature `zip`) | archives whose unpacked size is limited |

#![forbid(unsafe_code)]

mod budget;
pub mod npy;
#[cfg(feature = "zip")]
pub mod npz;
mod read;
mod replace;
mod safetensors;
#[cfg(feature = "zip")]
mod unzip;

pub use budget::{MemoryBudget, MemoryBudgetExceeded};
pub use read::{read, read_text};
pub use replace::{AtomicFile, remove_unfinished, replace, sync_folder_of};
pub use safetensors::{HeaderTooLong, check_safetensors_header};
#[cfg(feature = "zip")]
pub use unzip::ZipReader;
