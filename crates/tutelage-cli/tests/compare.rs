//! `learn` with several seeds, and `compare`.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;

use support::{Lab, stderr, stdout};

/// Six short runs of two algorithms.
const MANY: &str = "learn cart-pole --seeds 1-3 -a dagger -a dart(1) --class mlp:8 --rounds 6 --states-per-round 8 \
                    --sampling stride(5) --budget iterations=100 --episodes 3 --out many";

fn lab_with_many() -> Lab {
    let lab = Lab::empty();
    lab.run(MANY);
    lab
}

fn folders(root: &Path, part: &str) -> Vec<String> {
    let names = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.contains(part));
    names.sort();
    names
}

#[test]
fn learn_compares_several_seeds_and_algorithms() {
    let lab = Lab::empty();
    let output = lab.run(MANY);
    let text = stdout(&output);
    for word in
        ["DAgger", "DART(1)", "seeds", "95 % t intervals", "for 2 comparisons", "expert steps"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
    // Runs are concurrent, so they may end in any order.
    let progress = stderr(&output);
    for word in ["1/6  ", "6/6  ", "dagger seed 1  reward", "dart(1) seed 3  reward"] {
        assert!(progress.contains(word), "{word}: {progress}");
    }
    let root = lab.file("many");
    assert_eq!(folders(&root, "-seed-").len(), 6);
    for run in folders(&root, "-seed-") {
        for file in ["log.bin", "rounds.csv", "learning-curve.csv"] {
            assert!(root.join(&run).join(file).is_file(), "{run}/{file}");
        }
        let curve = fs::read_to_string(root.join(&run).join("learning-curve.csv")).unwrap();
        assert!(curve.contains("\nreward,") && curve.contains("\nimitation loss,"), "{curve}");
    }
    let comparison = root.join(folders(&root, "comparison").remove(0));
    for file in [
        "curves.svg",
        "curves.png",
        "curves.csv",
        "losses.png",
        "summary.png",
        "table.csv",
        "pairs.csv",
    ] {
        assert!(comparison.join(file).is_file(), "{file}");
    }
    // Each run equals the same run executed alone.
    let alone = MANY.replace("--seeds 1-3 -a dagger -a dart(1)", "--seed 2 -a dagger");
    lab.run(&alone.replace("--out many", "--out alone"));
    let run = folders(&root, "dagger-mlp-8-seed-2").remove(0);
    for file in ["log.bin", "rounds.csv"] {
        let read = |run: &Path| fs::read(run.join(file)).unwrap();
        assert!(read(&root.join(&run)) == read(&lab.file("alone")), "{file}");
    }
}

#[test]
fn the_comparison_agrees_with_rounds_csv() {
    let lab = lab_with_many();
    let rows = lab.json("compare many --baseline dagger");
    let curve = |name: &str| {
        rows.iter().find(|row| row["table"] == "curve" && row["curve"] == name).unwrap().clone()
    };
    // The mean of the last five rounds of the three runs.
    let root = lab.file("many");
    let last: Vec<f64> = folders(&root, "dagger-mlp-8-seed")
        .iter()
        .map(|run| {
            let csv = fs::read_to_string(root.join(run).join("rounds.csv")).unwrap();
            let rewards: Vec<f64> = csv
                .lines()
                .skip(1)
                .map(|line| line.split(',').nth(3).unwrap().parse().unwrap())
                .collect();
            rewards[1..].iter().sum::<f64>() / 5.0
        })
        .collect();
    let mean = last.iter().sum::<f64>() / 3.0;
    let found = curve("DAgger")["last_five"]["estimate"].as_f64().unwrap();
    assert!((found - mean).abs() < 1e-9, "{found} {mean}");
    let variance = last.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2.0;
    let reach = 4.302_652_729_911_275 * (variance / 3.0).sqrt();
    let high = curve("DAgger")["last_five"]["high"].as_f64().unwrap();
    assert!((high - mean - reach).abs() < 1e-6, "{high}");
    assert_eq!(curve("DAgger")["expert_steps"], 0.0);
    assert!(curve("DART(1)")["expert_steps"].as_f64().unwrap() > 0.0, "the expert drove");
    assert_eq!(rows.iter().filter(|row| row["table"] == "pair").count(), 2);
    let rows = lab.json("compare many --filter algorithm=dagger --filter seed=1 --only seed=2");
    assert_eq!((rows.len(), &rows[0]["seeds"]), (2, &2.into()), "{rows:?}");
}

#[test]
fn costs_can_include_expert_steps() {
    let lab = lab_with_many();
    let end = |flags: &str| {
        lab.run(&format!("compare many --out c --force {flags}"));
        let csv = fs::read_to_string(lab.file("c/curves.csv")).unwrap();
        let last = csv.lines().rfind(|line| line.contains(",DART(1),")).unwrap();
        last.split(',').nth(2).unwrap().parse::<f64>().unwrap()
    };
    let (annotations, weighted) = (end(""), end("--expert-step-cost 0.01"));
    let steps = end("--over expert-steps");
    assert_eq!(annotations, 48.0);
    assert!(steps > 48.0 && weighted > 48.0, "{steps} {weighted}");
    assert!(lab.fail("compare many --out c").contains("--force"));
    let error = lab.fail("compare many --baseline nobody");
    assert!(error.contains("nobody") && error.contains("DAgger, DART(1)"), "{error}");
}

#[test]
fn format_1_and_unfinished_runs_can_be_compared() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/format-1");
    let (finished, interrupted) = (golden.join("finished"), golden.join("interrupted"));
    let (finished, interrupted) = (finished.to_str().unwrap(), interrupted.to_str().unwrap());
    let lab = Lab::empty();
    let rows = lab.json(&format!("compare {finished} {interrupted}"));
    assert_eq!(rows[0]["table"], "curve");
    assert_eq!(
        (&rows[0]["seeds"], &rows[0]["expert_steps"]),
        (&1.into(), &serde_json::Value::Null)
    );
    assert!(lab.fail(&format!("compare {interrupted}")).contains("--unfinished"));
    lab.run(&format!("compare {interrupted} --unfinished"));
}

#[cfg(unix)]
#[test]
fn several_runs_stop_at_a_safe_point_and_resume() {
    let lab = Lab::empty();
    let long = MANY.replace("--rounds 6", "--rounds 40");
    let begun = || {
        let root = lab.file("many");
        root.is_dir()
            && folders(&root, "-seed-")
                .iter()
                .any(|run| root.join(run).join("rounds.csv").is_file())
    };
    let output = lab.interrupt(&long, "-TERM", begun);
    assert!(stderr(&output).contains("of 6 runs finished"), "{}", stderr(&output));
    assert!(lab.text(&long).contains("DAgger"));
}

#[test]
fn finished_runs_are_printed_again_as_json() {
    let lab = Lab::empty();
    let count = || {
        let lines = lab.json(MANY);
        let tables = lines.iter().filter(|line| line.get("table").is_some()).count();
        (lines.len() - tables, tables)
    };
    let first = count();
    assert!(first.0 == 36 && first.1 >= 2, "6 rounds of 6 runs: {first:?}");
    assert_eq!(count(), first);
}

#[test]
fn unknown_fields_and_values_are_errors() {
    let lab = lab_with_many();
    for (args, words) in [
        ("--panels task,color", "no run has a field \"color\""),
        ("--filter color=red", "no run has a field \"color\""),
        ("--filter algorithm=zz", "no run has algorithm = zz; the values are dagger, dart(1)"),
    ] {
        let error = lab.fail(&format!("compare many {args}"));
        assert!(error.contains(words), "{args}: {error}");
    }
    let alone = lab.text("compare many --panels seed");
    assert!(!alone.contains("for 0 comparisons"), "{alone}");
}

#[test]
fn existing_files_are_not_replaced() {
    let lab = lab_with_many();
    let out = lab.file("mine");
    fs::create_dir(&out).unwrap();
    for file in ["curves.svg", "summary.png", "losses.csv", "ratios.csv"] {
        fs::write(out.join(file), "mine").unwrap();
        let error = lab.fail("compare many --out mine");
        assert!(error.contains(file) && error.contains("--force"), "{error}");
        assert_eq!(fs::read(out.join(file)).unwrap(), b"mine");
        fs::remove_file(out.join(file)).unwrap();
    }
    let run = folders(&lab.file("many"), "-seed-").remove(0);
    let export = format!("export many/{run} --tensorboard curves");
    lab.run(&export);
    assert!(lab.fail(&export).contains("--force"));
    lab.run(&format!("{export} --force"));
}
