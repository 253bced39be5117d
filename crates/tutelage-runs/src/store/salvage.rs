//! What is whole in a damaged run.

use std::fs;
use std::io;
use std::path::Path;

use super::disk::{Disk, OsDisk};
use super::{Context, StoreError, frame, kept_policies, policy_path, read_any, read_spec};

/// What could be saved of a run, and what could not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salvaged {
    /// The records before the damage.
    pub records: usize,
    /// The bytes of the log from there on, which are kept beside it.
    pub lost: usize,
    /// The policies that were copied.
    pub policies: usize,
    /// The policies that the saved part of the log does not vouch for. They were not copied; a resumed run trains them again.
    pub unknown_policies: usize,
}

/// Copies what is whole of a run to a new folder: the log up to the first damage, the spec, and the policies that this part
/// of the log knows. The old folder is left as it is; a new one that has anything in it already is refused.
///
/// ```no_run
/// use std::path::Path;
///
/// let saved = tutelage_runs::store::salvage(Path::new("runs/damaged"), Path::new("runs/saved"))?;
/// println!("{} records are whole, {} bytes behind them are kept beside the log", saved.records, saved.lost);
/// # Ok::<(), tutelage_runs::store::StoreError>(())
/// ```
pub fn salvage(run: &Path, out: &Path) -> Result<Salvaged, StoreError> {
    let log = run.join("log.bin");
    let bytes = fs::read(&log).context("read", &log)?;
    let is_empty =
        |folder: &Path| fs::read_dir(folder).is_ok_and(|mut files| files.next().is_none());
    if out.exists() && !is_empty(out) {
        let source = io::Error::new(io::ErrorKind::AlreadyExists, "it is not empty");
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
    let kept = kept_policies(run);
    let policies = copy_policies(run, out, &kept)?;
    let unknown_policies = kept.len() - policies;
    Ok(Salvaged { records, lost: bytes.len() - end, policies, unknown_policies })
}

/// Copies the policies that the salvaged log knows, and tells how many they are.
fn copy_policies(run: &Path, out: &Path, rounds: &[usize]) -> Result<usize, StoreError> {
    // A log that ends before its first round, or whose records contradict each other, knows none.
    let Ok(history) = read_any(out) else { return Ok(0) };
    let mut copied = 0;
    for &round in rounds {
        let Ok(bytes) = history.policy(run, round) else { continue };
        let to = policy_path(out, round);
        OsDisk.replace(&to, &bytes).context("write", &to)?;
        copied += 1;
    }
    Ok(copied)
}
