//! Training on stored runs whose rounds differ in size.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use support::{bytes, fail, finish, stdout};

const GATED: &str = "learn drive --algorithm hg-dagger-2(1) --class mlp:8 --rounds 5 --states-per-round 8 \
                     --sampling stride(3) --budget iterations=100 --episodes 2 --out gated --json";

/// |D| after each round, as the command tells it.
fn annotations(lab: &Path, command: &str) -> Vec<u64> {
    let output = finish(lab, &command.split_whitespace().collect::<Vec<_>>());
    let lines = stdout(&output);
    let line = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    lines.lines().filter_map(|text| line(text)["annotations"].as_u64()).collect()
}

#[test]
fn a_gated_run_is_trained_on_round_by_round() {
    let lab = tempfile::tempdir().unwrap();
    let gated = annotations(lab.path(), GATED);
    assert_eq!(gated.len(), 5);
    assert_ne!(gated, [8, 16, 24, 32, 40], "its rounds must differ in size");
    let retrain = "retrain gated --algorithm bagging-3 --json --out";
    assert_eq!(annotations(lab.path(), &format!("{retrain} bagging")), gated);
    // In two goes it comes to the same, and the rounds that were added count as they are.
    annotations(lab.path(), &format!("{retrain} again --rounds 2"));
    assert_eq!(annotations(lab.path(), "resume again --rounds 5 --json"), gated);
    let [whole, again] = ["bagging", "again"].map(|run| bytes(&lab.path().join(run)));
    let policies = |files: Vec<(std::path::PathBuf, Vec<u8>)>| -> Vec<_> {
        files.into_iter().filter(|(name, _)| name.starts_with("policies")).collect()
    };
    assert!(policies(whole) == policies(again));
    let shown = finish(lab.path(), &["show", "bagging", "--json"]);
    assert!(stdout(&shown).contains(&format!("\"annotations\":{}", gated[4])));
}

const STORED: &str = "learn pendulum --algorithm bc --expert-acts mean --class mlp:8 --rounds 4 --states-per-round 6 --sampling stride(3) \
                      --budget iterations=50 --episodes 2 --out stored";

fn run(lab: &Path, command: &str) -> std::process::Output {
    finish(lab, &command.split_whitespace().collect::<Vec<_>>())
}

/// What a spec says of a field.
fn value<'a>(spec: &'a str, field: &str) -> &'a str {
    let line = |line: &'a str| line.strip_prefix(field)?.strip_prefix(" = ");
    spec.lines().find_map(line).unwrap_or("nothing").trim_matches('"')
}

#[test]
fn every_training_option_can_be_said_and_the_others_are_the_stored_runs() {
    let lab = tempfile::tempdir().unwrap();
    run(lab.path(), STORED);
    let spec = |more: &str| {
        let printed = run(lab.path(), &format!("retrain stored -a bagging-2 --dry-run {more}"));
        stdout(&printed)
    };
    let plain = spec("");
    assert_eq!(value(&plain, "class"), "mlp:8");
    assert_eq!(value(&plain, "budget"), "iterations=50");
    assert_eq!(value(&plain, "expert_acts"), "sampled", "nobody drives");
    let said = [
        ("class", "mlp:4"),
        ("budget", "epochs=3"),
        ("learning_rate", "0.02"),
        ("batch", "7"),
        ("states", "standardised"),
        ("episodes", "5"),
        ("deploy", "member"),
        ("keep", "last"),
        ("seed", "9"),
        ("states_per_round", "4"),
        ("rounds", "5"),
    ];
    let flags = said.map(|(field, value)| format!("--{} {value}", field.replace('_', "-")));
    let spec_as_said = spec(&flags.join(" "));
    for (field, expected) in said {
        assert_eq!(value(&spec_as_said, field), expected, "{field}");
    }
    assert_eq!(
        value(&spec("--states-per-round 4"), "rounds"),
        "6",
        "24 annotations in rounds of 4"
    );
    assert_eq!(
        annotations(
            lab.path(),
            "retrain stored -a supervised --states-per-round 8 --json --out sl"
        ),
        [8, 16, 24]
    );
}

#[test]
fn invalid_options_are_named() {
    let lab = tempfile::tempdir().unwrap();
    run(lab.path(), STORED);
    for (more, words) in [
        ("-a supervised --learning-rate 7", "--learning-rate"),
        ("-a supervised --class linear --budget epochs=3", "--budget"),
        ("-a supervised --states-per-round 25", "has 24 annotations"),
        ("-a supervised --states-per-round 4 --rounds 7", "6 annotated rounds"),
        ("-a supervised --rounds 5", "4 annotated rounds"),
        ("-a supervisd", "supervised"),
    ] {
        let arguments = format!("retrain stored --out new {more}");
        let error = fail(lab.path(), &arguments.split_whitespace().collect::<Vec<_>>());
        assert!(error.contains(words), "{more}: {error}");
        assert!(!lab.path().join("new").exists(), "nothing was begun");
    }
}
