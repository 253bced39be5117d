//! What is whole in a damaged run.

use std::fs;
use std::path::Path;

use super::disk::{Disk, OsDisk};
use super::{Context, StoreError, frame, policy_path, read_spec};

/// What could be saved of a run, and what could not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// The records before the damage.
    pub records: usize,
    /// The bytes of the log from there on, which are kept beside it.
    pub lost: usize,
    /// The policies that were copied.
    pub policies: usize,
}

/// Copies what is whole of a run to a new folder: the log up to the first damage, the spec, the policies. The old folder is
/// left as it is.
pub fn salvage(run: &Path, out: &Path) -> Result<Salvaged, StoreError> {
    let log = run.join("log.bin");
    let bytes = fs::read(&log).context("read", &log)?;
    if out.join("log.bin").exists() {
        let source = std::io::ErrorKind::AlreadyExists.into();
        return Err(StoreError::Io { what: "begin a run in", path: out.into(), source });
    }
    let (records, end) = frame::whole(&bytes).ok_or(StoreError::NoLog { path: log })?;
    OsDisk.create_dir(&out.join("policies")).context("create", out)?;
    let put = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        OsDisk.replace(&path, bytes).context("write", &path)
    };
    put("log.bin", &bytes[..end])?;
    if end < bytes.len() {
        put(&format!("log.cut-at-{end}.bin"), &bytes[end..])?;
    }
    if let Ok(spec) = read_spec(run) {
        put("spec.toml", spec.as_bytes())?;
    }
    let policies = super::kept_policies(run);
    for &round in &policies {
        let from = policy_path(run, round);
        let bytes = fs::read(&from).context("read", &from)?;
        let to = policy_path(out, round);
        OsDisk.replace(&to, &bytes).context("write", &to)?;
    }
    Ok(Salvaged { records, lost: bytes.len() - end, policies: policies.len() })
}
