//! Commands on stored runs: show, evaluate, watch, export, resume, retrain, salvage.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::{finish, lab, lab_with_run, small_run, small_runs, stderr};

#[test]
fn a_stored_run_can_be_evaluated_exported_and_trained_on() {
    let lab = lab_with_run();
    for act in ["mean", "member"] {
        let line = &lab.json(&format!("evaluate run --episodes 3 --act {act}"))[0];
        assert_eq!(line["episodes"], 3);
        assert!(line["imitation_loss"].as_f64().unwrap() > 0.0);
    }
    lab.run("export run --out annotations.npz");
    assert!(fs::metadata(lab.file("annotations.npz")).unwrap().len() > 100);
    lab.run("export run --policy policy.onnx --tensorboard curves");
    let model = lab.read("policy.onnx");
    assert!(String::from_utf8_lossy(&model).contains("MatMul"));
    lab.run("export run --policy first.onnx --round 1");
    assert_ne!(lab.read("first.onnx"), model);
    let events = fs::read_dir(lab.file("curves")).unwrap().next().unwrap().unwrap().path();
    let events = fs::read(events).unwrap();
    // Six rounds, of the mean and of a random member.
    assert_eq!(String::from_utf8_lossy(&events).matches("eval/mean_reward").count(), 12);
    assert_eq!(lab.json("retrain run --algorithm bagging-3 --out bagging").len(), 6);
    lab.run("retrain run --algorithm supervised --class Linear --out sl");
    let error = lab.fail("retrain run --algorithm supervised --rounds 9 --out nine");
    assert!(error.contains("6 annotated rounds"), "{error}");
    assert!(!lab.file("nine").exists(), "nothing was written");
    let error = lab.fail("retrain sl --algorithm supervised");
    assert!(error.contains("no annotated round"), "{error}");
    lab.run(
        "learn hopper --expert expert.safetensors --algorithm mp-3(4) --d0 dagger:run --class linear --rounds 2 \
              --states-per-round 8 --sampling stride(2) --episodes 2 --out mp",
    );
}

#[test]
fn every_command_works_on_a_run_with_discrete_actions() {
    let lab = lab();
    let cart_pole = &small_runs("run")[0];
    lab.run(cart_pole);
    let shown = lab.text("show run");
    assert!(
        shown.contains("task = \"cart-pole\"") && shown.contains("Finished: 5 rounds, 30"),
        "{shown}"
    );
    let line = &lab.json("evaluate run --episodes 2")[0];
    assert!(line["imitation_loss"].as_f64().unwrap() <= 1.0, "a share of wrong actions: {line}");
    lab.run("export run --out a.npz");
    lab.run("watch run --out run.gif --steps 8 --width 120");
    assert!(lab.file("run.png").is_file());
    lab.run("retrain run --algorithm bagging-2 --out bagging");
    // Two more rounds keep the first five, and give the result of a run with seven.
    let before = lab.read("run/policies/round-005.safetensors");
    assert_eq!(lab.json("resume run --rounds 7").len(), 7);
    lab.run(&small_runs("seven")[0].replace("--rounds 5", "--rounds 7"));
    let policy = |run, round| lab.read(&format!("{run}/policies/round-00{round}.safetensors"));
    assert!(policy("run", 5) == before && policy("run", 7) == policy("seven", 7));
    // A run on the first five rounds resumes although there are seven now.
    lab.run("resume bagging");
}

#[test]
fn paths_in_a_spec_are_relative_to_the_run() {
    let lab = lab_with_run();
    lab.run("retrain run --algorithm supervised --out elsewhere/sl");
    finish(&lab.file("elsewhere"), &["resume", "sl"]);
    finish(&lab.file("elsewhere"), &["evaluate", "../run", "--episodes", "1"]);
    fs::remove_dir_all(lab.file("run")).unwrap();
    lab.run("evaluate elsewhere/sl --episodes 1");
    lab.run("show elsewhere/sl");
}

#[test]
fn foreign_and_damaged_policies_are_refused() {
    let lab = lab_with_run();
    lab.run(&small_runs("other")[0]);
    let last = |run: &str, round: usize| {
        lab.file(run).join(format!("policies/round-{round:03}.safetensors"))
    };
    let sound = fs::read(last("run", 6)).unwrap();
    fs::copy(last("other", 5), last("run", 6)).unwrap();
    for args in ["evaluate run", "watch run --out x.gif", "resume run"] {
        let error = lab.fail(args);
        assert!(error.contains("round-006.safetensors"), "{args:?}: {error}");
    }
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 1;
    fs::write(last("run", 6), flipped).unwrap();
    assert!(lab.fail("evaluate run").contains("is damaged"));
    fs::write(last("run", 6), sound).unwrap();
    lab.run("evaluate run --episodes 1");
    // The log of a run with another seed is refused.
    lab.run(&small_run("nine --seed 9"));
    fs::copy(lab.file("nine/log.bin"), lab.file("run/log.bin")).unwrap();
    for args in
        ["evaluate run", "export run --out x.npz", "retrain run --algorithm supervised", "show run"]
    {
        let error = lab.fail(args);
        assert!(
            error.contains("different runs") && error.contains("seed = 9"),
            "{args:?}: {error}"
        );
    }
}

#[test]
fn a_salvaged_run_resumes_to_the_same_bytes() {
    let lab = lab_with_run();
    let expected = lab.bytes("run");
    let mut damaged = lab.read("run/log.bin");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(lab.file("run/log.bin"), damaged).unwrap();
    assert!(lab.fail("resume run").contains("is damaged at byte"));
    lab.run("salvage run --out saved");
    lab.run("resume saved");
    assert!(lab.bytes("saved") == expected);
}

#[test]
fn readers_report_an_incomplete_record() {
    let lab = lab_with_run();
    let mut bytes = lab.read("run/log.bin");
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(lab.file("run/log.bin"), bytes).unwrap();
    let shown = lab.text("show run");
    assert!(shown.contains("incomplete record"), "{shown}");
    for command in ["evaluate run --episodes 1 --round 4", "export run --out a.npz"] {
        let words = stderr(&lab.run(command));
        assert!(words.contains("incomplete record"), "{command:?}: {words}");
    }
}

#[test]
fn commands_act_as_the_run_deploys_its_policy() {
    let lab = lab();
    lab.run(&small_run("run --deploy member"));
    let reward = |act: &str| lab.text(&format!("evaluate run --episodes 3 --json {act}"));
    assert_eq!(reward(""), reward("--act member"));
    assert_ne!(reward(""), reward("--act mean"), "the two are equal");

    let film = |act: &str| {
        lab.run(&format!("watch run --out run.gif --force --steps 12 {act}"));
        lab.read("run.gif")
    };
    assert!(film("") == film("--act member"));
    assert!(film("") != film("--act mean"), "the two are equal");

    let exported = lab.run("export run --policy p.onnx");
    assert!(stderr(&exported).contains("`members`"), "{exported:?}");
    let model = lab.read("p.onnx");
    let says = |words: &[u8]| model.windows(words.len()).any(|window| window == words);
    assert!(says(b"deploy") && says(b"a random member at every step"));
}

#[test]
fn a_run_that_returns_a_random_round_cannot_be_extended() {
    let lab = lab();
    lab.run(&small_run("run --deploy random-round"));
    let error = lab.fail("resume run --rounds 9");
    assert!(error.contains("one of its 6 rounds"), "{error}");
}

#[test]
fn watch_films_the_policy_of_any_round() {
    let lab = lab_with_run();
    let film = |round: &str, out: &str| {
        lab.run(&format!("watch run {round} --steps 20 --width 64 --out {out}.gif"));
        lab.read(&format!("{out}.gif"))
    };
    let last = film("", "last");
    assert_eq!(film("--round 6", "six"), last);
    assert_ne!(film("--round 1", "one"), last);
    let output = lab.command("watch hopper --round 1").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}
