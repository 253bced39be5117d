//! Run folders of earlier formats can be read, evaluated, compared, exported, resumed and extended.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::Lab;

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// A copy of a recorded run that the test may change.
fn copy(name: &str) -> Lab {
    let dir = Lab::empty();
    let (from, to) = (golden().join(name), dir.file("run"));
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
fn finished_format_1_run_can_be_read() {
    let dir = copy("format-1/finished");
    let line = dir.text("evaluate run --episodes 2 --json");
    for number in ["\"reward\":16.262714393568604,", "\"imitation_loss\":0.9129145608324831}"] {
        assert!(line.contains(number), "{number}: {line}");
    }
    let shown = &dir.json("show run")[0];
    assert_eq!((&shown["finished"], &shown["annotations"]), (&true.into(), &8.into()));
    dir.run("export run --out annotations.npz");
    assert_eq!(version(&dir.file("run")), 1, "reading does not convert the log");
}

#[test]
fn interrupted_format_1_run_resumes_to_the_same_bits() {
    let dir = copy("format-1/interrupted");
    let run = dir.file("run");
    assert_eq!(dir.json("resume run").len(), 3);
    let last = |folder: &Path| fs::read(folder.join("round-003.safetensors")).unwrap();
    assert!(last(&run.join("policies")) == last(&golden().join("format-1/whole")));
    assert_eq!(version(&run), 2, "new entries have the current format");
}

#[test]
fn finished_format_1_run_can_be_extended() {
    let dir = copy("format-1/finished");
    let before = dir.read("run/policies/round-002.safetensors");
    assert_eq!(dir.json("resume run --rounds 4").len(), 4);
    assert!(dir.read("run/policies/round-002.safetensors") == before);
    let shown = &dir.json("show run")[0];
    assert_eq!((&shown["finished"], &shown["annotations"]), (&true.into(), &16.into()));
}

#[test]
fn format_2_runs_can_be_read_and_extended() {
    for (kind, reward, annotations) in [("vectors", 36.677892731191555, 8), ("indices", 0.0, 8)] {
        let dir = copy(&format!("format-2/{kind}"));
        let run = dir.file("run");
        let shown = dir.json("show run");
        assert_eq!(
            (&shown[0]["finished"], &shown[0]["annotations"]),
            (&true.into(), &annotations.into())
        );
        assert_eq!(shown[2]["reward"], reward);
        let compared = dir.json("compare run");
        assert_eq!(
            (&compared[0]["seeds"], &compared[0]["annotations"]),
            (&1.into(), &f64::from(annotations).into())
        );
        dir.run("export run --out annotations.npz");
        assert!(fs::metadata(dir.file("annotations.npz")).unwrap().len() > 0);
        assert_eq!(version(&run), 2);
        assert_eq!(dir.json("resume run --rounds 3").len(), 3);
        let recorded = golden().join(format!("format-2/{kind}-round-003.safetensors"));
        let extended = fs::read(run.join("policies/round-003.safetensors")).unwrap();
        assert!(extended == fs::read(recorded).unwrap(), "{kind}");
    }
}
