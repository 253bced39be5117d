//! What a person and a program see of `tutelage learn` and its companions.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use support::{bytes, fail, finish, lab, small_run, stderr, stdout, tutelage};

#[test]
fn a_run_ends_with_a_table_a_picture_and_what_to_do_next() {
    let lab = lab();
    let output = finish(lab.path(), &small_run("run"));
    let text = stdout(&output);
    for word in
        ["round", "annotations", "imitation loss", "of the expert's", "tutelage evaluate run"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(stderr(&output).contains("round  6/6"), "{}", stderr(&output));
    for file in ["spec.toml", "log.bin", "learning-curve.svg", "learning-curve.png", "times.jsonl"]
    {
        assert!(lab.path().join("run").join(file).is_file(), "{file}");
    }
    assert!(lab.path().join("run/policies/round-006.safetensors").is_file());
}

#[test]
fn json_has_one_object_per_round() {
    let lab = lab();
    let output = finish(lab.path(), &[&small_run("run")[..], &["--json"]].concat());
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 6);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["round"], index + 1);
        assert_eq!(line["annotations"], 8 * (index + 1));
        for key in ["reward", "reward_random", "imitation_loss", "seconds"] {
            assert!(line[key].is_f64(), "{key}: {line}");
        }
    }
    let again = finish(lab.path(), &["resume", "run", "--json"]);
    assert_eq!(stdout(&again).lines().count(), 6, "a finished run shows what it came to");
}

#[test]
fn one_thread_and_two_write_the_same_bytes() {
    let lab = lab();
    for threads in ["1", "2"] {
        finish(lab.path(), &[&small_run(threads)[..], &["--threads", threads]].concat());
    }
    assert!(bytes(&lab.path().join("1")) == bytes(&lab.path().join("2")));
}

#[test]
fn a_dry_run_prints_a_spec_that_says_the_same_as_the_flags() {
    let lab = lab();
    let output = finish(lab.path(), &[&small_run("flags")[..], &["--dry-run"]].concat());
    assert!(!lab.path().join("flags").exists());
    fs::write(lab.path().join("spec.toml"), stdout(&output)).unwrap();
    let again = finish(lab.path(), &["learn", "--config", "spec.toml", "--dry-run"]);
    assert_eq!(stdout(&again), stdout(&output));
    finish(lab.path(), &small_run("flags"));
    finish(lab.path(), &["learn", "--config", "spec.toml", "--out", "file"]);
    assert!(bytes(&lab.path().join("flags")) == bytes(&lab.path().join("file")));
}

#[test]
fn wrong_input_is_named() {
    let lab = lab();
    for (args, word) in [
        ("learn hoper", "did you mean `hopper`"),
        ("learn", "task is missing"),
        ("learn hopper --algorithm dager", "did you mean `dagger`"),
        ("learn hopper --rounds -1", "1 to 10000"),
        ("learn hopper --learning-rate 0", "oracle.learning_rate"),
        ("learn hopper --class mlp:0", "hidden widths"),
        ("learn hopper --expert nobody.safetensors", "nobody.safetensors"),
        ("learn ant --expert expert.safetensors", "ant"),
        ("learn hopper --config nothing.toml", "nothing.toml"),
        ("resume nowhere", "holds no run"),
        ("evaluate nowhere.safetensors", "nowhere.safetensors"),
        ("export nowhere --out x.npz", "holds no run"),
        ("retrain nowhere --algorithm supervised", "holds no run"),
    ] {
        let error = fail(lab.path(), &args.split_whitespace().collect::<Vec<_>>());
        assert!(error.contains(word), "{args}: {error}");
    }
    assert!(!lab.path().join("runs").exists(), "nothing was begun");
}

#[test]
fn another_spec_and_a_second_process_are_refused() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let error = fail(lab.path(), &[&small_run("run")[..], &["--seed", "2"]].concat());
    assert!(error.contains("- seed = 1") && error.contains("+ seed = 2"), "{error}");
    let lock = fs::File::open(lab.path().join("run/lock")).unwrap();
    lock.try_lock().unwrap();
    let error = fail(lab.path(), &["resume", "run"]);
    assert!(error.contains("in use by another process"), "{error}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_a_safe_point_and_says_how_to_continue() {
    let lab = lab();
    finish(lab.path(), &small_run("whole"));
    let mut args = small_run("run");
    args.extend(["--budget", "iterations=30"]);
    let child = tutelage(lab.path(), &small_run("run"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !lab.path().join("run/policies/round-001.safetensors").is_file() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    // A fast machine may have been done before the signal came.
    if !output.status.success() {
        assert!(stderr(&output).contains("tutelage resume run"), "{}", stderr(&output));
        finish(lab.path(), &["resume", "run"]);
    }
    assert!(bytes(&lab.path().join("run")) == bytes(&lab.path().join("whole")));
}

#[test]
fn a_stored_run_can_be_evaluated_exported_and_trained_on() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    for act in ["mean", "random"] {
        let output =
            finish(lab.path(), &["evaluate", "run", "--episodes", "3", "--act", act, "--json"]);
        let line: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(line["episodes"], 3);
        assert!(line["imitation_loss"].as_f64().unwrap() > 0.0);
    }
    finish(lab.path(), &["evaluate", "expert.safetensors", "--episodes", "2"]);
    for file in ["annotations.npz", "annotations.parquet"] {
        finish(lab.path(), &["export", "run", "--out", file]);
        assert!(fs::metadata(lab.path().join(file)).unwrap().len() > 100);
    }
    let retrain = ["retrain", "run", "--algorithm", "bagging-3", "--out", "bagging", "--json"];
    let output = finish(lab.path(), &retrain);
    assert_eq!(stdout(&output).lines().count(), 6);
    finish(
        lab.path(),
        &["retrain", "run", "--algorithm", "supervised", "--class", "linear", "--out", "sl"],
    );
    let mp = "learn hopper --expert expert.safetensors --algorithm mp-3(4) --d0 dagger:run --class linear --rounds 2 \
              --states-per-round 8 --sampling stride(2) --episodes 2 --out mp";
    finish(lab.path(), &mp.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn data_that_changed_under_a_run_is_refused() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    finish(lab.path(), &["retrain", "run", "--algorithm", "supervised", "--out", "sl"]);
    fs::remove_dir_all(lab.path().join("run")).unwrap();
    finish(lab.path(), &[&small_run("run")[..], &["--seed", "9"]].concat());
    let error = fail(lab.path(), &["resume", "sl"]);
    assert!(error.contains("has changed since the run began"), "{error}");
}

#[test]
fn tasks_and_algorithms_are_listed() {
    let lab = lab();
    let tasks = stdout(&finish(lab.path(), &["tasks", "--json"]));
    assert_eq!(tasks.lines().count(), 4);
    let algorithms = stdout(&finish(lab.path(), &["algorithms"]));
    assert!(algorithms.contains("mftpl-p-E(λ)") && algorithms.contains("retrain"), "{algorithms}");
}
