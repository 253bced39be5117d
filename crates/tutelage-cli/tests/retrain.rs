//! Training on stored runs whose rounds differ in size.

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use support::{bytes, finish, stdout};

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
