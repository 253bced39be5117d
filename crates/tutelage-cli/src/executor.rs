//! Executors that run jobs on other machines. A program that embeds the command provides them.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::Context;
use tutelage_reproduce::Executor;

/// Which executor to connect to.
#[derive(Clone, Debug)]
pub struct ExecutorConfig {
    /// The kind of executor: `ray`.
    pub kind: String,
    /// Its address, or `None` for the local one.
    pub address: Option<String>,
    /// Whether its nodes share the folder of runs, if that is known.
    pub storage: Option<Storage>,
    /// The folder of runs.
    pub runs: PathBuf,
}

/// Whether the nodes of an executor share the folder of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Storage {
    /// All nodes share the folder of runs
    Shared,
    /// No node does: logs are sent with the runs
    None,
}

/// An executor that is ready.
pub struct ConnectedExecutor {
    /// The executor.
    pub executor: Box<dyn Executor>,
    /// The number of concurrent runs.
    pub concurrency: usize,
    /// Messages for the user.
    pub notes: Vec<String>,
}

/// Connects to an executor, or returns the reason why it cannot.
pub type ConnectFn = fn(&ExecutorConfig) -> Result<ConnectedExecutor, String>;

static CONNECT: OnceLock<ConnectFn> = OnceLock::new();

/// Sets the function that connects to executors. Later calls have no effect.
pub fn set_connect(connect: ConnectFn) {
    let _ = CONNECT.set(connect);
}

pub(crate) fn connect(config: &ExecutorConfig) -> anyhow::Result<ConnectedExecutor> {
    let connect = CONNECT.get().with_context(|| {
        format!(
            "--executor {}: this program runs on one machine only; the `tutelage` command of the Python package supports it \
             (pip install 'tutelage[{0}]')",
            config.kind
        )
    })?;
    connect(config).map_err(anyhow::Error::msg)
}
