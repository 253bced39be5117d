//! A small, fast run of the real command on the real Hopper.

#![allow(clippy::unwrap_used)]
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tutelage::Stream;
use tutelage::choice::ExpertActs;
use tutelage_tasks::bullet::{Normalizer, Robot};
use tutelage_tasks::experts::{Card, GaussianExpert, GaussianPolicy, TimeFeature};

/// A folder in which commands run. Command lines are split at spaces.
pub(crate) struct Lab(tempfile::TempDir);

/// A folder with an untrained expert, whose episodes are short.
pub(crate) fn lab() -> Lab {
    let lab = Lab::empty();
    let task = Robot::Hopper;
    let mut rng = Stream::new(5).rng();
    let widths = [task.state_width(), 16, task.action_width()];
    let policy = GaussianPolicy::random(&widths, -1.0, &mut rng).unwrap();
    let normalizer =
        Normalizer::new(vec![0.0; task.state_width()], vec![1.0; task.state_width()]).unwrap();
    let expert =
        GaussianExpert::new(task, policy, normalizer, TimeFeature::Omitted, Card::default());
    assert!(expert.evaluate(ExpertActs::Mean, 2, &Stream::new(1)).is_ok());
    expert.write(&lab.file("expert.safetensors")).unwrap();
    lab
}

/// That folder with a small run in `run`.
pub(crate) fn lab_with_run() -> Lab {
    let lab = lab();
    lab.run(&small_run("run"));
    lab
}

impl Lab {
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.file(name)).unwrap()
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        tutelage(self.path(), &line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs a command that must succeed.
    pub(crate) fn run(&self, line: &str) -> Output {
        finish(self.path(), &line.split_whitespace().collect::<Vec<_>>())
    }

    /// What a command prints that must succeed.
    pub(crate) fn text(&self, line: &str) -> String {
        stdout(&self.run(line))
    }

    /// The objects that a command prints with `--json`.
    pub(crate) fn json(&self, line: &str) -> Vec<Value> {
        let text = self.text(&format!("{line} --json"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs a command that must fail, and returns its error.
    pub(crate) fn fail(&self, line: &str) -> String {
        fail(self.path(), &line.split_whitespace().collect::<Vec<_>>())
    }

    /// Starts a command, sends it a signal as soon as it `has_begun`, and returns its output.
    pub(crate) fn interrupt(
        &self,
        line: &str,
        signal: &str,
        has_begun: impl Fn() -> bool,
    ) -> Output {
        let piped = Stdio::piped;
        let mut child = self.command(line).stdout(piped()).stderr(piped()).spawn().unwrap();
        while !has_begun() {
            assert!(child.try_wait().unwrap().is_none(), "it ended too early");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        output
    }

    /// The log and all policies of a run.
    pub(crate) fn bytes(&self, run: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let run = &self.file(run);
        let policies = std::fs::read_dir(run.join("policies")).unwrap();
        let mut files: Vec<PathBuf> = policies.map(|entry| entry.unwrap().path()).collect();
        files.push(run.join("log.bin"));
        files.sort();
        let name = |file: &Path| file.strip_prefix(run).unwrap().to_owned();
        files.iter().map(|file| (name(file), std::fs::read(file).unwrap())).collect()
    }
}

/// `tutelage …` in that folder.
pub(crate) fn tutelage(lab: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tutelage"));
    command.current_dir(lab).args(args).stdin(Stdio::null());
    command
}

/// A small run in the folder `out`, which may be followed by further flags.
pub(crate) fn small_run(out: &str) -> String {
    format!(
        "learn hopper --expert expert.safetensors --algorithm bd-2 --class mlp:8 --rounds 6 --states-per-round 8 \
         --sampling stride(2) --budget iterations=30 --episodes 2 --out {out}"
    )
}

/// Small runs of all kinds in the folder `out`: with discrete actions, and with experts that intervene or hand over.
pub(crate) fn small_runs(out: &str) -> Vec<String> {
    let small = |task_and_sizes: &str| {
        format!("learn {task_and_sizes} --class mlp:8 --episodes 2 --out {out}")
    };
    let sizes = "--rounds 4 --sampling stride(3) --budget iterations=100 --states-per-round";
    vec![
        small(
            "cart-pole --algorithm bd-2 --rounds 5 --states-per-round 6 --sampling stride(5) --budget iterations=200",
        ),
        small(&format!("drive-5 --algorithm ensemble-dagger-3(0.1,0.5) {sizes} 8")),
        small(&format!("pendulum --algorithm hg-dagger-2(0.05) {sizes} 8")),
        small(&format!("pendulum --algorithm handover-bd-2 {sizes} 12")),
        small_run(out),
    ]
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
