//! The command's behavior towards people, shells and full disks.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod support;

use std::fs;
use std::process::{Command, Stdio};

use support::{finish, lab, lab_with_run, small_run, stderr, stdout};

/// The output on a terminal of 80 columns.
fn on_a_terminal(lab: &std::path::Path, line: &str) -> String {
    let words: Vec<String> = line.split_whitespace().map(|word| format!("'{word}'")).collect();
    let typed =
        format!("stty cols 80 rows 24; {} {}", env!("CARGO_BIN_EXE_tutelage"), words.join(" "));
    let output = Command::new("script")
        .args(["-qec", &typed, "/dev/null"])
        .current_dir(lab)
        .stdin(Stdio::null())
        .env("TERM", "xterm")
        .output()
        .expect("the command `script` of util-linux");
    assert!(output.status.success(), "{}", stdout(&output));
    stdout(&output)
}

/// The lines without colors and cursor movements.
fn plain_lines(sent: &str) -> Vec<String> {
    let mut text = String::new();
    let mut rest = sent.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            rest.by_ref().find(|c| c.is_ascii_alphabetic());
        } else {
            text.push(c);
        }
    }
    text.split(['\r', '\n']).map(str::to_owned).filter(|line| !line.trim().is_empty()).collect()
}

#[test]
fn on_a_terminal_every_round_is_shown_once_within_80_columns() {
    let lab = lab();
    let lines = plain_lines(&on_a_terminal(lab.path(), &small_run("run")));
    for round in 1..=6 {
        let shown = lines.iter().filter(|line| line.contains(&format!("round {round}/6 ")));
        assert_eq!(shown.count(), 1, "round {round}: {lines:#?}");
    }
    assert!(!lines.iter().any(|line| line.contains("imitation loss")), "no second table");
    let progress = lines.iter().take_while(|line| !line.starts_with("The policy earns"));
    for line in progress {
        // A line is padded to the terminal's width, and the live line follows it.
        let characters: Vec<char> = line.chars().collect();
        for beyond in characters.chunks(80).skip(1) {
            assert!("█▉░".contains(beyond[0]), "longer than 80 columns: {line}");
        }
    }
}

#[test]
fn quiet_runs_print_results_and_errors_only() {
    let lab = lab();
    let output = lab.run(&small_run("run --quiet"));
    assert_eq!(stderr(&output), "");
    let results = stdout(&output);
    assert!(results.contains("imitation loss"), "{results}");
    for remark in ["Peak memory", "Everything is in", "Next:"] {
        assert!(!results.contains(remark), "{remark}: {results}");
    }
    let error = lab.fail("show nowhere -q");
    assert!(error.contains("no run"), "{error}");
}

#[test]
fn a_closed_pipe_does_not_stop_a_run() {
    let lab = lab();
    lab.run(&small_run("whole"));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = lab.command(&small_run("run --json")).stdout(writer).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(lab.bytes("run") == lab.bytes("whole"));
}

#[test]
fn files_are_overwritten_only_with_force() {
    let lab = lab_with_run();
    for (command, file) in
        [("export run --out", "a.npz"), ("watch run --steps 3 --width 60 --out", "run.gif")]
    {
        let command = format!("{command} {file}");
        lab.run(&command);
        fs::write(lab.file(file), "mine").unwrap();
        assert!(lab.fail(&command).contains("--force"), "{command}");
        assert_eq!(lab.read(file), b"mine");
        lab.run(&format!("{command} --force"));
        assert_ne!(lab.read(file), b"mine");
    }
}

#[test]
fn a_full_disk_leaves_no_leftovers() {
    let lab = lab_with_run();
    let files = || -> Vec<_> {
        let entries = fs::read_dir(lab.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = files();
    let program = env!("CARGO_BIN_EXE_tutelage");
    for args in [
        "export run --out a.npz",
        "watch run --steps 30 --out run.gif",
        "expert export hopper --out e.npz",
    ] {
        // Limit files to one block and ignore the signal, so that writing fails as on a full disk.
        let typed = format!("trap '' XFSZ; ulimit -f 1; exec {program} {args}");
        let output =
            Command::new("sh").args(["-c", &typed]).current_dir(lab.path()).output().unwrap();
        assert!(!output.status.success(), "{args} had room");
        assert_eq!(files(), before, "{args}: {}", stderr(&output));
    }
}

#[test]
fn suggested_commands_work() {
    let lab = lab();
    let run = small_run("DIR");
    let mut words: Vec<&str> = run.split(' ').collect();
    *words.last_mut().unwrap() = "my run (1)";
    let text = stdout(&finish(lab.path(), &words));
    let advice: Vec<String> = text
        .lines()
        .filter_map(|line| line.find("tutelage ").map(|at| line[at..].to_owned()))
        .collect();
    assert_eq!(advice.len(), 3, "{text}");
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_tutelage")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    for command in advice {
        let output = Command::new("sh")
            .args(["-c", &command])
            .env("PATH", &path)
            .current_dir(lab.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {}", stderr(&output));
    }
}

#[test]
fn a_locked_or_read_only_run_can_be_shown() {
    use std::os::unix::fs::PermissionsExt;
    let lab = lab_with_run();
    let log = fs::File::open(lab.file("run/log.bin")).unwrap();
    log.try_lock().unwrap();
    let shown = lab.text("show run");
    let writer = format!("process {} is writing to it", std::process::id());
    assert!(shown.contains(&writer), "{shown}");
    drop(log);
    let before = lab.bytes("run");
    fs::set_permissions(lab.file("run"), fs::Permissions::from_mode(0o555)).unwrap();
    let shown = lab.text("show run");
    fs::set_permissions(lab.file("run"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(shown.contains("Finished: 6 rounds") && !shown.contains("writing"), "{shown}");
    assert!(lab.bytes("run") == before);
}

#[test]
fn huge_text_files_are_refused() {
    let lab = lab_with_run();
    let grow = |file: &str| {
        let file = fs::OpenOptions::new().create(true).append(true).open(lab.file(file));
        file.unwrap().set_len(8 << 30).unwrap(); // a sparse file
    };
    ["run/spec.toml", "own.toml", "report.md"].into_iter().for_each(grow);
    for args in [
        "show run",
        "learn --config own.toml",
        "reproduce own.toml",
        "reproduce --report report.md",
    ] {
        let words = lab.fail(args);
        assert!(words.contains("16777216 bytes"), "{words}");
    }
}

#[test]
fn a_pipe_instead_of_a_file_is_refused() {
    let lab = lab_with_run();
    fs::remove_file(lab.file("run/spec.toml")).unwrap();
    for pipe in ["run/spec.toml", "own.toml", "own.npy"] {
        let made = std::process::Command::new("mkfifo").arg(lab.file(pipe)).status();
        assert!(made.unwrap().success());
    }
    for args in [
        "show run",
        "learn --config own.toml",
        "reproduce own.toml",
        "replay hopper --actions own.npy --out out.npz",
    ] {
        let words = lab.fail(args);
        assert!(words.contains("not a regular file"), "{words}");
    }
}

#[test]
fn huge_arrays_are_refused() {
    let lab = lab();
    let count = 40_000_000;
    let header =
        format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, 4), }}\n", count / 4);
    let mut bytes = [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..]].concat();
    bytes.extend(header.bytes());
    let path = lab.file("long.npy");
    fs::write(&path, &bytes).unwrap();
    let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.set_len(bytes.len() as u64 + count).unwrap(); // a sparse file
    let words = lab.fail("replay hopper --actions long.npy --out out.npz");
    assert!(words.contains("268435456 bytes"), "{words}");
}

#[test]
fn long_names_in_specs_are_shortened() {
    let lab = lab_with_run();
    let name = "x".repeat(70_000);
    let record = format!(
        r#"{{"format":1,"run":"r","spec_hash":"","spec":"task = \"t\"\nalgorithm = \"{name}\"\nseed = 1\n","expert":"","expert_reward":null,"threads":1,"memory":null,"annotations":[5],"reward":[1],"reward_sd":[0],"reward_random":null,"imitation_loss":null,"collect_seconds":[0],"train_seconds":[0],"evaluate_seconds":[0]}}"#
    );
    fs::write(lab.file("record.json"), record).unwrap();
    let shown = lab.text("compare run record.json");
    assert!(shown.contains("xxxxx…"), "{}", shown.len());
    assert!(shown.lines().all(|line| line.chars().count() < 10_000));
}

#[test]
fn completions_man_pages_and_the_version_are_printed() {
    let lab = lab();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = lab.text(&format!("completions {shell}"));
        assert!(script.contains("compare"), "{shell}");
    }
    lab.run("man pages");
    let page = fs::read_to_string(lab.file("pages/tutelage-compare.1")).unwrap();
    assert!(page.contains("baseline"), "{page}");
    assert!(lab.fail("man pages").contains("--force"), "nothing is overwritten silently");
    lab.run("man pages --force");
    let version = lab.text("--version");
    assert!(version.starts_with(concat!("tutelage ", env!("CARGO_PKG_VERSION"))), "{version}");
}

/// Command lines with wrong usage, and a part of the message.
const WRONG_USAGE: &[(&str, &str)] = &[
    ("", "Usage"),
    ("lern", "learn"),
    ("learn", "task"),
    ("learn hoper", "hopper"),
    ("learn cart-pole --expert hopper", "hopper"),
    ("learn hopper --algorithm dart", "dart(1)"),
    ("learn hopper --algorithm dager", "dagger"),
    ("learn hopper --algorithm active-bd-1(4)", "2 members"),
    ("learn hopper -a hg-dagger(0.2) --sampling independent", "independent"),
    ("learn hopper --deploy men", "mean"),
    ("learn hopper --rounds -1", "-1"),
    ("learn hopper --learning-rate 0", "--learning-rate"),
    ("learn hopper --class mlp:0", "widths"),
    ("learn hopper --episodes 0", "--episodes"),
    ("learn hopper --seeds 3-1", "3-1"),
    ("learn hopper --seeds 1-2 --seed 3", "--seed"),
    ("resume run --rounds 3", "--rounds 3"),
    ("evaluate hopper --act member", "--act member"),
    ("evaluate run --act sampled", "--act sampled"),
    ("evaluate run --task hopper", "--task"),
    ("evaluate run --noise 0.1", "--noise"),
    ("evaluate hopper --noise -1", "--noise"),
    ("evaluate pendulum --noise 1", "--noise"),
    ("evaluate hopper --round 1", "--round"),
    ("export run --out a.parquet", ".npz"),
    ("export run --policy a.pt", ".onnx"),
    ("watch hopper --out x.mp4", ".gif"),
    ("replay hopper --actions a.npy --out x.txt", ".npz"),
    ("expert import expert.npz --task hopper --out x.npz", ".safetensors"),
    ("expert export hopper --out x.zip", ".npz"),
    ("expert train hopper --out x.txt", ".npz"),
];

/// Correct command lines that fail, and a part of the message.
const FAILURES: &[(&str, &str)] = &[
    ("show nowhere", "no run"),
    ("resume nowhere", "no run"),
    ("export nowhere --out x.npz", "no run"),
    ("retrain nowhere --algorithm supervised", "no run"),
    ("salvage nowhere --out x", "nowhere"),
    ("compare nowhere", "nowhere"),
    ("evaluate nowhere.safetensors", "nowhere.safetensors"),
    ("learn hopper --config nothing.toml", "nothing.toml"),
    ("replay hopper --actions a.npy --out x.npz", "a.npy"),
    ("export run --policy x.onnx --round 9", "round 9"),
    ("expert export hopper --out expert.safetensors", "--force"),
];

#[test]
fn wrong_usage_exits_with_2_and_failures_with_1() {
    let lab = lab_with_run();
    let usage = WRONG_USAGE.iter().map(|(line, part)| (2, line, part));
    let failures = FAILURES.iter().map(|(line, part)| (1, line, part));
    let mut wrong = vec![];
    for (code, line, part) in usage.chain(failures) {
        let output = lab.command(line).output().unwrap();
        let error = stderr(&output);
        if output.status.code() != Some(code) || !error.contains(part) {
            wrong.push(format!("{line}: {:?}, {error}", output.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!lab.file("runs").exists(), "nothing was written");
}
