//! Engines that carry runs to other machines. None is part of this crate: whoever embeds the command brings them.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::Context;
use tutelage_reproduce::Courier;

/// Where runs are to be carried out.
#[derive(Clone, Debug)]
pub struct Destination {
    /// The engine: `ray`.
    pub engine: String,
    /// Where it is; nothing for the one at hand.
    pub address: Option<String>,
    /// Whether its nodes see the folder of runs, where that is known.
    pub storage: Option<Storage>,
    /// The folder of runs.
    pub runs: PathBuf,
}

/// What the nodes of an engine see of the folder of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Storage {
    /// All nodes see the folder of runs
    Shared,
    /// None does: logs travel with the runs
    None,
}

/// An engine that is ready.
pub struct Hired {
    /// Who takes runs there.
    pub courier: Box<dyn Courier>,
    /// How many runs it takes at once.
    pub at_once: usize,
    /// What is worth knowing about it.
    pub notes: Vec<String>,
}

/// Finds an engine; if it cannot be had, says why.
pub type Hire = fn(&Destination) -> Result<Hired, String>;

static HIRE: OnceLock<Hire> = OnceLock::new();

/// Says who finds engines.
pub fn hires_through(agency: Hire) {
    // The first to say so is believed.
    let _ = HIRE.set(agency);
}

/// Finds an engine.
pub(crate) fn hire(destination: &Destination) -> anyhow::Result<Hired> {
    let agency = HIRE.get().with_context(|| {
        format!(
            "--on {}: this program runs on one machine alone; the `tutelage` command of the Python package has engines \
             (pip install 'tutelage[{0}]')",
            destination.engine
        )
    })?;
    agency(destination).map_err(anyhow::Error::msg)
}
