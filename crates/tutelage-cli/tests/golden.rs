//! Golden runs: every algorithm, class and way of collecting on the four robots, in small, to the bit.
//!
//! The values were recorded by the first edition, those of affine policies with the solver of least squares that came after it. Committed records and every run on somebody's disk depend on them: a
//! change here disowns all of these. `TUTELAGE_GOLDEN=write` records them anew, `TUTELAGE_BINARY` names another program
//! to run.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use safetensors::SafeTensors;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const TASKS: [&str; 4] = ["hopper", "walker2d", "half-cheetah", "ant"];
const SMALL: &str = "--rounds 2 --states-per-round 6 --sampling stride(5) --episodes 1";
const SHORT: &str = "--budget iterations=40";

/// The runs on one task, by name: those that stand on their own, and those that build on the run `dagger`.
fn runs(task: &str) -> [Vec<(String, String)>; 2] {
    let learn = |algorithm: &str, more: &str| {
        let name = format!("{task} {algorithm} {more}").trim_end().to_owned();
        let short = if more.contains("linear") { "" } else { SHORT };
        (name, format!("learn {task} -a {algorithm} {SMALL} {short} {more}"))
    };
    let on_dagger = |algorithm: &str, more: &str| {
        let name = format!("{task} {algorithm} {more}");
        (name, format!("retrain DAGGER -a {algorithm} {more}"))
    };
    let alone = vec![
        learn("dagger", "-c mlp:16,16"),
        learn("dagger", "-c mlp:8 --seed 2 --learning-rate 1e-3 --batch 4"),
        learn("dagger", "-c linear --sampling independent"),
        learn("bc", "-c mlp:8"),
        learn("bc", "-c linear --expert-acts mean"),
        learn("bd-1", "-c mlp:8"),
        learn("bd-3", "-c mlp:16,16 --sampling independent --budget epochs=5"),
        learn("bd-3", "-c linear"),
        learn("mp-3(4)", "-c mlp:8"),
        learn("mp-3(4)", "-c linear --d0 uniform(-1,3)"),
        learn("mftpl-p-3(2.5)", "-c mlp:8,8"),
    ];
    let after = vec![
        on_dagger("supervised", "-c mlp:8"),
        on_dagger("bagging-3", "-c mlp:16,16"),
        on_dagger("bagging-3", "-c linear"),
        learn("mp-3(4)", "-c mlp:8 --d0 dagger:DAGGER"),
    ];
    [alone, after]
}

fn tutelage(folder: &Path, args: &[&str]) -> String {
    let binary =
        std::env::var_os("TUTELAGE_BINARY").unwrap_or(env!("CARGO_BIN_EXE_tutelage").into());
    let output = Command::new(binary).current_dir(folder).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a run came to: rewards and losses of its rounds, and a hash of each policy's tensors.
fn play(folder: &Path, (name, args): &(String, String)) -> (String, Value) {
    let out = folder.join(name.replace([' ', '(', ')', ',', ':'], "_"));
    // A later flag stands in for an earlier one of the same name.
    let mut flags: Vec<&str> = Vec::new();
    for word in args.split_whitespace() {
        let given = flags.iter().position(|flag| word.starts_with("--") && *flag == word);
        if let Some(at) = given {
            flags.drain(at..at + 2);
        }
        flags.push(word);
    }
    let dagger = folder.join("dagger");
    let flags: Vec<String> =
        flags.iter().map(|flag| flag.replace("DAGGER", dagger.to_str().unwrap())).collect();
    let mut args: Vec<&str> = flags.iter().map(String::as_str).collect();
    args.extend(["--json", "--threads", "1", "--out", out.to_str().unwrap()]);
    let lines = tutelage(folder, &args);
    let rounds: Vec<Value> =
        lines.lines().map(|line| round(serde_json::from_str(line).unwrap())).collect();
    (name.clone(), json!({ "rounds": rounds, "policies": policies(&out) }))
}

/// What of a line is a result.
fn round(line: Value) -> Value {
    json!([line["reward"], line["reward_random"], line["imitation_loss"]])
}

fn policies(run: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(run.join("policies")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| tensors(file)).collect()
}

/// A hash of a policy's tensors, whatever else its file says.
fn tensors(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap();
    let mut tensors = SafeTensors::deserialize(&bytes).unwrap().tensors();
    tensors.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut hash = Sha256::new();
    for (name, tensor) in tensors {
        hash.update(name);
        hash.update(format!("{:?}", tensor.shape()));
        hash.update(tensor.data());
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_algorithm_gives_the_bits_of_the_first_edition() {
    let folder = tempfile::tempdir().unwrap();
    let played: BTreeMap<String, Value> = TASKS
        .par_iter()
        .flat_map(|task| {
            let folder = folder.path().join(task);
            std::fs::create_dir(&folder).unwrap();
            let [alone, after] = runs(task);
            let first = format!("learn {task} -a dagger -c mlp:8 {SMALL} {SHORT} --out dagger");
            tutelage(&folder, &first.split_whitespace().collect::<Vec<_>>());
            alone.iter().chain(&after).map(|run| play(&folder, run)).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(played.len(), 60);
    compare("runs.json", &played);
}

/// Hand-over windows on vectors and indices, recorded when their numbers were frozen.
#[test]
fn hand_over_windows_give_the_bits_of_the_frozen_recipe() {
    let folder = tempfile::tempdir().unwrap();
    let played: BTreeMap<String, Value> = ["hopper", "ant", "pendulum", "grid"]
        .par_iter()
        .flat_map(|task| {
            ["handover-dagger", "handover-bd-3", "handover-mp-3(4)"].par_iter().map(
                move |algorithm| {
                    let name = format!("{task} {algorithm}");
                    let args =
                        format!("learn {task} -a {algorithm} {SMALL} {SHORT} -c mlp:8 --rounds 3");
                    (name, args)
                },
            )
        })
        .map(|run| play(folder.path(), &run))
        .collect();
    compare("windows.json", &played);
}

/// Holds what was played against what was recorded.
fn compare(golden: &str, played: &BTreeMap<String, Value>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(golden);
    if std::env::var_os("TUTELAGE_GOLDEN").is_some() {
        std::fs::write(&file, serde_json::to_string_pretty(&played).unwrap() + "\n").unwrap();
    }
    let golden: BTreeMap<String, Value> =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    for (name, expected) in &golden {
        assert_eq!(&played[name], expected, "{name}");
    }
    assert_eq!(played.len(), golden.len());
}
