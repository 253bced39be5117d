//! The kill test: kills the command with SIGKILL at random moments, and resumes it to the same bytes.
//!
//! `TUTELAGE_KILLS=5000 cargo test --release -p tutelage-cli --test kill` runs it longer.

#![allow(clippy::unwrap_used)]

mod support;

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rand::RngExt;
use support::{Lab, lab, small_runs};
use tutelage::Stream;
use tutelage_runs::store::read_any;

#[test]
fn kill_and_resume_is_bit_identical() {
    let kills: usize = std::env::var("TUTELAGE_KILLS").map_or(80, |text| text.parse().unwrap());
    let kinds = small_runs("").len();
    for kind in 0..kinds {
        kill_runs_of(kind, kills.div_ceil(kinds));
    }
}

/// Kills runs of one kind `kills` times.
fn kill_runs_of(kind: usize, kills: usize) {
    let lab = lab();
    let started = Instant::now();
    lab.run(&small_runs("whole")[kind]);
    let whole_run = started.elapsed();
    let expected = lab.bytes("whole");
    let annotations = read_any(&lab.file("whole")).unwrap().annotations();

    let mut rng = Stream::new(11).fork("kind", kind as u64).rng();
    let (mut killed, mut run, mut kills_of_run) = (0, 0, 0);
    while killed < kills {
        let out = format!("run-{run}");
        let begun = lab.file(&out).join("spec.toml").is_file();
        let line = if begun { format!("resume {out}") } else { small_runs(&out).remove(kind) };
        let mut child =
            lab.command(&line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole_run.mul_f64(rng.random_range(0.0..0.6)));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if status.success() {
            check(&lab, &out, &expected, annotations, kills_of_run);
            (run, kills_of_run) = (run + 1, 0);
        } else {
            assert_eq!(status.signal(), Some(9), "failed before it was killed: {status}");
            (killed, kills_of_run) = (killed + 1, kills_of_run + 1);
        }
    }
    let out = format!("run-{run}");
    if kills_of_run > 0 && lab.file(&out).join("spec.toml").is_file() {
        lab.run(&format!("resume {out}"));
        check(&lab, &out, &expected, annotations, kills_of_run);
    }
    println!("kind {kind}: {killed} kills over {} runs of {whole_run:?}", run + 1);
    assert!(whole_run > Duration::from_millis(20), "too short to be killed: {whole_run:?}");
}

fn check(
    lab: &Lab,
    run: &str,
    expected: &[(std::path::PathBuf, Vec<u8>)],
    annotations: usize,
    kills: usize,
) {
    let found = lab.bytes(run);
    let names = |files: &[(std::path::PathBuf, Vec<u8>)]| {
        files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&found), names(expected), "files after {kills} kills");
    for (found, expected) in found.iter().zip(expected) {
        assert!(found == expected, "{:?} differs after {kills} kills", found.0);
    }
    let history = read_any(&lab.file(run)).unwrap();
    assert_eq!((history.annotations(), history.open_queries()), (annotations, 0));
}
