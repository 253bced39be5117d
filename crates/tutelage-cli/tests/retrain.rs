//! Training on stored runs whose rounds differ in size.

#![allow(clippy::unwrap_used)]

mod support;

use support::Lab;

const GATED: &str = "learn drive --algorithm hg-dagger-2(1) --class mlp:8 --rounds 5 --states-per-round 8 \
                     --sampling stride(3) --budget iterations=100 --episodes 2 --out gated";

/// |D| after each round, as the command tells it.
fn annotations(lab: &Lab, command: &str) -> Vec<u64> {
    lab.json(command).iter().filter_map(|line| line["annotations"].as_u64()).collect()
}

#[test]
fn a_gated_run_is_trained_on_round_by_round() {
    let lab = Lab::empty();
    let gated = annotations(&lab, GATED);
    assert_eq!(gated.len(), 5);
    assert_ne!(gated, [8, 16, 24, 32, 40], "its rounds must differ in size");
    let retrain = "retrain gated --algorithm bagging-3 --out";
    assert_eq!(annotations(&lab, &format!("{retrain} bagging")), gated);
    // In two goes it comes to the same, and the rounds that were added count as they are.
    annotations(&lab, &format!("{retrain} again --rounds 2"));
    assert_eq!(annotations(&lab, "resume again --rounds 5"), gated);
    let [whole, again] = ["bagging", "again"].map(|run| lab.bytes(run));
    let policies = |files: Vec<(std::path::PathBuf, Vec<u8>)>| -> Vec<_> {
        files.into_iter().filter(|(name, _)| name.starts_with("policies")).collect()
    };
    assert!(policies(whole) == policies(again));
    assert_eq!(lab.json("show bagging").last().unwrap()["annotations"], gated[4]);
}

const STORED: &str = "learn pendulum --algorithm bc --expert-acts mean --class mlp:8 --rounds 4 --states-per-round 6 --sampling stride(3) \
                      --budget iterations=50 --episodes 2 --out stored";

/// What a spec says of a field.
fn value<'a>(spec: &'a str, field: &str) -> &'a str {
    let line = |line: &'a str| line.strip_prefix(field)?.strip_prefix(" = ");
    spec.lines().find_map(line).unwrap_or("nothing").trim_matches('"')
}

#[test]
fn every_training_option_can_be_said_and_the_others_are_the_stored_runs() {
    let lab = Lab::empty();
    lab.run(STORED);
    let spec = |more: &str| lab.text(&format!("retrain stored -a bagging-2 --dry-run {more}"));
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
    let retrain = "retrain stored -a supervised --states-per-round 8 --out sl";
    assert_eq!(annotations(&lab, retrain), [8, 16, 24]);
}

#[test]
fn invalid_options_are_named() {
    let lab = Lab::empty();
    lab.run(STORED);
    for (more, words) in [
        ("-a supervised --learning-rate 7", "--learning-rate"),
        ("-a supervised --class linear --budget epochs=3", "--budget"),
        ("-a supervised --states-per-round 25", "has 24 annotations"),
        ("-a supervised --states-per-round 4 --rounds 7", "6 annotated rounds"),
        ("-a supervised --rounds 5", "4 annotated rounds"),
        ("-a supervisd", "supervised"),
    ] {
        let error = lab.fail(&format!("retrain stored --out new {more}"));
        assert!(error.contains(words), "{more}: {error}");
        assert!(!lab.file("new").exists(), "nothing was begun");
    }
}
