//! Looking at runs: those below a folder, their curves as they grow, and how algorithms compare.

mod compare;
mod routes;
mod run_browser;
mod scan;

pub use run_browser::{Films, RunBrowser, film};
