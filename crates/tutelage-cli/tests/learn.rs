//! What a person and a program see of `tutelage learn` and its companions.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use tutelage_experts::GaussianExpert;

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
    finish(lab.path(), &["expert", "export", "expert.safetensors", "--out", "expert.npz"]);
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
        ("expert evaluate nowhere.npz", "nowhere.npz\": there is no such file"),
        ("evaluate expert.npz", "--task TASK"),
        ("watch expert.npz --out x.gif", "--task TASK"),
        ("watch hopper --out x.mp4", "must end in .gif"),
        ("replay hopper --actions a.npy --out x.txt", "must end in .npz"),
        ("expert import expert.npz --task hopper --out x.npz", "must end in .safetensors"),
        ("expert import expert.npz --task hopper --out expert.safetensors", "--force"),
        ("expert export hopper --out expert.npz", "--force"),
        ("expert export hopper --out x.zip", "must end in .safetensors or .npz"),
        ("expert train hopper --out x.txt", "must end in .safetensors or .npz"),
        ("expert train hopper --entropy nan", "region.entropy is NaN"),
        ("expert train hopper --stumble 99999999", "stumble is 99999999"),
        ("expert train hopper --gamma 2", "below 1"),
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
    let mut child = tutelage(lab.path(), &small_run("run"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let first = lab.path().join("run/policies/round-001.safetensors");
    while child.try_wait().unwrap().is_none() {
        if first.is_file() {
            let id = child.id().to_string();
            let kill = std::process::Command::new("kill").args(["-INT", &id]).status();
            assert!(kill.unwrap().success());
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
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
    for act in ["mean", "sample", "random"] {
        let output =
            finish(lab.path(), &["evaluate", "run", "--episodes", "3", "--act", act, "--json"]);
        let line: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(line["episodes"], 3);
        assert!(line["imitation_loss"].as_f64().unwrap() > 0.0);
    }
    for file in ["annotations.npz", "annotations.parquet"] {
        finish(lab.path(), &["export", "run", "--out", file]);
        assert!(fs::metadata(lab.path().join(file)).unwrap().len() > 100);
    }
    let retrain = ["retrain", "run", "--algorithm", "bagging-3", "--out", "bagging", "--json"];
    let output = finish(lab.path(), &retrain);
    assert_eq!(stdout(&output).lines().count(), 6);
    finish(
        lab.path(),
        &["retrain", "run", "--algorithm", "supervised", "--class", "Linear", "--out", "sl"],
    );
    let error = fail(
        lab.path(),
        &["retrain", "run", "--algorithm", "supervised", "--rounds", "9", "--out", "nine"],
    );
    assert!(error.contains("only 6 rounds are annotated"), "{error}");
    assert!(!lab.path().join("nine").exists(), "nothing was begun");
    let error = fail(lab.path(), &["retrain", "sl", "--algorithm", "supervised"]);
    assert!(error.contains("no annotated round"), "{error}");
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

#[test]
fn an_expert_earns_the_same_whichever_command_asks() {
    let lab = lab();
    finish(lab.path(), &["expert", "export", "expert.safetensors", "--out", "expert.npz"]);
    let lines = |args: &str| -> Vec<serde_json::Value> {
        let args = args.split_whitespace().chain(["--episodes", "3", "--json"]);
        let output = finish(lab.path(), &args.collect::<Vec<_>>());
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let both = lines("expert evaluate expert.npz --task hopper");
    for (act, score) in ["mean", "sample"].into_iter().zip(&both) {
        let own = lines(&format!("evaluate expert.npz --task hopper --act {act}"));
        assert_eq!(own[0]["reward"], score["mean"], "{act}");
    }
    assert_ne!(both[0]["mean"], both[1]["mean"]);
}

#[test]
fn an_import_says_how_it_was_made() {
    let lab = lab();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../tutelage-experts/tests/data/trpo_tanh");
    let (agent, statistics) = (format!("{data}.zip"), format!("{data}.pkl"));
    let import = ["expert", "import", &agent, "--vecnormalize", &statistics];
    let import = [&import[..], &["--task", "hopper", "--out", "agent.safetensors"]].concat();
    finish(lab.path(), &import);
    let expert = GaussianExpert::read(&lab.path().join("agent.safetensors"), None, None).unwrap();
    let command = expert.card().command.as_deref().unwrap();
    let expected = "import trpo_tanh.zip --vecnormalize trpo_tanh.pkl --task hopper";
    assert!(command.ends_with(expected), "{command}");
    assert!(fail(lab.path(), &import).contains("--force"));
    finish(lab.path(), &[&import[..], &["--force"]].concat());
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let lab = lab();
    for args in [&["tasks"][..], &["algorithms", "--json"], &["learn", "hopper", "--dry-run"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = tutelage(lab.path(), args).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(141), ""), "{args:?}");
    }
}
