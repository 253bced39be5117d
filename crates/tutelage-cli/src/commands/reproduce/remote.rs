//! `tutelage reproduce --on ENGINE`: the runs of a figure on other machines.

use std::str::FromStr;

use tutelage_reproduce::{Archive, Logs, RemoteWorker, RunList, Worker, Workers};

use super::{child, run_jobs};
use crate::executor::{ExecutorConfig, Storage, connect};
use crate::output::note;

/// An engine, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    name: String,
    address: Option<String>,
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, address) = match text.split_once(':') {
            Some((name, address)) => (name, Some(address)),
            None => (text, None),
        };
        match (name, address) {
            ("ray", Some("")) => Err("an address is missing behind `ray:`".into()),
            ("ray", address) => Ok(Self { name: name.into(), address: address.map(str::to_owned) }),
            _ => Err(format!("there is no engine `{name}`; there is ray, or ray:ADDRESS")),
        }
    }
}

/// Carries out what is missing elsewhere, a thread a run; timed ones here, alone, in processes of their own.
pub(super) fn run(
    engine: &Engine,
    storage: Option<Storage>,
    logs: Logs,
    runs: &RunList,
    outstanding: &[usize],
    archive: &Archive,
) -> anyhow::Result<()> {
    let connected = connect(&ExecutorConfig {
        kind: engine.name.clone(),
        address: engine.address.clone(),
        storage,
        runs: archive.runs().to_owned(),
    })?;
    connected.notes.iter().for_each(|line| note(line));
    let worker = RemoteWorker { executor: &*connected.executor, threads: 1, logs };
    let concurrency = connected.concurrency.clamp(1, outstanding.len().max(1));
    let workers =
        Workers { shared: vec![&worker as &dyn Worker; concurrency], exclusive: &child()? };
    run_jobs(runs, outstanding, archive, &workers)
}
