//! Files that are whole or not there, and readers that believe no header.
//!
//! | what | how |
//! | --- | --- |
//! | [`replace`], [`replace_without_cleanup`], [`copy`], [`AtomicFile`] | a file appears whole under its name or not at all, also after a power cut; what killed writers left is swept |
//! | [`read`], [`read_text`] | a regular file up to a size, so that nothing but what is expected is ever waited for or held in memory |
//! | [`MemoryBudget`] | what a file may cost its reader, spent before anything is allocated |
//! | [`npy`] | NumPy arrays, whose sizes are compared with the bytes that are there before anything is allocated |
//! | [`check_safetensors_header`] | what the library of that format would believe |
//! | `ZipReader`, `npz` (feature `zip`) | archives within a budget of unpacked bytes: a bomb is an error |

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
pub use replace::{
    AtomicFile, copy, remove_unfinished, replace, replace_without_cleanup, sync_folder_of,
};
pub use safetensors::{HeaderTooLong, check_safetensors_header};
#[cfg(feature = "zip")]
pub use unzip::ZipReader;
