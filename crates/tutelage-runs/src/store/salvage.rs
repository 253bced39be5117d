//! Recovers the intact part of a damaged run.

use std::fs;
use std::io;
use std::path::Path;

use super::disk::{Disk, OsDisk};
use super::{StoreError, frame, kept_policies, policy_path, read_any, read_spec};

/// What [`salvage`] recovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// The records before the damage.
    pub records: usize,
    /// The number of bytes after them, which are kept in a separate file.
    pub lost: usize,
    /// The number of policies that were copied.
    pub policies: usize,
    /// The number of policies that the recovered log does not mention. They were not copied; a resumed run trains them again.
    pub unknown_policies: usize,
}

/// Copies the intact part of a run to a new folder: the log up to the first damage, the spec, and the policies that this part
/// of the log mentions. Does not change the old folder; fails if the new one is not empty.
///
/// ```no_run
/// use std::path::Path;
///
/// let saved = tutelage_runs::store::salvage(Path::new("runs/damaged"), Path::new("runs/saved"))?;
/// println!("recovered {} records; {} bytes are damaged", saved.records, saved.lost);
/// # Ok::<(), tutelage_runs::store::StoreError>(())
/// ```
pub fn salvage(run: &Path, out: &Path) -> Result<Salvaged, StoreError> {
    let log = run.join("log.bin");
    let bytes = fs::read(&log).map_err(StoreError::io("read", &log))?;
    let is_empty =
        |folder: &Path| fs::read_dir(folder).is_ok_and(|mut files| files.next().is_none());
    if out.exists() && !is_empty(out) {
        let source = io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty");
        return Err(StoreError::Io { what: "write to", path: out.into(), source });
    }
    let (records, end) = frame::complete(&bytes).ok_or(StoreError::NotALog { path: log })?;
    OsDisk.create_dir(&out.join("policies")).map_err(StoreError::io("create", out))?;
    let put = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        OsDisk.replace(&path, bytes).map_err(StoreError::io("write", &path))
    };
    put("log.bin", &bytes[..end])?;
    if end < bytes.len() {
        put(&format!("log.cut-at-{end}.bin"), &bytes[end..])?;
    }
    if let Ok(spec) = read_spec(run) {
        put("spec.toml", spec.as_bytes())?;
    }
    let kept = kept_policies(run);
    let policies = copy_policies(run, out, &kept)?;
    let unknown_policies = kept.len() - policies;
    Ok(Salvaged { records, lost: bytes.len() - end, policies, unknown_policies })
}

/// Copies the policies that the recovered log mentions, and returns their number.
fn copy_policies(run: &Path, out: &Path, rounds: &[usize]) -> Result<usize, StoreError> {
    // The log may be too short or inconsistent to be read.
    let Ok(history) = read_any(out) else { return Ok(0) };
    let mut copied = 0;
    for &round in rounds {
        let Ok(bytes) = history.policy(run, round) else { continue };
        let to = policy_path(out, round);
        OsDisk.replace(&to, &bytes).map_err(StoreError::io("write", &to))?;
        copied += 1;
    }
    Ok(copied)
}
