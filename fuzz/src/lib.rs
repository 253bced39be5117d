//! Fuzz targets for every reader of files and requests, with mutations that keep checksums valid.
//!
//! Input `i` of a target depends only on its seeds and on `i` ([`Target::input`]). A finding is
//! therefore a name and a number, a long run can be resumed, and the tests run its first inputs.

#![forbid(unsafe_code)]

mod form;
mod mutate;
mod targets;

pub use form::Form;
pub use targets::{TARGETS, Target};
