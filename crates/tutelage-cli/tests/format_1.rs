//! Runs that the first edition wrote: read, evaluated, exported, resumed and extended, to the same bits.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{finish, stdout};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/format-1")
}

/// A copy of a run from then, for a test to go on with.
fn copy(name: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (golden().join(name), dir.path().join("run"));
    fs::create_dir_all(to.join("policies")).unwrap();
    for folder in ["", "policies"] {
        for entry in fs::read_dir(from.join(folder)).unwrap().map(|entry| entry.unwrap()) {
            if entry.path().is_file() {
                fs::copy(entry.path(), to.join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
    dir
}

fn version(run: &Path) -> u8 {
    fs::read(run.join("log.bin")).unwrap()[8]
}

#[test]
fn a_finished_run_is_shown_evaluated_and_exported_as_it_is() {
    let dir = copy("finished");
    let run = dir.path().join("run");
    let line = stdout(&finish(dir.path(), &["evaluate", "run", "--episodes", "2", "--json"]));
    for number in ["\"reward\":16.262714393568604,", "\"imitation_loss\":0.9129145608324831}"] {
        assert!(line.contains(number), "{number}: {line}");
    }
    let shown = stdout(&finish(dir.path(), &["show", "run"]));
    assert!(shown.contains("Finished: 2 rounds, 8 annotations"), "{shown}");
    finish(dir.path(), &["export", "run", "--out", "annotations.npz"]);
    assert_eq!(version(&run), 1, "reading changes nothing");
}

#[test]
fn an_interrupted_run_goes_on_to_the_bits_that_it_would_have_come_to() {
    let dir = copy("interrupted");
    let run = dir.path().join("run");
    let rows = stdout(&finish(dir.path(), &["resume", "run", "--json"]));
    assert_eq!(rows.lines().count(), 3);
    let last = |folder: &Path| fs::read(folder.join("round-003.safetensors")).unwrap();
    assert!(last(&run.join("policies")) == last(&golden().join("whole")));
    assert_eq!(version(&run), 2, "what was added is in the format of today");
}

#[test]
fn a_finished_run_is_extended() {
    let dir = copy("finished");
    let before = fs::read(dir.path().join("run/policies/round-002.safetensors")).unwrap();
    let rows = stdout(&finish(dir.path(), &["resume", "run", "--rounds", "4", "--json"]));
    assert_eq!(rows.lines().count(), 4);
    assert!(fs::read(dir.path().join("run/policies/round-002.safetensors")).unwrap() == before);
    assert!(stdout(&finish(dir.path(), &["show", "run"])).contains("Finished: 4 rounds, 16"));
}
