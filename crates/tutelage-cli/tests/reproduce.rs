//! Custom figures: planned, executed, killed, resumed, drawn.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
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

fn with_figure(figure: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("own.toml"), figure).unwrap();
    dir
}

fn lab() -> tempfile::TempDir {
    with_figure(FIGURE)
}

const RUN: [&str; 6] = ["reproduce", "own.toml", "--profile", "quick", "--seeds", "1-2"];

/// Returns the records of a task by run, without times.
fn records(lab: &Path, task: &str) -> Vec<(String, serde_json::Value)> {
    let text = fs::read_to_string(lab.join(format!("results/{task}.jsonl"))).unwrap();
    let record = |mut record: serde_json::Value| {
        for phase in ["collect_seconds", "train_seconds", "evaluate_seconds"] {
            record.as_object_mut().unwrap().remove(phase);
        }
        (record["run"].as_str().unwrap().to_owned(), record)
    };
    json(&text).into_iter().map(record).collect()
}

fn json(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Counts the runs that have started.
fn logs(lab: &Path) -> usize {
    let folders = fs::read_dir(lab.join("runs/quick")).into_iter().flatten();
    folders.filter(|folder| folder.as_ref().unwrap().path().join("log.bin").is_file()).count()
}

#[test]
fn a_killed_figure_resumes_to_the_same_records() {
    let whole = lab();
    let output = finish(whole.path(), &RUN);
    assert!(stderr(&output).contains("8/8"), "{}", stderr(&output));
    for (file, record) in records(whole.path(), "quick/hopper") {
        assert!(record["trigonometry"].is_string(), "{file:?} names its arithmetic");
    }
    let csv = |lab: &Path| fs::read(lab.join("results/quick/figures/own.csv")).unwrap();
    for extension in ["svg", "png"] {
        let file = format!("results/quick/figures/own.{extension}");
        assert!(whole.path().join(file).is_file());
    }

    let killed = lab();
    for begun in [1, 2, 4, 6] {
        let mut child = tutelage(killed.path(), &RUN).spawn().unwrap();
        while logs(killed.path()) < begun {
            assert!(child.try_wait().unwrap().is_none(), "it ended before run {begun} started");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it was not killed");
    }
    finish(killed.path(), &RUN);
    assert_eq!(records(whole.path(), "quick/hopper"), records(killed.path(), "quick/hopper"));
    assert!(csv(whole.path()) == csv(killed.path()));

    let part = ["--algorithms", "dagger", "--draw-only"];
    let drawn = csv(whole.path());
    finish(whole.path(), &[&RUN[..], &part].concat());
    assert!(csv(whole.path()) == drawn, "the figure shows all finished runs");

    let again = finish(whole.path(), &[&RUN[..], &["--table", "--json"]].concat());
    let rows = json(&stdout(&again));
    let curves: Vec<_> = rows.iter().filter(|row| row["table"] == "curve").collect();
    assert_eq!(curves.len(), 4, "no run is executed again: {rows:?}");
    assert!(curves.iter().all(|row| row["seeds"] == 2 && row["last_five"]["estimate"].is_f64()));
    assert!(rows.iter().any(|row| row["table"] == "pair" && row["against"] == "DAgger"));
}

#[test]
fn figures_need_only_records_and_lost_records_are_remade() {
    let lab = lab();
    finish(lab.path(), &RUN);
    let before = records(lab.path(), "quick/hopper");
    fs::remove_dir_all(lab.path().join("runs")).unwrap();
    fs::remove_dir_all(lab.path().join("results/quick/figures")).unwrap();
    finish(lab.path(), &[&RUN[..], &["--draw-only"]].concat());
    assert!(lab.path().join("results/quick/figures/own.svg").is_file());

    let file = lab.path().join("results/quick/hopper.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    let (lost, kept): (Vec<_>, Vec<_>) =
        text.split_inclusive('\n').partition(|line| line.contains("supervised"));
    fs::write(&file, [kept, lost[1..].to_vec()].concat().concat()).unwrap();
    // The run that provides its data must be executed first, because its folder is missing.
    let output = finish(lab.path(), &RUN);
    assert!(stderr(&output).contains("2/2"), "{}", stderr(&output));
    assert_eq!(before, records(lab.path(), "quick/hopper"));
}

#[test]
fn an_interrupted_timed_run_starts_again() {
    let timed = FIGURE
        .replace("'curves'", "'cost'")
        .replace("'dagger', 'mp-25(7)', 'bd-5', 'supervised on bd-5'", "'bd-25'");
    let lab = with_figure(&timed);
    let run = ["reproduce", "own.toml", "--profile", "quick", "--seeds", "1"];
    let mut child = tutelage(lab.path(), &run).stderr(Stdio::piped()).spawn().unwrap();
    while !lab.path().join("runs/quick").exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert!(stderr(&output).contains("the same command resumes"), "{}", stderr(&output));
    assert!(!lab.path().join("results/quick/hopper.jsonl").exists(), "no timed run was finished");

    finish(lab.path(), &run);
    let [(_, record)] = &records(lab.path(), "quick/hopper")[..] else { panic!("one record") };
    assert!(record["memory"].as_u64().unwrap() > 0);
}

#[test]
fn the_list_counts_runs_and_errors_suggest_names() {
    let lab = lab();
    let list = finish(lab.path(), &["reproduce", "--list", "--json"]);
    let rows = json(&stdout(&list));
    let main = rows.iter().find(|row| row["figure"] == "main").unwrap();
    assert_eq!((main["runs"].as_u64(), main["done"].as_u64()), (Some(540), Some(0)));
    assert!(main["estimate_seconds"].as_f64().unwrap() > 1000.0);

    for (args, words) in [
        (&["mian"][..], "did you mean `main`"),
        (&["main", "--tasks", "hoper"], "hopper"),
        (&["main", "--profile", "fast"], "quick"),
        (&["main", "--draw-only"], "finished"),
        (&["ablation", "--tasks", "walker2d"], "no runs"),
    ] {
        assert!(fail(lab.path(), &[&["reproduce"], args].concat()).contains(words), "{args:?}");
    }
    let dry = finish(lab.path(), &[&RUN[..], &["--dry-run"]].concat());
    assert!(stdout(&dry).contains("8 runs to do"), "{}", stdout(&dry));
    assert!(!lab.path().join("runs").exists());
}

/// A figure of short runs.
const SMALL: &str = "
title = 'Small'
draw = 'curves'
tasks = ['cart-pole']
seeds = '1-2'

[[rows]]
name = 'small'
class = 'mlp:4'
rounds = 3
states_per_round = 5
oracle = { budget = 'iterations=20' }
evaluation = { episodes = 2 }
algorithms = ['dagger', 'supervised on dagger', 'ensemble-dagger-2(0.05,0.2)']
";

fn small() -> tempfile::TempDir {
    with_figure(SMALL)
}

#[test]
fn executing_a_plan_run_by_run_gives_the_same_records() {
    let (whole, one_by_one) = (small(), small());
    finish(whole.path(), &["reproduce", "own.toml"]);
    let plan = json(&stdout(&finish(one_by_one.path(), &["reproduce", "own.toml", "--plan"])));
    assert_eq!(plan.len(), 6);
    let names: Vec<&str> = plan.iter().map(|row| row["run"].as_str().unwrap()).collect();
    let supervised = plan.iter().find(|row| row["algorithm"] == "supervised").unwrap();
    assert_eq!(supervised["needs"], supervised["after"]);
    let first = supervised["after"][0].as_str().unwrap();
    let place = |name: &str| names.iter().position(|other| *other == name).unwrap();
    assert!(place(first) < place(supervised["run"].as_str().unwrap()));

    let one = |name: &str| ["reproduce", "own.toml", "--run", name].map(str::to_owned);
    let early = one(supervised["run"].as_str().unwrap());
    let error = fail(one_by_one.path(), &early.each_ref().map(String::as_str));
    assert!(error.contains("annotations of") && error.contains(first), "{error}");
    for name in &names {
        finish(one_by_one.path(), &one(name).each_ref().map(String::as_str));
    }
    let left = stdout(&finish(one_by_one.path(), &["reproduce", "own.toml", "--plan"]));
    assert_eq!(left, "");
    let again = finish(one_by_one.path(), &one(first).each_ref().map(String::as_str));
    assert!(stderr(&again).contains("is finished"), "{}", stderr(&again));
    // Only the number of threads differs.
    let same = |lab: &Path| -> Vec<_> {
        let mut records = records(lab, "paper/cart-pole");
        for (_, record) in &mut records {
            record.as_object_mut().unwrap().remove("threads");
        }
        records
    };
    assert_eq!(same(whole.path()), same(one_by_one.path()));

    let error = fail(whole.path(), &["reproduce", "--run", "ant-bd-5-seed-1-x"]);
    assert!(error.contains("unknown run `ant-bd-5-seed-1-x`"), "{error}");
}

#[test]
fn algorithms_and_the_profile_can_be_chosen() {
    let lab = small();
    let chosen = "dagger,ensemble-dagger-2(0.05,0.2)";
    let plan = ["reproduce", "own.toml", "--plan", "--algorithms", chosen];
    assert_eq!(stdout(&finish(lab.path(), &plan)).lines().count(), 4);
    let dry = finish(lab.path(), &["reproduce", "own.toml", "--profile", "quick", "--dry-run"]);
    assert!(stdout(&dry).contains("Quick"));
    let plain = finish(lab.path(), &["reproduce", "own.toml", "--dry-run"]);
    assert!(!stdout(&plain).contains("Quick"));
}

#[test]
fn child_processes_and_threads_give_the_same_records() {
    use tutelage_reproduce::{
        Archive, Experiment, FigureRuns, NoObserver, ProcessWorker, RunList, ScheduleOutcome,
        Selection, ThreadWorker, Worker, Workers, execute,
    };
    let dir = tempfile::tempdir().unwrap();
    let experiment = Experiment::parse("own", SMALL).unwrap();
    let mut runs = RunList::default();
    let shown = runs.plan(&experiment, &Selection::default()).unwrap().runs();
    let process = ProcessWorker {
        program: env!("CARGO_BIN_EXE_tutelage").into(),
        arguments: ["work", "--threads", "1"].map(Into::into).to_vec(),
        threads: 1,
    };
    let thread = ThreadWorker(1);
    let both: [(&str, Vec<&dyn Worker>); 2] =
        [("process", vec![&process, &process]), ("thread", vec![&thread])];
    let outcomes = both.map(|(name, shared)| {
        let archive = Archive::new(dir.path().join(name), dir.path().join(name).join("runs"));
        let workers = Workers { shared, exclusive: &thread };
        let outcome =
            execute(&FigureRuns::new(&runs, &archive), &shown, &workers, &NoObserver).unwrap();
        assert_eq!(outcome, ScheduleOutcome::Finished);
        shown.iter().map(|&run| archive.record(&runs[run]).unwrap().unwrap()).collect::<Vec<_>>()
    });
    let [process, thread] = outcomes;
    for (process, thread) in process.iter().zip(&thread) {
        assert!(process.memory.unwrap() > 0);
        assert_eq!((&process.run, &process.reward), (&thread.run, &thread.reward));
        assert_eq!(process.annotations, thread.annotations);
        assert_eq!(process.imitation_loss, thread.imitation_loss);
    }
}

/// Returns the child processes of a process.
fn children(parent: u32) -> Vec<u32> {
    let output = Command::new("ps").args(["-o", "pid=", "--ppid", &parent.to_string()]).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    text.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

#[test]
fn a_timed_run_ends_with_its_parent_and_starts_again() {
    // Long enough to be observed while running.
    let figure = SMALL
        .replace("'curves'", "'cost'")
        .replace("rounds = 3", "rounds = 40")
        .replace("iterations=20", "iterations=20000")
        .replace("seeds = '1-2'", "seeds = '1'")
        .replace("'dagger', 'supervised on dagger', 'ensemble-dagger-2(0.05,0.2)'", "'bd-2'");
    let lab = with_figure(&figure);
    let run = ["reproduce", "own.toml", "--threads", "1"];
    let mut parent = tutelage(lab.path(), &run).stderr(Stdio::null()).spawn().unwrap();
    let log = || -> Option<PathBuf> {
        let run = fs::read_dir(lab.path().join("runs/paper")).ok()?.next()?.ok()?;
        Some(run.path().join("log.bin")).filter(|log| log.is_file())
    };
    while log().is_none() && parent.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let [child] = children(parent.id())[..] else { panic!("one child process") };
    parent.kill().unwrap();
    parent.wait().unwrap();
    let alive = || Path::new(&format!("/proc/{child}")).exists();
    let patience = std::time::Instant::now();
    while alive() {
        assert!(patience.elapsed() < Duration::from_secs(20), "the orphan is still running");
        std::thread::sleep(Duration::from_millis(5));
    }

    // While another process has locked the folder, it is not removed.
    let folder = log().unwrap().parent().unwrap().to_owned();
    let left = fs::read(folder.join("log.bin")).unwrap();
    let held = fs::File::options().append(true).open(folder.join("log.bin")).unwrap();
    held.lock().unwrap();
    let mut parent = tutelage(lab.path(), &run).stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = std::io::BufReader::new(parent.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut notes, &mut line).unwrap();
    assert!(line.contains("waits"), "{line}");
    assert_eq!(fs::read(folder.join("log.bin")).unwrap(), left);
    drop(held);
    while fs::read(folder.join("log.bin")).is_ok_and(|log| log == left) {
        std::thread::sleep(Duration::from_millis(5));
    }
    parent.kill().unwrap();
    parent.wait().unwrap();
}

/// The number of complete committed records of a figure may only grow.
#[test]
fn every_committed_record_still_counts() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let recorded = std::fs::read_to_string(tests.join("golden/records.json")).unwrap();
    let recorded: BTreeMap<String, u64> = serde_json::from_str(&recorded).unwrap();
    let list = json(&stdout(&finish(&tests.join("../../.."), &["reproduce", "--list", "--json"])));
    for (figure, count) in recorded {
        let done = list.iter().find(|line| line["figure"] == *figure).unwrap()["done"].as_u64();
        assert!(done.unwrap() >= count, "{figure}: {done:?} of {count} records");
    }
}
