//! What a person and a program see of `tutelage learn` and its companions.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use tutelage_tasks::experts::GaussianExpert;

use support::{Lab, lab, lab_with_run, small_run, small_runs, stderr, stdout};

#[test]
fn a_run_ends_with_a_table_a_picture_and_what_to_do_next() {
    let lab = lab();
    let output = lab.run(&small_run("run"));
    let text = stdout(&output);
    for word in
        ["round", "annotations", "imitation loss", "of the expert's", "tutelage evaluate run"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(stderr(&output).contains("round 6/6"), "{}", stderr(&output));
    for file in [
        "spec.toml",
        "log.bin",
        "learning-curve.svg",
        "learning-curve.png",
        "times.jsonl",
        "rounds.csv",
    ] {
        assert!(lab.file("run").join(file).is_file(), "{file}");
    }
    assert!(lab.file("run/policies/round-006.safetensors").is_file());
}

#[test]
fn json_has_one_object_per_round() {
    let lab = lab();
    let lines = lab.json(&small_run("run"));
    assert_eq!(lines.len(), 6);
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["round"], index + 1);
        assert_eq!((&line["task"], &line["algorithm"]), (&"hopper".into(), &"bd-2".into()));
        assert_eq!((&line["class"], &line["seed"]), (&"mlp:8".into(), &1.into()));
        assert_eq!((&line["folder"], &line["expert_steps"]), (&"run".into(), &0.into()));
        assert!(line["expert_reward"].is_f64(), "{line}");
        assert_eq!(line["annotations"], 8 * (index + 1));
        for key in ["reward", "reward_sd", "reward_random", "imitation_loss", "seconds"] {
            assert!(line[key].is_f64(), "{key}: {line}");
        }
    }
    assert_eq!(lab.json("resume run").len(), 6, "a finished run shows its rounds");
}

#[test]
fn one_thread_and_two_write_the_same_bytes() {
    for kind in 0..small_runs("").len() {
        let lab = lab();
        for threads in ["1", "2"] {
            lab.run(&format!("{} --threads {threads}", small_runs(threads)[kind]));
        }
        assert!(lab.bytes("1") == lab.bytes("2"), "kind {kind}");
    }
}

#[test]
fn a_dry_run_prints_a_spec_that_says_the_same_as_the_flags() {
    let lab = lab();
    let spec = lab.text(&small_run("flags --dry-run"));
    assert!(!lab.file("flags").exists());
    fs::write(lab.file("spec.toml"), &spec).unwrap();
    assert_eq!(lab.text("learn --config spec.toml --dry-run"), spec);
    lab.run(&small_run("flags"));
    lab.run("learn --config spec.toml --out file");
    assert!(lab.bytes("flags") == lab.bytes("file"));
}

#[test]
fn wrong_input_is_named() {
    let lab = lab();
    lab.run("expert export expert.safetensors --out expert.npz");
    for (args, word) in [
        ("learn ant --expert expert.safetensors", "ant"),
        ("learn hopper --expert nobody.safetensors", "nobody.safetensors"),
        ("learn hopper --states raw", "raw"),
        ("evaluate expert.npz", "--task"),
        ("watch expert.npz --out x.gif", "--task"),
        ("expert evaluate hopper --seed 2", "tutelage evaluate hopper --seed 2"),
        (
            "expert import expert.npz --vecnormalize x.pkl --task hopper --out x.safetensors",
            "--vecnormalize",
        ),
        ("compare . --level 2", "2"),
        ("compare . --step-cost -1", "-1"),
        ("expert train hopper --entropy nan", "NaN"),
        ("expert train hopper --stumble 99999999", "99999999"),
        ("expert train hopper --gamma 2", "2"),
    ] {
        let error = lab.fail(args);
        assert!(error.contains(word), "{args}: {error}");
    }
    assert!(!lab.file("runs").exists(), "nothing was written");
}

#[test]
fn another_spec_and_a_second_process_are_refused() {
    let lab = lab_with_run();
    let error = lab.fail(&small_run("run --seed 2"));
    assert!(error.contains("- seed = 1") && error.contains("+ seed = 2"), "{error}");
    assert!(error.starts_with("error: "), "nothing is printed before the checks: {error}");
    let log = fs::File::open(lab.file("run/log.bin")).unwrap();
    log.try_lock().unwrap();
    let error = lab.fail("resume run");
    assert!(error.contains("in use by another process"), "{error}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_a_safe_point_and_says_how_to_continue() {
    let lab = lab();
    let long = |out| small_run(out).replace("--rounds 6", "--rounds 80");
    let first = lab.file("run/policies/round-001.safetensors");
    let output = lab.interrupt(&long("run"), "-INT", || first.is_file());
    assert!(stderr(&output).contains("tutelage resume run"), "{}", stderr(&output));
    assert!(!lab.file("run/policies/round-080.safetensors").is_file());
    lab.run("resume run");
    lab.run(&long("whole"));
    assert!(lab.bytes("run") == lab.bytes("whole"));
}

#[cfg(unix)]
#[test]
fn an_experts_training_stops_at_a_checkpoint_and_says_how_to_continue() {
    let lab = Lab::empty();
    let train = "expert train hopper --steps 100000000 --batch 500 --out e.safetensors";
    let output = lab.interrupt(train, "-TERM", || lab.file("e.checkpoint").is_file());
    let advice = "tutelage expert train hopper --resume --out e.safetensors";
    assert!(stderr(&output).contains(advice), "{}", stderr(&output));
    let progress = stderr(&output).lines().find(|line| line.ends_with(" left")).unwrap().to_owned();
    assert!(progress.chars().count() <= 80, "{progress}");
}

#[test]
fn files_of_somebody_elses_are_not_replaced_by_a_run_that_begins_beside_them() {
    let lab = lab();
    for (file, words) in [
        ("rounds.csv", "log.bin"),
        ("times.jsonl", "log.bin"),
        ("learning-curve.png", "learning-curve.png"),
    ] {
        let (folder, path) = (format!("own-{file}"), format!("own-{file}/{file}"));
        fs::create_dir(lab.file(&folder)).unwrap();
        fs::write(lab.file(&path), "mine").unwrap();
        let error = lab.fail(&small_run(&folder));
        assert!(error.contains(words), "{file}: {error}");
        assert_eq!(lab.read(&path), b"mine");
    }
    lab.run(&small_run("run"));
    fs::create_dir(lab.file("saved")).unwrap();
    fs::write(lab.file("saved/spec.toml"), "mine").unwrap();
    lab.fail("salvage run --out saved");
    assert_eq!(lab.read("saved/spec.toml"), b"mine");
}

#[test]
fn data_that_changed_under_a_run_is_refused() {
    let lab = lab_with_run();
    lab.run("retrain run --algorithm supervised --out sl");
    fs::remove_dir_all(lab.file("run")).unwrap();
    lab.run(&small_run("run --seed 9"));
    let error = lab.fail("resume sl");
    assert!(error.contains("has changed"), "{error}");
}

#[test]
fn tasks_and_algorithms_are_listed() {
    let lab = lab();
    assert_eq!(lab.json("tasks").len(), 9);
    let algorithms = lab.text("algorithms");
    assert!(
        algorithms.contains("mftpl-p[-E](λ)") && algorithms.contains("retrain"),
        "{algorithms}"
    );
}

#[test]
fn an_expert_earns_the_same_wherever_it_comes_from() {
    let lab = lab();
    lab.run("expert export expert.safetensors --out expert.npz");
    let earned = ["mean", "sampled"].map(|act| {
        let [npz, own] = ["expert.npz --task hopper", "expert.safetensors"]
            .map(|expert| lab.json(&format!("evaluate {expert} --act {act} --episodes 3")));
        assert_eq!(npz, own, "{act}");
        own[0]["reward"].as_f64().unwrap()
    });
    assert_ne!(earned[0], earned[1]);
}

#[test]
fn an_import_says_how_it_was_made() {
    let lab = lab();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../tutelage-tasks/tests/data/trpo_tanh");
    let import = format!(
        "expert import {data}.zip --vecnormalize {data}.pkl --task hopper --out agent.safetensors"
    );
    lab.run(&import);
    let expert = GaussianExpert::read(&lab.file("agent.safetensors"), None, None).unwrap();
    let command = expert.card().command.as_deref().unwrap();
    let expected = "import trpo_tanh.zip --vecnormalize trpo_tanh.pkl --task hopper";
    assert!(command.ends_with(expected), "{command}");
    assert!(lab.fail(&import).contains("--force"));
    lab.run(&format!("{import} --force"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let lab = lab();
    for args in ["tasks", "algorithms --json", "learn hopper --dry-run"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = lab.command(args).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(141), ""), "{args:?}");
    }
}
