//! Looking at runs: those below a folder, their curves as they grow, and how algorithms compare.

mod compare;
mod gallery;
mod routes;
mod scan;

pub use gallery::{Films, Gallery, film};
