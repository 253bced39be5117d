//! `tutelage reproduce --on ENGINE`: the runs of a figure on other machines.

use std::str::FromStr;

use tutelage_reproduce::{Archive, Crew, Elsewhere, Logs, RunList, Worker};

use super::{child, go};
use crate::hire::{Destination, Storage, hire};
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
    let hired = hire(&Destination {
        engine: engine.name.clone(),
        address: engine.address.clone(),
        storage,
        runs: archive.runs().to_owned(),
    })?;
    hired.notes.iter().for_each(|line| note(line));
    let worker = Elsewhere { courier: &*hired.courier, threads: 1, logs };
    let at_once = hired.at_once.clamp(1, outstanding.len().max(1));
    let crew = Crew { workers: vec![&worker as &dyn Worker; at_once], timekeeper: &child()? };
    go(runs, outstanding, archive, &crew)
}
