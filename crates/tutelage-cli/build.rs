//! Adds the commit to the version, if it is known.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let version = env!("CARGO_PKG_VERSION");
    let version = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=TUTELAGE_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
}

fn commit() -> Option<String> {
    packaged_commit().or_else(checked_out_commit)
}

/// The commit in a packaged crate.
fn packaged_commit() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    (commit.len() >= 12).then(|| commit[..12].to_owned())
}

fn checked_out_commit() -> Option<String> {
    // A vendored copy must not report the commit of the repository around it.
    if !Path::new("../../crates/tutelage-cli").is_dir() || !Path::new("../../.git").exists() {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        let path = PathBuf::from(git(&["rev-parse", "--git-path", file])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}
