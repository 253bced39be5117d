//! Golden runs: every algorithm on every task, and every class and way of collecting on the four robots, in small, bit for bit.
//!
//! The values were recorded by version 0.1; those of affine policies by its last least-squares solver. Committed records and all
//! existing runs depend on them. `TUTELAGE_GOLDEN=write` records them again, `TUTELAGE_BINARY` runs another program.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rayon::prelude::*;
use safetensors::SafeTensors;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tutelage::algorithm::FAMILIES;
use tutelage::choice::ExpertActs;
use tutelage::expert::Driver;
use tutelage::{AlgorithmName, Batch, Expert, ExpertError, Rng};
use tutelage_oracles::mlp::{Ensemble, OutputHead};
use tutelage_runs::{LabelSink, RoundLine, RunError, Silent, Teacher};
use tutelage_spec::spec::RunSpec;
use tutelage_spec::{BoxExpert, LabError, Task, learn_taught};

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

/// The result of a run: rewards and losses of its rounds, and a hash of each policy's tensors.
fn play(folder: &Path, run: &(String, String)) -> (String, Value) {
    let (out, lines) = run_command(folder, run);
    let rounds: Vec<Value> = lines.into_iter().map(round).collect();
    (run.0.clone(), json!({ "rounds": rounds, "policies": policies(&out) }))
}

/// Runs the command; returns the run's folder and the lines that it printed.
fn run_command(folder: &Path, (name, args): &(String, String)) -> (PathBuf, Vec<Value>) {
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
    (out, lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
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
    hex(&hash.finalize())
}

/// The first 16 digits of a hash.
fn hex(hash: &[u8]) -> String {
    hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
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

/// One algorithm of each family that collects by itself. Old names stay, so that they keep working.
const COLLECTING: [&str; 19] = [
    "bc",
    "dagger",
    "bd-3",
    "mp-3(4)",
    "mftpl-p-3(2.5)",
    "growing-mp-3(2)",
    "shuffled-mp-3(4)",
    "dagger-constant(0.5)",
    "dagger-power(0.5)",
    "dagger-linear(2)",
    "bd-power-3(0.5)",
    "dart(1)",
    "ensemble-dagger-3(0.3,0.9)",
    "hg-dagger-3(0.9)",
    "handover-dagger",
    "handover-bd-3",
    "handover-mp-3(4)",
    "windows-bd-3(0.5,0.2,0.1,1,1)",
    "active-bd-3(4)",
];
/// One algorithm of each family that trains on a stored run.
const STORED: [&str; 2] = ["bagging-3", "supervised"];
const TAKE_OVER: &str = "take-over-2";
const TINY: &str = "-c mlp:6 --rounds 3 --states-per-round 6 --sampling stride(5) --episodes 1 --budget iterations=40";
/// Settings that the other runs leave at their defaults.
const SETTINGS: [&str; 5] = [
    "pendulum -a bd-3 --deploy member",
    "drive-5 -a bd-3 --deploy random-round",
    "cart-pole -a dagger --states standardised",
    "drive -a dagger --states standardised --sampling independent",
    "hopper -a dagger --expert hopper:noise=0.3",
];

fn every_algorithm() -> impl Iterator<Item = &'static str> {
    COLLECTING.into_iter().chain(STORED).chain([TAKE_OVER])
}

#[test]
fn every_family_and_task_gives_the_recorded_bits() {
    let folder = tempfile::tempdir().unwrap();
    let mut played: BTreeMap<String, Value> = Task::all()
        .collect::<Vec<_>>()
        .into_par_iter()
        .flat_map(|task| {
            let folder = folder.path().join(task.name());
            std::fs::create_dir(&folder).unwrap();
            play_all(&folder, task)
        })
        .collect();
    played.extend(SETTINGS.map(|settings| {
        play_in_brief(folder.path(), (settings.into(), format!("learn {TINY} {settings}")))
    }));
    compare("families.json", &played);
    for task in Task::names() {
        let families: BTreeSet<&str> = played
            .keys()
            .filter_map(|name| name.strip_prefix(task)?.strip_prefix(' '))
            .filter_map(|algorithm| Some(algorithm.parse::<AlgorithmName>().ok()?.family().key))
            .collect();
        for family in &FAMILIES {
            assert!(families.contains(family.key), "{task} {} has no golden run", family.key);
        }
    }
}

/// Asking about every state is behavioral dissimilarity without selection.
#[test]
fn active_bd_with_factor_1_equals_bd() {
    let folder = tempfile::tempdir().unwrap();
    for task in ["hopper", "grid"] {
        let [bd, active] = ["bd-3", "active-bd-3(1)"].map(|algorithm| {
            let name = format!("{task} {algorithm}");
            play_in_brief(folder.path(), (name, format!("learn {task} -a {algorithm} {TINY}"))).1
        });
        assert_eq!(bd, active, "{task}");
    }
}

/// A run of every family on a task.
fn play_all(folder: &Path, task: Task) -> Vec<(String, Value)> {
    let run = |algorithm: &str| {
        let args = match STORED.contains(&algorithm) {
            true => format!("retrain DAGGER -a {algorithm} -c mlp:6"),
            false => format!("learn {task} -a {algorithm} {TINY}"),
        };
        (format!("{task} {algorithm}"), args)
    };
    let first = format!("learn {task} -a dagger {TINY} --out dagger");
    tutelage(folder, &first.split_whitespace().collect::<Vec<_>>());
    every_algorithm()
        .map(|algorithm| match algorithm {
            TAKE_OVER => (format!("{task} {TAKE_OVER}"), play_take_over(folder, task)),
            _ => play_in_brief(folder, run(algorithm)),
        })
        .collect()
}

/// Like [`play`], with the expert's steps, and one hash for all policies.
fn play_in_brief(folder: &Path, run: (String, String)) -> (String, Value) {
    let (out, lines) = run_command(folder, &run);
    let rounds: Vec<Value> = lines.into_iter().map(brief).collect();
    (run.0, json!({ "rounds": rounds, "policies": all_policies(&out) }))
}

/// The results of a line, the annotations and the expert's steps.
fn brief(line: Value) -> Value {
    let effort = [line["annotations"].clone(), line["expert_steps"].clone()];
    json!([round(line), effort])
}

fn all_policies(run: &Path) -> String {
    let hashes = policies(run);
    assert_eq!(hashes.len(), 4, "the policies before and after three rounds");
    hex(&Sha256::digest(hashes.concat()))
}

/// Plays take-over with a scripted person; no command can drive this family alone.
fn play_take_over(folder: &Path, task: Task) -> Value {
    let out = folder.join("take-over");
    let spec = format!(
        "task = '{task}'\nalgorithm = '{TAKE_OVER}'\nclass = 'mlp:6'\nrounds = 3\nstates_per_round = 6\n\
         sampling = 'stride(2)'\noracle.budget = 'iterations=40'\nevaluation.episodes = 1"
    );
    let spec = RunSpec::parse(&spec).unwrap();
    let rounds = tutelage::dispatch!(task.actions(), A => take_over::<A>(&out, &spec));
    json!({ "rounds": rounds, "policies": all_policies(&out) })
}

fn take_over<A: OutputHead>(out: &Path, spec: &RunSpec) -> Vec<Value> {
    let (_, expert, _) = tutelage_spec::teachers::<A>(spec, out).unwrap();
    let person = |_: &_| Ok::<_, LabError>(Person { expert, steps: 0 });
    let (_, history) =
        learn_taught::<A, _, _>(out, spec, Arc::default(), &mut Silent, person).unwrap();
    let lines = RoundLine::all(&history, spec.states_per_round, &[]);
    lines.iter().map(|line| brief(json!(line))).collect()
}

/// Has the controls in three of five steps, and drives and answers as the task's expert.
struct Person<A> {
    expert: BoxExpert<A>,
    steps: usize,
}

impl<A: OutputHead> Driver<f32, A> for Person<A> {
    fn drive(
        &mut self,
        acts: ExpertActs,
        states: &Batch<f32>,
        rngs: &mut [Rng],
        actions: &mut Batch<A>,
    ) -> Result<(), ExpertError> {
        self.expert.drive(acts, states, rngs, actions)
    }

    fn intervene(
        &mut self,
        states: &Batch<f32>,
        _: &Batch<A>,
        actions: &mut Batch<A>,
    ) -> Result<Vec<bool>, ExpertError> {
        self.expert.mean(states, actions)?;
        self.steps += 1;
        Ok(vec![self.steps % 5 < 3; states.len()])
    }
}

impl<A: OutputHead> Teacher<f32, A, Ensemble<A>> for Person<A> {
    fn teach(&mut self, desk: &mut LabelSink<'_, '_, f32, A, Ensemble<A>>) -> Result<(), RunError> {
        let questions = desk.queries().clone();
        let width = desk.round().unwrap().labels.width();
        let mut actions = Batch::zeros(questions.rows.len(), width);
        self.expert.mean(&questions.states, &mut actions).unwrap();
        desk.label(&questions.rows, &actions).map(|_| ())
    }

    fn driver(&mut self) -> &mut dyn Driver<f32, A> {
        self
    }

    fn expert(&mut self) -> Option<&mut dyn Expert<State = f32, Action = A>> {
        Some(&mut self.expert)
    }
}

/// Compares the results with the recorded ones, as text: parsing may move the last bit of a number.
fn compare(golden: &str, played: &BTreeMap<String, Value>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(golden);
    let lines: Vec<String> =
        played.iter().map(|(name, run)| format!("{}: {run}", json!(name))).collect();
    if std::env::var_os("TUTELAGE_GOLDEN").is_some() {
        std::fs::write(&file, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    let text = std::fs::read_to_string(file).unwrap();
    let recorded: Vec<&str> =
        text.lines().filter(|line| line.len() > 1).map(|line| line.trim_end_matches(',')).collect();
    for (line, recorded) in lines.iter().zip(&recorded) {
        assert_eq!(line, recorded);
    }
    assert_eq!(lines.len(), recorded.len());
}
