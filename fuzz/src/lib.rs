//! Every reader of files and of requests, fed with mutations that keep checksums and lengths true.
//!
//! Input `i` of a target is a function of its seeds and of `i` alone ([`Target::input`]): a finding is a name and a number, a long run
//! goes on where it was stopped, and the short pass among the tests is the beginning of the long one.

#![forbid(unsafe_code)]

mod form;
mod mutate;
mod targets;

pub use form::Form;
pub use targets::{TARGETS, Target};
