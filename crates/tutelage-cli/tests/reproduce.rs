//! A figure of one's own from one command: planned, run, killed, continued, drawn.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use support::{fail, finish, stderr, stdout, tutelage};

const FIGURE: &str = "
title = 'Affine policies'
draw = 'curves'
tasks = ['hopper']

[[rows]]
name = 'linear'
class = 'linear'
algorithms = ['dagger', 'mp-25(7)', 'bd-5', 'supervised on bd-5']
";

fn lab() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("own.toml"), FIGURE).unwrap();
    dir
}

const RUN: [&str; 6] = ["reproduce", "own.toml", "--profile", "quick", "--seeds", "1-2"];

/// Every record without its times, which differ from run to run.
fn records(lab: &Path) -> Vec<(PathBuf, serde_json::Value)> {
    let mut files: Vec<PathBuf> = fs::read_dir(lab.join("results/quick/hopper"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let record = |file: &PathBuf| {
        let mut record: serde_json::Value =
            serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        for phase in ["collect_seconds", "train_seconds", "evaluate_seconds"] {
            record.as_object_mut().unwrap().remove(phase);
        }
        (file.strip_prefix(lab).unwrap().to_owned(), record)
    };
    files.iter().map(record).collect()
}

#[test]
fn killed_and_continued_a_figure_comes_out_the_same() {
    let whole = lab();
    let output = finish(whole.path(), &RUN);
    assert!(stderr(&output).contains("8/8"), "{}", stderr(&output));
    for (file, record) in records(whole.path()) {
        assert!(record["trigonometry"].is_string(), "{file:?} says what its bits depend on");
    }
    let csv = |lab: &Path| fs::read(lab.join("results/quick/figures/own.csv")).unwrap();
    for extension in ["svg", "png"] {
        let file = format!("results/quick/figures/own.{extension}");
        assert!(whole.path().join(file).is_file());
    }

    let killed = lab();
    for milliseconds in [60, 150, 300, 500] {
        let mut child = tutelage(killed.path(), &RUN).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    finish(killed.path(), &RUN);
    assert_eq!(records(whole.path()), records(killed.path()));
    assert!(csv(whole.path()) == csv(killed.path()));

    let part = ["--algorithms", "dagger", "--draw-only"];
    let drawn = csv(whole.path());
    finish(whole.path(), &[&RUN[..], &part].concat());
    assert!(csv(whole.path()) == drawn, "a part of the runs does not narrow the figure");

    let again = finish(whole.path(), &[&RUN[..], &["--table", "--json"]].concat());
    let rows: Vec<serde_json::Value> =
        stdout(&again).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 4, "nothing is run again; one object per curve");
    assert!(rows.iter().all(|row| row["runs"] == 2 && row["last"][0].is_f64()));
}

#[test]
fn records_alone_are_enough_to_draw_and_a_lost_record_comes_back() {
    let lab = lab();
    finish(lab.path(), &RUN);
    let before = records(lab.path());
    fs::remove_dir_all(lab.path().join("runs")).unwrap();
    fs::remove_dir_all(lab.path().join("results/quick/figures")).unwrap();
    finish(lab.path(), &[&RUN[..], &["--draw-only"]].concat());
    assert!(lab.path().join("results/quick/figures/own.svg").is_file());

    let lost = before.iter().find(|(path, _)| path.to_string_lossy().contains("supervised"));
    fs::remove_file(lab.path().join(&lost.unwrap().0)).unwrap();
    // The data that it was trained on is gone with the run directories, so that run comes first.
    let output = finish(lab.path(), &RUN);
    assert!(stderr(&output).contains("2/2"), "{}", stderr(&output));
    assert_eq!(before, records(lab.path()));
}

#[test]
fn an_interrupt_ends_a_timed_run_which_begins_anew() {
    let lab = lab();
    let timed = FIGURE
        .replace("'curves'", "'cost'")
        .replace("'dagger', 'mp-25(7)', 'bd-5', 'supervised on bd-5'", "'bd-25'");
    fs::write(lab.path().join("timed.toml"), timed).unwrap();
    let run = ["reproduce", "timed.toml", "--profile", "quick", "--seeds", "1"];
    let mut child = tutelage(lab.path(), &run).stderr(Stdio::piped()).spawn().unwrap();
    while !lab.path().join("runs/quick").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(stderr(&output).contains("the same command goes on"), "{}", stderr(&output));
    assert!(!lab.path().join("results/quick/hopper").exists(), "nothing was timed to its end");

    finish(lab.path(), &run);
    let [(_, record)] = &records(lab.path())[..] else { panic!("one run, one record") };
    assert!(record["memory"].as_u64().unwrap() > 0);
}

#[test]
fn the_list_and_the_errors_say_what_there_is() {
    let lab = lab();
    let list = finish(lab.path(), &["reproduce", "--list", "--json"]);
    let rows: Vec<serde_json::Value> =
        stdout(&list).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let main = rows.iter().find(|row| row["figure"] == "main").unwrap();
    assert_eq!((main["runs"].as_u64(), main["done"].as_u64()), (Some(480), Some(0)));
    assert!(main["estimate_seconds"].as_f64().unwrap() > 1000.0);

    assert!(fail(lab.path(), &["reproduce", "mian"]).contains("did you mean `main`"));
    assert!(fail(lab.path(), &["reproduce", "main", "--tasks", "hoper"]).contains("hopper"));
    assert!(fail(lab.path(), &["reproduce", "main", "--profile", "fast"]).contains("quick"));
    assert!(fail(lab.path(), &["reproduce", "main", "--draw-only"]).contains("finished"));
    assert!(
        fail(lab.path(), &["reproduce", "ablation", "--tasks", "walker2d"]).contains("nothing")
    );
    let dry = finish(lab.path(), &[&RUN[..], &["--dry-run"]].concat());
    assert!(stdout(&dry).contains("8 runs to do"), "{}", stdout(&dry));
    assert!(!lab.path().join("runs").exists());
}
