//! A read-only page of the runs below a folder: their curves, films, and a comparison of algorithms.

mod compare;
mod routes;
mod run_browser;
mod scan;

pub use run_browser::{Films, RunBrowser, film};
