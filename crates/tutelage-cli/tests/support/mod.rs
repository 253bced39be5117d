//! A small, fast run of the real command on the real Hopper.

#![allow(clippy::unwrap_used)]
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tutelage::Stream;
use tutelage::choice::ExpertActs;
use tutelage_tasks::bullet::{Normalizer, Robot};
use tutelage_tasks::experts::{Card, GaussianExpert, GaussianPolicy, TimeFeature};

/// A folder with an untrained expert, whose episodes are short.
pub(crate) fn lab() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let task = Robot::Hopper;
    let mut rng = Stream::new(5).rng();
    let widths = [task.state_width(), 16, task.action_width()];
    let policy = GaussianPolicy::random(&widths, -1.0, &mut rng).unwrap();
    let normalizer =
        Normalizer::new(vec![0.0; task.state_width()], vec![1.0; task.state_width()]).unwrap();
    let expert =
        GaussianExpert::new(task, policy, normalizer, TimeFeature::Omitted, Card::default());
    assert!(expert.evaluate(ExpertActs::Mean, 2, &Stream::new(1)).is_ok());
    expert.write(&dir.path().join("expert.safetensors")).unwrap();
    dir
}

/// `tutelage …` in that folder.
pub(crate) fn tutelage(lab: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tutelage"));
    command.current_dir(lab).args(args).stdin(Stdio::null());
    command
}

/// The arguments of a small run in the folder `out`.
pub(crate) fn small_run(out: &str) -> Vec<&str> {
    let run = "learn hopper --expert expert.safetensors --algorithm bd-2 --class mlp:8 --rounds 6 \
               --states-per-round 8 --sampling stride(2) --budget iterations=30 --episodes 2";
    run.split_whitespace().chain(["--out", out]).collect()
}

/// Small runs of all kinds in the folder `out`: with discrete actions, and with experts that intervene or hand over.
pub(crate) fn small_runs(out: &str) -> Vec<Vec<String>> {
    let cart_pole = "learn cart-pole --algorithm bd-2 --class mlp:8 --rounds 5 --states-per-round 6 \
                     --sampling stride(5) --budget iterations=200 --episodes 3";
    let gated = "learn drive-5 --algorithm ensemble-dagger-3(0.1,0.5) --class mlp:8 --rounds 4 --states-per-round 8 \
                 --sampling stride(3) --budget iterations=100 --episodes 2";
    let taken_over = "learn pendulum --algorithm hg-dagger-2(0.05) --class mlp:8 --rounds 4 --states-per-round 8 \
                      --sampling stride(3) --budget iterations=100 --episodes 2";
    let handed_over = "learn pendulum --algorithm handover-bd-2 --class mlp:8 --rounds 4 --states-per-round 12 \
                       --sampling stride(3) --budget iterations=100 --episodes 2";
    let words = |run: &str| run.split_whitespace().chain(["--out", out]).map(Into::into).collect();
    let mut runs: Vec<Vec<String>> =
        [cart_pole, gated, taken_over, handed_over].map(words).to_vec();
    runs.push(small_run(out).into_iter().map(Into::into).collect());
    runs
}

/// Arguments as `&str`.
pub(crate) fn words(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// Runs a command that must succeed.
pub(crate) fn finish(lab: &Path, args: &[&str]) -> Output {
    let output = tutelage(lab, args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    output
}

/// Runs a command that must fail, and returns its error.
pub(crate) fn fail(lab: &Path, args: &[&str]) -> String {
    let output = tutelage(lab, args).output().unwrap();
    assert!(!output.status.success(), "{args:?} should have failed");
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    stderr(&output)
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The log and all policies of a run.
pub(crate) fn bytes(run: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let policies = std::fs::read_dir(run.join("policies")).unwrap();
    let mut files: Vec<PathBuf> = policies.map(|entry| entry.unwrap().path()).collect();
    files.push(run.join("log.bin"));
    files.sort();
    let name = |file: &Path| file.strip_prefix(run).unwrap().to_owned();
    files.iter().map(|file| (name(file), std::fs::read(file).unwrap())).collect()
}
