//! The targets and their inputs.

use std::cell::OnceCell;
use std::hint::black_box;
use std::path::Path;

use rand::RngExt;
use tutelage::Stream;
use tutelage_compare::{ComparedRun, Comparison, ComparisonSettings, figure};
use tutelage_files::{MemoryBudget, ZipReader, npy, npz};
use tutelage_oracles::mlp::{MlpClassifierPolicy, MlpPolicy};
use tutelage_reproduce::{Experiment, RunList, RunRecord, Selection, TaskResult};
use tutelage_runs::store::{AnyHistory, RoundTimings, decode_log, read_times};
use tutelage_spec::export::Annotations;
use tutelage_spec::spec::RunSpec;
use tutelage_tasks::bullet::Robot;
use tutelage_tasks::experts::{GaussianExpert, Training};
use tutelage_teach::{About, Axis, Classroom, Controls, TeacherStats, TestServer, read_notes};

use crate::Form;
use crate::mutate::mutate;

/// A reader of untrusted input: a file format, or requests from the network.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name; its seeds are the files in `corpus/NAME`.
    pub name: &'static str,
    /// The structure of its files.
    pub form: Form,
    /// Reads an input and discards the result.
    pub read: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 15] = [
    Target { name: "log", form: Form::Log, read: log },
    Target { name: "spec", form: Form::Plain, read: spec },
    Target { name: "experiment", form: Form::Plain, read: experiment },
    Target { name: "record", form: Form::Plain, read: record },
    Target { name: "policy", form: Form::Safetensors, read: policy },
    Target { name: "expert", form: Form::Safetensors, read: expert },
    Target { name: "checkpoint", form: Form::Safetensors, read: checkpoint },
    Target { name: "npy", form: Form::Npy, read: array },
    Target { name: "npz", form: Form::Zip, read: archive },
    Target { name: "sb3", form: Form::Zip, read: agent },
    Target { name: "pickle", form: Form::Plain, read: statistics },
    Target { name: "request", form: Form::Request, read: request },
    Target { name: "times", form: Form::Plain, read: times },
    Target { name: "teacher", form: Form::Plain, read: teacher },
    Target { name: "delivery", form: Form::Zip, read: delivery },
];

/// Selects one in `one_of` inputs for slow checks, by a hash of their bytes.
fn is_chosen(bytes: &[u8], one_of: u32) -> bool {
    crc32c::crc32c(bytes).is_multiple_of(one_of)
}

/// Logs of both formats and all action kinds. Complete logs are exported; some are compared.
fn log(bytes: &[u8]) {
    let histories = [
        decode_log(bytes).map(AnyHistory::Vectors),
        decode_log(bytes).map(AnyHistory::Indices),
        decode_log(bytes).map(AnyHistory::Finite),
    ];
    for history in histories.into_iter().flatten() {
        let _ = black_box((Annotations::of(&history), history.lines(50, &[])));
        if is_chosen(bytes, 8) {
            let expert = history.expert().map(tutelage::evaluation::Evaluation::mean_reward);
            compare(ComparedRun::new("x".into(), history.spec(), history.lines(50, &[]), expert));
        }
    }
}

/// Compares a run with a copy: tables and figures.
fn compare(run: ComparedRun) {
    let mut other = ComparedRun::new("y".into(), "", run.lines.clone(), None);
    other.fields = run.fields.clone();
    let settings = ComparisonSettings { unfinished: true, ..ComparisonSettings::default() };
    if let Ok(comparison) = Comparison::new(vec![run, other], settings) {
        let _ = black_box((comparison.curves(), comparison.aggregates(), comparison.pairs()));
        black_box((figure::curves(&comparison).svg(), figure::losses(&comparison)));
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn spec(bytes: &[u8]) {
    if let Ok(spec) = RunSpec::parse(&text(bytes)) {
        black_box((spec.hash(), spec.folder()));
    }
}

fn experiment(bytes: &[u8]) {
    if let Ok(experiment) = Experiment::parse("fuzz", &text(bytes))
        && is_chosen(bytes, 16)
        && experiment.seeds.len() < 100
    {
        let _ = black_box(RunList::default().plan(&experiment, &Selection::default())).map(drop);
    }
}

fn record(bytes: &[u8]) {
    if let Ok(record) = RunRecord::parse(&text(bytes)) {
        black_box(std::time::Duration::try_from_secs_f64(record.seconds()).is_ok());
        if is_chosen(bytes, 8) {
            compare(record.as_run(Path::new("x")));
        }
    }
}

fn policy(bytes: &[u8]) {
    let _ = black_box((
        MlpPolicy::from_safetensors(bytes),
        MlpClassifierPolicy::from_safetensors(bytes),
    ));
}

fn expert(bytes: &[u8]) {
    let _ = black_box(GaussianExpert::from_safetensors(bytes));
}

fn checkpoint(bytes: &[u8]) {
    let Ok(mut training) = Training::from_checkpoint(bytes) else { return };
    let settings = training.learner().settings();
    // Large settings are slow by design, so skip them.
    let is_quick = settings.batch <= 1000
        && settings.trial_episodes <= 2
        && settings.value.epochs <= 100
        && settings.region.cg_iterations <= 100;
    if is_quick && is_chosen(bytes, 32) {
        let _ = black_box(training.advance());
    }
}

fn array(bytes: &[u8]) {
    let _ = black_box(npy::decode(bytes));
}

fn archive(bytes: &[u8]) {
    let _ = black_box((
        npz::decode(bytes, &mut MemoryBudget::new(1 << 26)),
        GaussianExpert::from_npz(bytes, Robot::Hopper),
    ));
}

fn agent(bytes: &[u8]) {
    let _ = black_box(GaussianExpert::from_stable_baselines3(bytes, None, Robot::Hopper));
}

/// A pickle with normalization statistics, next to a valid agent.
fn statistics(bytes: &[u8]) {
    let agent = include_bytes!("../corpus/sb3/trpo_tanh.zip");
    let _ = black_box(GaussianExpert::from_stable_baselines3(agent, Some(bytes), Robot::Hopper));
}

/// Writes the bytes to a file in a temporary folder and reads that folder.
fn in_folder(file: &str, bytes: &[u8], read: impl FnOnce(&Path)) {
    let Ok(folder) = tempfile::tempdir() else { return };
    if std::fs::write(folder.path().join(file), bytes).is_ok() {
        read(folder.path());
    }
}

fn times(bytes: &[u8]) {
    in_folder("times.jsonl", bytes, |folder| {
        let times = read_times(folder);
        black_box(times.iter().map(RoundTimings::total).sum::<f64>());
    });
}

fn teacher(bytes: &[u8]) {
    in_folder("teacher.jsonl", bytes, |folder| {
        black_box(TeacherStats::of(&read_notes(folder)));
    });
}

/// The result of a remote task: the files of a run and its record.
fn delivery(bytes: &[u8]) {
    let mut budget = MemoryBudget::new(1 << 26);
    let Ok(mut archive) = ZipReader::new(bytes, &mut budget) else { return };
    let names = archive.names();
    let files =
        names.into_iter().filter_map(|name| Some((name.clone(), archive.read(&name).ok()?)));
    let delivery = TaskResult { output: None, files: files.collect() };
    if is_chosen(bytes, 16) {
        in_folder("before", b"", |folder| {
            let _ = black_box(delivery.unpack(&folder.join("run")));
        });
    }
}

/// A request to the teaching page.
fn request(bytes: &[u8]) {
    thread_local! {
        static PAGE: OnceCell<Option<TestServer>> = const { OnceCell::new() };
    }
    PAGE.with(|page| {
        let page = page.get_or_init(|| TestServer::new(Classroom::new(about()).site()).ok());
        black_box(page.as_ref().map(|page| page.answer(bytes)));
    });
}

fn about() -> About {
    let (name, low_label, high_label) = ("push".into(), "left".into(), "right".into());
    let axis = Axis { name, low_label, high_label, low: -1.0, high: 1.0 };
    About {
        task: "cart-pole".into(),
        aim: "balance".into(),
        rounds: 3,
        controls: Controls::Axes(vec![axis]),
        pace: 0.05,
        takes_over: true,
        ..About::default()
    }
}

impl Target {
    /// Returns the seeds, sorted by file name.
    pub fn seeds(&self) -> std::io::Result<Vec<Vec<u8>>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(self.name);
        let entries: Result<Vec<_>, _> = std::fs::read_dir(folder)?.collect();
        let mut paths: Vec<_> = entries?.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().map(|path| tutelage_files::read(path, 1 << 24)).collect()
    }

    /// Returns input `index`: a seed with a few mutations, usually of its parts, with valid checksums.
    pub fn input(&self, seeds: &[Vec<u8>], index: u64) -> Vec<u8> {
        let mut rng = Stream::new(17).fork(self.name, index).rng();
        if seeds.is_empty() {
            return Vec::new();
        }
        let seed = &seeds[rng.random_range(0..seeds.len())];
        let other = &seeds[rng.random_range(0..seeds.len())];
        let form = if rng.random_range(0..8) == 0 { Form::Plain } else { self.form };
        let mut parts = form.parts(seed);
        for _ in 0..1 << rng.random_range(0..4) {
            if parts.is_empty() {
                break;
            }
            let part = rng.random_range(0..parts.len());
            match rng.random_range(0..40) {
                0 if parts.len() > 1 => drop(parts.remove(part)),
                1 => parts.push(parts[part].clone()),
                2 => parts.swap(0, part),
                _ => mutate(&mut parts[part].1, other, &mut rng),
            }
        }
        form.join(&parts)
    }
}
