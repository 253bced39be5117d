//! What a person and a program see of `tutelage learn` and its companions.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use tutelage_experts::GaussianExpert;

use support::{bytes, fail, finish, lab, small_run, small_runs, stderr, stdout, tutelage, words};

#[test]
fn a_run_ends_with_a_table_a_picture_and_what_to_do_next() {
    let lab = lab();
    let output = finish(lab.path(), &small_run("run"));
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
        assert!(lab.path().join("run").join(file).is_file(), "{file}");
    }
    assert!(lab.path().join("run/policies/round-006.safetensors").is_file());
}

#[test]
fn json_has_one_object_per_round() {
    let lab = lab();
    let output = finish(lab.path(), &[&small_run("run")[..], &["--json"]].concat());
    let lines: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
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
    let again = finish(lab.path(), &["resume", "run", "--json"]);
    assert_eq!(stdout(&again).lines().count(), 6, "a finished run shows what it came to");
}

#[test]
fn one_thread_and_two_write_the_same_bytes() {
    for kind in 0..small_runs("").len() {
        let lab = lab();
        for threads in ["1", "2"] {
            let run = &small_runs(threads)[kind];
            finish(lab.path(), &[&words(run)[..], &["--threads", threads]].concat());
        }
        assert!(bytes(&lab.path().join("1")) == bytes(&lab.path().join("2")), "kind {kind}");
    }
}

#[test]
fn a_dry_run_prints_a_spec_that_says_the_same_as_the_flags() {
    let lab = lab();
    let output = finish(lab.path(), &[&small_run("flags")[..], &["--dry-run"]].concat());
    assert!(!lab.path().join("flags").exists());
    fs::write(lab.path().join("spec.toml"), stdout(&output)).unwrap();
    let again = finish(lab.path(), &["learn", "--config", "spec.toml", "--dry-run"]);
    assert_eq!(stdout(&again), stdout(&output));
    finish(lab.path(), &small_run("flags"));
    finish(lab.path(), &["learn", "--config", "spec.toml", "--out", "file"]);
    assert!(bytes(&lab.path().join("flags")) == bytes(&lab.path().join("file")));
}

#[test]
fn wrong_input_is_named() {
    let lab = lab();
    finish(lab.path(), &["expert", "export", "expert.safetensors", "--out", "expert.npz"]);
    for (args, word) in [
        ("learn hoper", "did you mean `hopper`"),
        ("learn", "task is missing"),
        ("learn cart-pole --expert hopper", "taught by its own rule"),
        ("learn hopper --algorithm dart", "as in dart(1)"),
        ("learn hopper --algorithm active-bd-1(4)", "at least 2 members"),
        ("learn hopper --deploy men", "did you mean `mean`"),
        ("learn hopper --states raw", "--states \"raw\""),
        ("evaluate hopper --act member", "has no members"),
        ("salvage nowhere --out x", "nowhere"),
        ("show nowhere", "holds no run"),
        ("learn hopper --algorithm dager", "did you mean `dagger`"),
        ("learn hopper --rounds -1", "1 to 10000"),
        (
            "learn hopper -a hg-dagger(0.2) --sampling independent",
            "--sampling \"independent\": hg-dagger(0.2) asks where the expert drove",
        ),
        ("learn hopper --learning-rate 0", "--learning-rate 0: allowed"),
        ("learn hopper --class mlp:0", "hidden widths"),
        ("learn hopper --expert nobody.safetensors", "nobody.safetensors"),
        ("learn ant --expert expert.safetensors", "ant"),
        ("learn hopper --config nothing.toml", "nothing.toml"),
        ("resume nowhere", "holds no run"),
        ("evaluate nowhere.safetensors", "nowhere.safetensors"),
        ("export nowhere --out x.npz", "holds no run"),
        ("retrain nowhere --algorithm supervised", "holds no run"),
        ("evaluate nowhere.npz", "nowhere.npz\": there is no such file"),
        ("expert evaluate hopper --seed 2", "tutelage evaluate hopper --seed 2"),
        ("evaluate expert.npz", "--task TASK"),
        ("watch expert.npz --out x.gif", "--task TASK"),
        ("watch hopper --out x.mp4", "must end in .gif"),
        ("replay hopper --actions a.npy --out x.txt", "must end in .npz"),
        ("expert import expert.npz --task hopper --out x.npz", "must end in .safetensors"),
        ("expert import expert.npz --task hopper --out expert.safetensors", "--force"),
        ("expert export hopper --out expert.npz", "--force"),
        (
            "expert import expert.npz --vecnormalize x.pkl --task hopper --out x.safetensors",
            "--vecnormalize",
        ),
        ("learn hopper --episodes 0", "--episodes 0: allowed"),
        ("learn hopper --dry-run --expert nobody.safetensors", "--expert \"nobody.safetensors\""),
        ("learn hopper --seeds 3-1", "names no seeds"),
        ("learn hopper --seeds 1-2 --seed 3", "cannot be used with"),
        ("compare nowhere", "nowhere"),
        ("compare . --level 2", "--level is 2"),
        ("compare . --step-cost -1", "--step-cost"),
        ("expert export hopper --out x.zip", "must end in .safetensors or .npz"),
        ("expert train hopper --out x.txt", "must end in .safetensors or .npz"),
        ("expert train hopper --entropy nan", "region.entropy is NaN"),
        ("expert train hopper --stumble 99999999", "stumble is 99999999"),
        ("expert train hopper --gamma 2", "below 1"),
    ] {
        let error = fail(lab.path(), &args.split_whitespace().collect::<Vec<_>>());
        assert!(error.contains(word), "{args}: {error}");
    }
    assert!(!lab.path().join("runs").exists(), "nothing was begun");
}

#[test]
fn another_spec_and_a_second_process_are_refused() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let error = fail(lab.path(), &[&small_run("run")[..], &["--seed", "2"]].concat());
    assert!(error.contains("- seed = 1") && error.contains("+ seed = 2"), "{error}");
    let log = fs::File::open(lab.path().join("run/log.bin")).unwrap();
    log.try_lock().unwrap();
    let error = fail(lab.path(), &["resume", "run"]);
    assert!(error.contains("in use by another process"), "{error}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_at_a_safe_point_and_says_how_to_continue() {
    let lab = lab();
    let long = |out: &'static str| -> Vec<&str> {
        small_run(out).into_iter().map(|word| if word == "6" { "80" } else { word }).collect()
    };
    let mut child = tutelage(lab.path(), &long("run"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let first = lab.path().join("run/policies/round-001.safetensors");
    while !first.is_file() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first round");
        std::thread::sleep(Duration::from_millis(1));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "it was not interrupted");
    assert!(stderr(&output).contains("tutelage resume run"), "{}", stderr(&output));
    assert!(!lab.path().join("run/policies/round-080.safetensors").is_file());
    finish(lab.path(), &["resume", "run"]);
    finish(lab.path(), &long("whole"));
    assert!(bytes(&lab.path().join("run")) == bytes(&lab.path().join("whole")));
}

#[cfg(unix)]
#[test]
fn an_experts_training_stops_at_a_checkpoint_and_says_how_to_continue() {
    let dir = tempfile::tempdir().unwrap();
    let train = "expert train hopper --steps 100000000 --batch 500 --out e.safetensors";
    let mut child = tutelage(dir.path(), &train.split(' ').collect::<Vec<_>>())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !dir.path().join("e.checkpoint").is_file() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first checkpoint");
        std::thread::sleep(Duration::from_millis(1));
    }
    let kill = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    let advice = "tutelage expert train hopper --resume --out e.safetensors";
    assert!(stderr(&output).contains(advice), "{}", stderr(&output));
    let progress = stderr(&output).lines().find(|line| line.ends_with(" left")).unwrap().to_owned();
    assert!(progress.chars().count() <= 80, "{progress}");
}

#[test]
fn a_stored_run_can_be_evaluated_exported_and_trained_on() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    for act in ["mean", "member"] {
        let output =
            finish(lab.path(), &["evaluate", "run", "--episodes", "3", "--act", act, "--json"]);
        let line: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(line["episodes"], 3);
        assert!(line["imitation_loss"].as_f64().unwrap() > 0.0);
    }
    let error = fail(lab.path(), &["evaluate", "run", "--act", "sampled"]);
    assert!(error.contains("is for experts"), "{error}");
    for file in ["annotations.npz", "annotations.parquet"] {
        finish(lab.path(), &["export", "run", "--out", file]);
        assert!(fs::metadata(lab.path().join(file)).unwrap().len() > 100);
    }
    finish(lab.path(), &["export", "run", "--policy", "policy.onnx", "--tensorboard", "curves"]);
    let model = fs::read(lab.path().join("policy.onnx")).unwrap();
    assert!(String::from_utf8_lossy(&model).contains("MatMul"));
    finish(lab.path(), &["export", "run", "--policy", "first.onnx", "--round", "1"]);
    assert_ne!(fs::read(lab.path().join("first.onnx")).unwrap(), model);
    let events = fs::read_dir(lab.path().join("curves")).unwrap().next().unwrap().unwrap().path();
    let events = fs::read(events).unwrap();
    // Six rounds, of the mean and of a random member.
    assert_eq!(String::from_utf8_lossy(&events).matches("eval/mean_reward").count(), 12);
    let error = fail(lab.path(), &["export", "run", "--policy", "policy.pt"]);
    assert!(error.contains("must end in .onnx"), "{error}");
    let error = fail(lab.path(), &["export", "run", "--policy", "x.onnx", "--round", "9"]);
    assert!(error.contains("no policy of round 9"), "{error}");
    let retrain = ["retrain", "run", "--algorithm", "bagging-3", "--out", "bagging", "--json"];
    let output = finish(lab.path(), &retrain);
    assert_eq!(stdout(&output).lines().count(), 6);
    finish(
        lab.path(),
        &["retrain", "run", "--algorithm", "supervised", "--class", "Linear", "--out", "sl"],
    );
    let error = fail(
        lab.path(),
        &["retrain", "run", "--algorithm", "supervised", "--rounds", "9", "--out", "nine"],
    );
    assert!(error.contains("only 6 rounds are annotated"), "{error}");
    assert!(!lab.path().join("nine").exists(), "nothing was begun");
    let error = fail(lab.path(), &["retrain", "sl", "--algorithm", "supervised"]);
    assert!(error.contains("no annotated round"), "{error}");
    let mp = "learn hopper --expert expert.safetensors --algorithm mp-3(4) --d0 dagger:run --class linear --rounds 2 \
              --states-per-round 8 --sampling stride(2) --episodes 2 --out mp";
    finish(lab.path(), &mp.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn a_run_of_indices_is_learned_shown_evaluated_exported_filmed_and_extended() {
    let lab = lab();
    let cart_pole = &small_runs("run")[0];
    finish(lab.path(), &words(cart_pole));
    let shown = stdout(&finish(lab.path(), &["show", "run"]));
    assert!(
        shown.contains("task = \"cart-pole\"") && shown.contains("Finished: 5 rounds, 30"),
        "{shown}"
    );
    let line = stdout(&finish(lab.path(), &["evaluate", "run", "--episodes", "2", "--json"]));
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(line["imitation_loss"].as_f64().unwrap() <= 1.0, "a share of wrong actions: {line}");
    finish(lab.path(), &["export", "run", "--out", "a.npz"]);
    finish(lab.path(), &["export", "run", "--out", "a.parquet"]);
    finish(lab.path(), &["watch", "run", "--out", "run.gif", "--steps", "8", "--width", "120"]);
    assert!(lab.path().join("run.png").is_file());
    finish(lab.path(), &["retrain", "run", "--algorithm", "bagging-2", "--out", "bagging"]);
    // More rounds: the first five stay as they are, and the end is that of a run begun with seven.
    let before = fs::read(lab.path().join("run/policies/round-005.safetensors")).unwrap();
    let rows = stdout(&finish(lab.path(), &["resume", "run", "--rounds", "7", "--json"]));
    assert_eq!(rows.lines().count(), 7);
    let seven: Vec<&str> = cart_pole
        .iter()
        .map(|word| match word.as_str() {
            "5" => "7",
            "run" => "seven",
            word => word,
        })
        .collect();
    finish(lab.path(), &seven);
    let policy = |run: &str, round: &str| {
        fs::read(lab.path().join(run).join(format!("policies/round-00{round}.safetensors")))
            .unwrap()
    };
    assert!(policy("run", "5") == before && policy("run", "7") == policy("seven", "7"));
    let error = fail(lab.path(), &["resume", "run", "--rounds", "3"]);
    assert!(error.contains("fewer than the 7"), "{error}");
    // What was trained on five rounds goes on although there are seven by now.
    finish(lab.path(), &["resume", "bagging"]);
}

#[test]
fn a_folder_goes_on_from_wherever_one_stands() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let retrain = ["retrain", "run", "--algorithm", "supervised", "--out", "elsewhere/sl"];
    finish(lab.path(), &retrain);
    finish(&lab.path().join("elsewhere"), &["resume", "sl"]);
    finish(&lab.path().join("elsewhere"), &["evaluate", "../run", "--episodes", "1"]);
    fs::remove_dir_all(lab.path().join("run")).unwrap();
    finish(lab.path(), &["evaluate", "elsewhere/sl", "--episodes", "1"]);
    finish(lab.path(), &["show", "elsewhere/sl"]);
}

#[test]
fn policies_of_other_tasks_and_damaged_ones_are_refused_with_words() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let runs = small_runs("other");
    finish(lab.path(), &words(&runs[0]));
    let last = |run: &str, round: usize| {
        lab.path().join(run).join(format!("policies/round-{round:03}.safetensors"))
    };
    let sound = fs::read(last("run", 6)).unwrap();
    fs::copy(last("other", 5), last("run", 6)).unwrap();
    for args in [&["evaluate", "run"][..], &["watch", "run", "--out", "x.gif"], &["resume", "run"]]
    {
        let error = fail(lab.path(), args);
        assert!(error.contains("round-006.safetensors"), "{args:?}: {error}");
    }
    let mut flipped = sound.clone();
    flipped[sound.len() / 2] ^= 1;
    fs::write(last("run", 6), flipped).unwrap();
    assert!(fail(lab.path(), &["evaluate", "run"]).contains("damaged or of another run"));
    fs::write(last("run", 6), sound).unwrap();
    finish(lab.path(), &["evaluate", "run", "--episodes", "1"]);
    // Another seed's log in the folder is no log of this run.
    finish(lab.path(), &[&small_run("nine")[..], &["--seed", "9"]].concat());
    fs::copy(lab.path().join("nine/log.bin"), lab.path().join("run/log.bin")).unwrap();
    for args in [
        &["evaluate", "run"][..],
        &["export", "run", "--out", "x.npz"],
        &["retrain", "run", "--algorithm", "supervised"],
        &["show", "run"],
    ] {
        let error = fail(lab.path(), args);
        assert!(
            error.contains("different runs") && error.contains("seed = 9"),
            "{args:?}: {error}"
        );
    }
}

#[test]
fn salvage_makes_a_damaged_run_whole_again() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let expected = bytes(&lab.path().join("run"));
    let log = lab.path().join("run/log.bin");
    let mut damaged = fs::read(&log).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(&log, damaged).unwrap();
    assert!(fail(lab.path(), &["resume", "run"]).contains("is damaged at byte"));
    finish(lab.path(), &["salvage", "run", "--out", "saved"]);
    finish(lab.path(), &["resume", "saved"]);
    assert!(bytes(&lab.path().join("saved")) == expected);
}

#[test]
fn a_torn_end_is_told_by_whoever_reads() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    let log = lab.path().join("run/log.bin");
    let mut bytes = fs::read(&log).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&log, bytes).unwrap();
    let shown = stdout(&finish(lab.path(), &["show", "run"]));
    assert!(shown.contains("bytes that are not a whole record"), "{shown}");
    let policy = ["evaluate", "run", "--episodes", "1", "--round", "4"];
    let export = ["export", "run", "--out", "a.npz"];
    for command in [&policy[..], &export] {
        let words = stderr(&finish(lab.path(), command));
        assert!(words.contains("bytes that are not a whole record"), "{command:?}: {words}");
    }
}

#[test]
fn a_run_is_evaluated_filmed_and_exported_as_it_is_deployed() {
    let lab = lab();
    let run = |out| [&small_run(out)[..], &["--deploy", "member"]].concat();
    finish(lab.path(), &run("run"));
    let reward = |act: &[&str]| {
        let args = [&["evaluate", "run", "--episodes", "3", "--json"], act].concat();
        stdout(&finish(lab.path(), &args))
    };
    let deployed = reward(&[]);
    assert_eq!(deployed, reward(&["--act", "member"]));
    assert_ne!(deployed, reward(&["--act", "mean"]), "the two cannot be told apart");

    let film = |out: &str, act: &[&str]| {
        let args = [&["watch", "run", "--out", out, "--steps", "12"], act].concat();
        finish(lab.path(), &args);
        fs::read(lab.path().join(out)).unwrap()
    };
    let deployed = film("deployed.gif", &[]);
    assert!(deployed == film("member.gif", &["--act", "member"]));
    assert!(deployed != film("mean.gif", &["--act", "mean"]), "the two cannot be told apart");

    let exported = finish(lab.path(), &["export", "run", "--policy", "p.onnx"]);
    assert!(stderr(&exported).contains("draw one of the model's `members`"), "{exported:?}");
    let model = fs::read(lab.path().join("p.onnx")).unwrap();
    let says = |words: &[u8]| model.windows(words.len()).any(|window| window == words);
    assert!(says(b"deploy") && says(b"a random member at every step"));
}

#[test]
fn files_of_somebody_elses_are_not_replaced_by_a_run_that_begins_beside_them() {
    let lab = lab();
    for (file, words) in [
        ("rounds.csv", "log.bin"),
        ("times.jsonl", "log.bin"),
        ("learning-curve.png", "holds no run, but a learning-curve.png"),
    ] {
        let folder = lab.path().join(format!("own-{file}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(file), "mine").unwrap();
        let out = folder.to_str().unwrap();
        let error = fail(lab.path(), &small_run(out));
        assert!(error.contains(words), "{file}: {error}");
        assert_eq!(fs::read(folder.join(file)).unwrap(), b"mine");
    }
    finish(lab.path(), &small_run("run"));
    fs::create_dir(lab.path().join("saved")).unwrap();
    fs::write(lab.path().join("saved/spec.toml"), "mine").unwrap();
    fail(lab.path(), &["salvage", "run", "--out", "saved"]);
    assert_eq!(fs::read(lab.path().join("saved/spec.toml")).unwrap(), b"mine");
}

#[test]
fn a_run_that_returns_a_random_round_is_not_extended() {
    let lab = lab();
    finish(lab.path(), &[&small_run("run")[..], &["--deploy", "random-round"]].concat());
    let error = fail(lab.path(), &["resume", "run", "--rounds", "9"]);
    assert!(error.contains("one of its 6 rounds, which was drawn when it began"), "{error}");
}

#[test]
fn data_that_changed_under_a_run_is_refused() {
    let lab = lab();
    finish(lab.path(), &small_run("run"));
    finish(lab.path(), &["retrain", "run", "--algorithm", "supervised", "--out", "sl"]);
    fs::remove_dir_all(lab.path().join("run")).unwrap();
    finish(lab.path(), &[&small_run("run")[..], &["--seed", "9"]].concat());
    let error = fail(lab.path(), &["resume", "sl"]);
    assert!(error.contains("has changed since the run began"), "{error}");
}

#[test]
fn tasks_and_algorithms_are_listed() {
    let lab = lab();
    let tasks = stdout(&finish(lab.path(), &["tasks", "--json"]));
    assert_eq!(tasks.lines().count(), 9);
    let algorithms = stdout(&finish(lab.path(), &["algorithms"]));
    assert!(
        algorithms.contains("mftpl-p[-E](λ)") && algorithms.contains("retrain"),
        "{algorithms}"
    );
}

#[test]
fn an_expert_earns_the_same_wherever_it_comes_from() {
    let lab = lab();
    finish(lab.path(), &["expert", "export", "expert.safetensors", "--out", "expert.npz"]);
    let lines = |args: &str| -> Vec<serde_json::Value> {
        let args = args.split_whitespace().chain(["--episodes", "3", "--json"]);
        let output = finish(lab.path(), &args.collect::<Vec<_>>());
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let earned = ["mean", "sampled"].map(|act| {
        let [npz, own] = ["expert.npz --task hopper", "expert.safetensors"]
            .map(|expert| lines(&format!("evaluate {expert} --act {act}")));
        assert_eq!(npz, own, "{act}");
        own[0]["reward"].as_f64().unwrap()
    });
    assert_ne!(earned[0], earned[1]);
}

#[test]
fn an_import_says_how_it_was_made() {
    let lab = lab();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../tutelage-experts/tests/data/trpo_tanh");
    let (agent, statistics) = (format!("{data}.zip"), format!("{data}.pkl"));
    let import = ["expert", "import", &agent, "--vecnormalize", &statistics];
    let import = [&import[..], &["--task", "hopper", "--out", "agent.safetensors"]].concat();
    finish(lab.path(), &import);
    let expert = GaussianExpert::read(&lab.path().join("agent.safetensors"), None, None).unwrap();
    let command = expert.card().command.as_deref().unwrap();
    let expected = "import trpo_tanh.zip --vecnormalize trpo_tanh.pkl --task hopper";
    assert!(command.ends_with(expected), "{command}");
    assert!(fail(lab.path(), &import).contains("--force"));
    finish(lab.path(), &[&import[..], &["--force"]].concat());
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let lab = lab();
    for args in [&["tasks"][..], &["algorithms", "--json"], &["learn", "hopper", "--dry-run"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = tutelage(lab.path(), args).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(141), ""), "{args:?}");
    }
}
