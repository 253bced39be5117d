//! Commands on stored runs: show, evaluate, watch, export, resume, retrain, salvage.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::{bytes, fail, finish, lab, small_run, small_runs, stderr, stdout, words};

#[test]
fn a_stored_run_can_be_evaluated_exported_and_trained_on() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    for act in ["mean", "member"] {
        let output =
            finish(lab.path(), &["evaluate", "run", "--episodes", "3", "--act", act, "--json"]);
        let line: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(line["episodes"], 3);
        assert!(line["imitation_loss"].as_f64().unwrap() > 0.0);
    }
    finish(lab.path(), &["export", "run", "--out", "annotations.npz"]);
    assert!(fs::metadata(lab.path().join("annotations.npz")).unwrap().len() > 100);
    finish(lab.path(), &["export", "run", "--policy", "policy.onnx", "--tensorboard", "curves"]);
    let model = fs::read(lab.path().join("policy.onnx")).unwrap();
    assert!(String::from_utf8_lossy(&model).contains("MatMul"));
    finish(lab.path(), &["export", "run", "--policy", "first.onnx", "--round", "1"]);
    assert_ne!(fs::read(lab.path().join("first.onnx")).unwrap(), model);
    let events = fs::read_dir(lab.path().join("curves")).unwrap().next().unwrap().unwrap().path();
    let events = fs::read(events).unwrap();
    // Six rounds, of the mean and of a random member.
    assert_eq!(String::from_utf8_lossy(&events).matches("eval/mean_reward").count(), 12);
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
    assert!(error.contains("6 annotated rounds"), "{error}");
    assert!(!lab.path().join("nine").exists(), "nothing was written");
    let error = fail(lab.path(), &["retrain", "sl", "--algorithm", "supervised"]);
    assert!(error.contains("no annotated round"), "{error}");
    let mp = "learn hopper --expert expert.safetensors --algorithm mp-3(4) --d0 dagger:run --class linear --rounds 2 \
              --states-per-round 8 --sampling stride(2) --episodes 2 --out mp";
    finish(lab.path(), &mp.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn every_command_works_on_a_run_with_discrete_actions() {
    let lab = lab();
    let cart_pole = &small_runs("run")[0];
    finish(lab.path(), &words(cart_pole));
    let shown = stdout(&finish(lab.path(), &["show", "run"]));
    assert!(
        shown.contains("task = \"cart-pole\"") && shown.contains("Finished: 5 rounds, 30"),
        "{shown}"
    );
    let line = stdout(&finish(lab.path(), &["evaluate", "run", "--episodes", "2", "--json"]));
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(line["imitation_loss"].as_f64().unwrap() <= 1.0, "a share of wrong actions: {line}");
    finish(lab.path(), &["export", "run", "--out", "a.npz"]);
    finish(lab.path(), &["watch", "run", "--out", "run.gif", "--steps", "8", "--width", "120"]);
    assert!(lab.path().join("run.png").is_file());
    finish(lab.path(), &["retrain", "run", "--algorithm", "bagging-2", "--out", "bagging"]);
    // Two more rounds keep the first five, and give the result of a run with seven.
    let before = fs::read(lab.path().join("run/policies/round-005.safetensors")).unwrap();
    let rows = stdout(&finish(lab.path(), &["resume", "run", "--rounds", "7", "--json"]));
    assert_eq!(rows.lines().count(), 7);
    let seven: Vec<&str> = cart_pole
        .iter()
        .map(|word| match word.as_str() {
            "5" => "7",
            "run" => "seven",
            word => word,
        })
        .collect();
    finish(lab.path(), &seven);
    let policy = |run: &str, round: &str| {
        fs::read(lab.path().join(run).join(format!("policies/round-00{round}.safetensors")))
            .unwrap()
    };
    assert!(policy("run", "5") == before && policy("run", "7") == policy("seven", "7"));
    // A run on the first five rounds resumes although there are seven now.
    finish(lab.path(), &["resume", "bagging"]);
}

#[test]
fn paths_in_a_spec_are_relative_to_the_run() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let retrain = ["retrain", "run", "--algorithm", "supervised", "--out", "elsewhere/sl"];
    finish(lab.path(), &retrain);
    finish(&lab.path().join("elsewhere"), &["resume", "sl"]);
    finish(&lab.path().join("elsewhere"), &["evaluate", "../run", "--episodes", "1"]);
    fs::remove_dir_all(lab.path().join("run")).unwrap();
    finish(lab.path(), &["evaluate", "elsewhere/sl", "--episodes", "1"]);
    finish(lab.path(), &["show", "elsewhere/sl"]);
}

#[test]
fn foreign_and_damaged_policies_are_refused() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let runs = small_runs("other");
    finish(lab.path(), &words(&runs[0]));
    let last = |run: &str, round: usize| {
        lab.path().join(run).join(format!("policies/round-{round:03}.safetensors"))
    };
    let sound = fs::read(last("run", 6)).unwrap();
    fs::copy(last("other", 5), last("run", 6)).unwrap();
    for args in [&["evaluate", "run"][..], &["watch", "run", "--out", "x.gif"], &["resume", "run"]]
    {
        let error = fail(lab.path(), args);
        assert!(error.contains("round-006.safetensors"), "{args:?}: {error}");
    }
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 1;
    fs::write(last("run", 6), flipped).unwrap();
    assert!(fail(lab.path(), &["evaluate", "run"]).contains("is damaged"));
    fs::write(last("run", 6), sound).unwrap();
    finish(lab.path(), &["evaluate", "run", "--episodes", "1"]);
    // The log of a run with another seed is refused.
    finish(lab.path(), &[&small_run("nine")[..], &["--seed", "9"]].concat());
    fs::copy(lab.path().join("nine/log.bin"), lab.path().join("run/log.bin")).unwrap();
    for args in [
        &["evaluate", "run"][..],
        &["export", "run", "--out", "x.npz"],
        &["retrain", "run", "--algorithm", "supervised"],
        &["show", "run"],
    ] {
        let error = fail(lab.path(), args);
        assert!(
            error.contains("different runs") && error.contains("seed = 9"),
            "{args:?}: {error}"
        );
    }
}

#[test]
fn a_salvaged_run_resumes_to_the_same_bytes() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let expected = bytes(&lab.path().join("run"));
    let log = lab.path().join("run/log.bin");
    let mut damaged = fs::read(&log).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(&log, damaged).unwrap();
    assert!(fail(lab.path(), &["resume", "run"]).contains("is damaged at byte"));
    finish(lab.path(), &["salvage", "run", "--out", "saved"]);
    finish(lab.path(), &["resume", "saved"]);
    assert!(bytes(&lab.path().join("saved")) == expected);
}

#[test]
fn readers_report_an_incomplete_record() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let log = lab.path().join("run/log.bin");
    let mut bytes = fs::read(&log).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&log, bytes).unwrap();
    let shown = stdout(&finish(lab.path(), &["show", "run"]));
    assert!(shown.contains("incomplete record"), "{shown}");
    let policy = ["evaluate", "run", "--episodes", "1", "--round", "4"];
    let export = ["export", "run", "--out", "a.npz"];
    for command in [&policy[..], &export] {
        let words = stderr(&finish(lab.path(), command));
        assert!(words.contains("incomplete record"), "{command:?}: {words}");
    }
}

#[test]
fn commands_act_as_the_run_deploys_its_policy() {
    let lab = lab();
    let run = |out| [&small_run(out)[..], &["--deploy", "member"]].concat();
    finish(lab.path(), &run("run"));
    let reward = |act: &[&str]| {
        let args = [&["evaluate", "run", "--episodes", "3", "--json"], act].concat();
        stdout(&finish(lab.path(), &args))
    };
    let deployed = reward(&[]);
    assert_eq!(deployed, reward(&["--act", "member"]));
    assert_ne!(deployed, reward(&["--act", "mean"]), "the two are equal");

    let film = |out: &str, act: &[&str]| {
        let args = [&["watch", "run", "--out", out, "--steps", "12"], act].concat();
        finish(lab.path(), &args);
        fs::read(lab.path().join(out)).unwrap()
    };
    let deployed = film("deployed.gif", &[]);
    assert!(deployed == film("member.gif", &["--act", "member"]));
    assert!(deployed != film("mean.gif", &["--act", "mean"]), "the two are equal");

    let exported = finish(lab.path(), &["export", "run", "--policy", "p.onnx"]);
    assert!(stderr(&exported).contains("`members`"), "{exported:?}");
    let model = fs::read(lab.path().join("p.onnx")).unwrap();
    let says = |words: &[u8]| model.windows(words.len()).any(|window| window == words);
    assert!(says(b"deploy") && says(b"a random member at every step"));
}

#[test]
fn a_run_that_returns_a_random_round_cannot_be_extended() {
    let lab = lab();
    finish(lab.path(), &[&small_run("run")[..], &["--deploy", "random-round"]].concat());
    let error = fail(lab.path(), &["resume", "run", "--rounds", "9"]);
    assert!(error.contains("cannot be extended"), "{error}");
}
