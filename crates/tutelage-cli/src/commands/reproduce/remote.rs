//! `tutelage reproduce --executor EXECUTOR`: executes runs on other machines.

use std::str::FromStr;

use tutelage_reproduce::{Archive, RemoteWorker, RunList, Worker, Workers};

use super::{child, run_jobs};
use crate::executor::{ExecutorConfig, Storage, connect};
use crate::output::note;

/// The name and address of an executor.
#[derive(Clone, Debug)]
pub(super) struct ExecutorName {
    name: String,
    address: Option<String>,
}

impl FromStr for ExecutorName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let split = text.split_once(':');
        let (name, address) = split.map_or((text, None), |(name, address)| (name, Some(address)));
        match (name, address) {
            ("ray", Some("")) => Err("the address after `ray:` is empty".into()),
            ("ray", address) => Ok(Self { name: name.into(), address: address.map(str::to_owned) }),
            _ => Err(format!("unknown executor `{name}`; expected ray or ray:ADDRESS")),
        }
    }
}

/// Executes runs on other machines, one thread each. Timed runs are executed here, in child processes.
pub(super) fn run(
    executor: &ExecutorName,
    storage: Option<Storage>,
    all_logs: bool,
    runs: &RunList,
    outstanding: &[usize],
    archive: &Archive,
) -> anyhow::Result<()> {
    let connected = connect(&ExecutorConfig {
        kind: executor.name.clone(),
        address: executor.address.clone(),
        storage,
        runs: archive.runs().to_owned(),
    })?;
    connected.notes.iter().for_each(|line| note(line));
    let worker = RemoteWorker { executor: &*connected.executor, threads: 1, all_logs };
    let concurrency = connected.concurrency.clamp(1, outstanding.len().max(1));
    let workers =
        Workers { shared: vec![&worker as &dyn Worker; concurrency], exclusive: &child()? };
    run_jobs(runs, outstanding, archive, &workers)
}
