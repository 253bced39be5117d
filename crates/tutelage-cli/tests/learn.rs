//! What a person and a program see of `tutelage learn` and its companions.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use tutelage_tasks::experts::GaussianExpert;

use support::{bytes, fail, finish, lab, small_run, small_runs, stderr, stdout, tutelage, words};

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
    assert!(stderr(&output).contains("round 6/6"), "{}", stderr(&output));
    for file in [
        "spec.toml",
        "log.bin",
        "learning-curve.svg",
        "learning-curve.png",
        "times.jsonl",
        "rounds.csv",
    ] {
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
        assert_eq!((&line["task"], &line["algorithm"]), (&"hopper".into(), &"bd-2".into()));
        assert_eq!((&line["class"], &line["seed"]), (&"mlp:8".into(), &1.into()));
        assert_eq!((&line["folder"], &line["expert_steps"]), (&"run".into(), &0.into()));
        assert!(line["expert_reward"].is_f64(), "{line}");
        assert_eq!(line["annotations"], 8 * (index + 1));
        for key in ["reward", "reward_sd", "reward_random", "imitation_loss", "seconds"] {
            assert!(line[key].is_f64(), "{key}: {line}");
        }
    }
    let again = finish(lab.path(), &["resume", "run", "--json"]);
    assert_eq!(stdout(&again).lines().count(), 6, "a finished run shows what it came to");
}

#[test]
fn one_thread_and_two_write_the_same_bytes() {
    for kind in 0..small_runs("").len() {
        let lab = lab();
        for threads in ["1", "2"] {
            let run = &small_runs(threads)[kind];
            finish(lab.path(), &[&words(run)[..], &["--threads", threads]].concat());
        }
        assert!(bytes(&lab.path().join("1")) == bytes(&lab.path().join("2")), "kind {kind}");
    }
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
        ("learn ant --expert expert.safetensors", "ant"),
        ("learn hopper --expert nobody.safetensors", "nobody.safetensors"),
        ("learn hopper --states raw", "raw"),
        ("evaluate expert.npz", "--task"),
        ("watch expert.npz --out x.gif", "--task"),
        ("expert evaluate hopper --seed 2", "tutelage evaluate hopper --seed 2"),
        (
            "expert import expert.npz --vecnormalize x.pkl --task hopper --out x.safetensors",
            "--vecnormalize",
        ),
        ("compare . --level 2", "2"),
        ("compare . --step-cost -1", "-1"),
        ("expert train hopper --entropy nan", "NaN"),
        ("expert train hopper --stumble 99999999", "99999999"),
        ("expert train hopper --gamma 2", "2"),
    ] {
        let error = fail(lab.path(), &args.split_whitespace().collect::<Vec<_>>());
        assert!(error.contains(word), "{args}: {error}");
    }
    assert!(!lab.path().join("runs").exists(), "nothing was written");
}

#[test]
fn another_spec_and_a_second_process_are_refused() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let error = fail(lab.path(), &[&small_run("run")[..], &["--seed", "2"]].concat());
    assert!(error.contains("- seed = 1") && error.contains("+ seed = 2"), "{error}");
    let log = fs::File::open(lab.path().join("run/log.bin")).unwrap();
    log.try_lock().unwrap();
    let error = fail(lab.path(), &["resume", "run"]);
    assert!(error.contains("in use by another process"), "{error}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_a_safe_point_and_says_how_to_continue() {
    let lab = lab();
    let long = |out: &'static str| -> Vec<&str> {
        small_run(out).into_iter().map(|word| if word == "6" { "80" } else { word }).collect()
    };
    let mut child = tutelage(lab.path(), &long("run"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let first = lab.path().join("run/policies/round-001.safetensors");
    while !first.is_file() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first round");
        std::thread::sleep(Duration::from_millis(1));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "it was not interrupted");
    assert!(stderr(&output).contains("tutelage resume run"), "{}", stderr(&output));
    assert!(!lab.path().join("run/policies/round-080.safetensors").is_file());
    finish(lab.path(), &["resume", "run"]);
    finish(lab.path(), &long("whole"));
    assert!(bytes(&lab.path().join("run")) == bytes(&lab.path().join("whole")));
}

#[cfg(unix)]
#[test]
fn an_experts_training_stops_at_a_checkpoint_and_says_how_to_continue() {
    let dir = tempfile::tempdir().unwrap();
    let train = "expert train hopper --steps 100000000 --batch 500 --out e.safetensors";
    let mut child = tutelage(dir.path(), &train.split(' ').collect::<Vec<_>>())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !dir.path().join("e.checkpoint").is_file() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let advice = "tutelage expert train hopper --resume --out e.safetensors";
    assert!(stderr(&output).contains(advice), "{}", stderr(&output));
    let progress = stderr(&output).lines().find(|line| line.ends_with(" left")).unwrap().to_owned();
    assert!(progress.chars().count() <= 80, "{progress}");
}

#[test]
fn files_of_somebody_elses_are_not_replaced_by_a_run_that_begins_beside_them() {
    let lab = lab();
    for (file, words) in [
        ("rounds.csv", "log.bin"),
        ("times.jsonl", "log.bin"),
        ("learning-curve.png", "learning-curve.png"),
    ] {
        let folder = lab.path().join(format!("own-{file}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(file), "mine").unwrap();
        let out = folder.to_str().unwrap();
        let error = fail(lab.path(), &small_run(out));
        assert!(error.contains(words), "{file}: {error}");
        assert_eq!(fs::read(folder.join(file)).unwrap(), b"mine");
    }
    finish(lab.path(), &small_run("run"));
    fs::create_dir(lab.path().join("saved")).unwrap();
    fs::write(lab.path().join("saved/spec.toml"), "mine").unwrap();
    fail(lab.path(), &["salvage", "run", "--out", "saved"]);
    assert_eq!(fs::read(lab.path().join("saved/spec.toml")).unwrap(), b"mine");
}

#[test]
fn data_that_changed_under_a_run_is_refused() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    finish(lab.path(), &["retrain", "run", "--algorithm", "supervised", "--out", "sl"]);
    fs::remove_dir_all(lab.path().join("run")).unwrap();
    finish(lab.path(), &[&small_run("run")[..], &["--seed", "9"]].concat());
    let error = fail(lab.path(), &["resume", "sl"]);
    assert!(error.contains("has changed"), "{error}");
}

#[test]
fn tasks_and_algorithms_are_listed() {
    let lab = lab();
    let tasks = stdout(&finish(lab.path(), &["tasks", "--json"]));
    assert_eq!(tasks.lines().count(), 9);
    let algorithms = stdout(&finish(lab.path(), &["algorithms"]));
    assert!(
        algorithms.contains("mftpl-p[-E](λ)") && algorithms.contains("retrain"),
        "{algorithms}"
    );
}

#[test]
fn an_expert_earns_the_same_wherever_it_comes_from() {
    let lab = lab();
    finish(lab.path(), &["expert", "export", "expert.safetensors", "--out", "expert.npz"]);
    let lines = |args: &str| -> Vec<serde_json::Value> {
        let args = args.split_whitespace().chain(["--episodes", "3", "--json"]);
        let output = finish(lab.path(), &args.collect::<Vec<_>>());
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let earned = ["mean", "sampled"].map(|act| {
        let [npz, own] = ["expert.npz --task hopper", "expert.safetensors"]
            .map(|expert| lines(&format!("evaluate {expert} --act {act}")));
        assert_eq!(npz, own, "{act}");
        own[0]["reward"].as_f64().unwrap()
    });
    assert_ne!(earned[0], earned[1]);
}

#[test]
fn an_import_says_how_it_was_made() {
    let lab = lab();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../tutelage-tasks/tests/data/trpo_tanh");
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
