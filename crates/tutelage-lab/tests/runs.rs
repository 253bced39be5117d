//! Durable runs: the same bytes whatever happens on the way.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use testbed::{Damper, Gradient, LinearEnsemble, lanes, plan};
use tutelage::{Algorithm, Setting, bootstrap_dagger, mftpl_p};
use tutelage_lab::store::{Disk, Given, OsDisk, RunDir, StoreError, read_history};
use tutelage_lab::{Ending, Job, Keep, Reporter, RunError, Silent, load_policy, run};

const SPEC: &str = "task = \"point mass\"\nseed = 1\n";

/// One attempt at the whole run; says what the expert was asked.
fn attempt(
    dir: &Path,
    disk: Arc<dyn Disk>,
    algorithm: &Algorithm<f32, f32>,
    keep: Keep,
    reporter: &mut dyn Reporter,
) -> (Result<Ending, RunError>, Vec<Vec<f32>>) {
    let (mut lanes, mut expert) = (lanes(), Damper::new(4));
    let result = RunDir::open(dir, SPEC, disk).map_err(RunError::from).and_then(|mut run_dir| {
        let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Gradient };
        let job = Job { algorithm, plan: plan(1), episodes: 5, keep };
        run(setting, &job, &mut run_dir, reporter)
    });
    (result, expert.asked)
}

fn whole(dir: &Path, algorithm: &Algorithm<f32, f32>, keep: Keep) {
    let (ending, _) = attempt(dir, Arc::new(OsDisk), algorithm, keep, &mut Silent);
    assert_eq!(ending.unwrap(), Ending::Finished);
}

/// The log and all policies.
fn bytes(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = vec![dir.join("log.bin")];
    files.extend(fs::read_dir(dir.join("policies")).unwrap().map(|entry| entry.unwrap().path()));
    files.sort();
    let name = |file: &Path| file.strip_prefix(dir).unwrap().to_owned();
    files.iter().map(|file| (name(file), fs::read(file).unwrap())).collect()
}

#[test]
fn a_run_learns_and_its_log_says_everything() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &bootstrap_dagger(3), Keep::All);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    assert_eq!((history.rounds.len(), history.results.len(), history.annotations()), (4, 4, 24));
    assert_eq!(history.data(4).unwrap().len(), 24);
    let expert = history.expert.unwrap().mean_reward();
    let last = &history.results[3];
    assert!(last.mean.mean_reward() > 0.9 * expert, "{} of {expert}", last.mean.mean_reward());
    assert!(last.mean.imitation_loss().unwrap() < 0.05);
    assert!(last.random.is_some());
    let policy: LinearEnsemble =
        load_policy(&dir.path().join("policies/round-004.safetensors")).unwrap();
    assert_eq!(policy.0.len(), 3);
}

#[test]
fn one_thread_and_several_write_the_same_bytes() {
    let [one, several] = [1, 4].map(|threads| {
        let dir = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| whole(dir.path(), &bootstrap_dagger(3), Keep::All));
        bytes(dir.path())
    });
    assert_eq!(one, several);
}

/// Wants to stop at the `n`-th opportunity.
struct StopAt(usize);

impl Reporter for StopAt {
    fn wants_stop(&mut self) -> bool {
        self.0 = self.0.wrapping_sub(1);
        self.0 == usize::MAX
    }
}

#[test]
fn stopping_at_every_safe_point_and_going_on_changes_nothing() {
    let reference = tempfile::tempdir().unwrap();
    whole(reference.path(), &bootstrap_dagger(3), Keep::All);
    let dir = tempfile::tempdir().unwrap();
    let mut asked = Vec::new();
    for attempts in 1.. {
        // One more safe point each time, so that every attempt makes headway.
        let (ending, states) = attempt(
            dir.path(),
            Arc::new(OsDisk),
            &bootstrap_dagger(3),
            Keep::All,
            &mut StopAt(attempts % 3),
        );
        asked.extend(states);
        if ending.unwrap() == Ending::Finished {
            assert!(attempts > 5, "the run was not interrupted");
            break;
        }
    }
    assert_eq!(bytes(dir.path()), bytes(reference.path()));
    assert_eq!(asked.len(), 24, "no state was annotated twice");
}

/// A disk on which operation `fails_at` fails in a way of its own, and so does everything after it.
struct FailingDisk {
    operations: AtomicUsize,
    fails_at: usize,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Half of the bytes arrive.
    ShortWrite,
    /// All bytes arrive, but whether they stay is not known.
    FailedSync,
    /// No byte arrives.
    FullDisk,
    /// The process would have died here: half of the bytes arrive and nobody tidies up.
    Crash,
}

impl FailingDisk {
    fn new(fails_at: usize, fault: Fault) -> Self {
        Self { operations: AtomicUsize::new(0), fails_at, fault }
    }

    /// Does the operation, or the part of it that still happens.
    fn operate(
        &self,
        whole: impl FnOnce() -> io::Result<()>,
        half: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        match self.operations.fetch_add(1, Ordering::SeqCst) {
            n if n < self.fails_at => whole(),
            n if n == self.fails_at => {
                match self.fault {
                    Fault::ShortWrite | Fault::Crash => half()?,
                    Fault::FailedSync => whole()?,
                    Fault::FullDisk => {}
                }
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            _ if self.fault == Fault::Crash => Err(io::Error::other("the process is dead")),
            _ => whole(),
        }
    }
}

impl Disk for FailingDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.operate(|| OsDisk.create_dir(path), || Ok(()))
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.operate(
            || OsDisk.append(path, bytes),
            || OsDisk.append(path, &bytes[..bytes.len() / 2]),
        )
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        self.operate(|| OsDisk.truncate(path, length), || Ok(()))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // What is left of half a replacement is the partial file that OsDisk writes before it renames it.
        let part = PathBuf::from(format!("{}.part", path.display()));
        self.operate(|| OsDisk.replace(path, bytes), || fs::write(part, &bytes[..bytes.len() / 2]))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.operate(|| OsDisk.remove(path), || Ok(()))
    }
}

/// Fails at every operation of a run in turn and goes on after each.
fn survives(fault: Fault, algorithm: &Algorithm<f32, f32>, keep: Keep) {
    let reference = tempfile::tempdir().unwrap();
    whole(reference.path(), algorithm, keep);
    for fails_at in 0.. {
        let dir = tempfile::tempdir().unwrap();
        let disk = Arc::new(FailingDisk::new(fails_at, fault));
        let (ending, _) = attempt(dir.path(), disk, algorithm, keep, &mut Silent);
        let failed = ending.is_err();
        whole(dir.path(), algorithm, keep);
        assert_eq!(bytes(dir.path()), bytes(reference.path()), "{fault:?} at operation {fails_at}");
        if !failed {
            assert!(fails_at > 15, "a run has more than {fails_at} operations");
            return;
        }
    }
}

#[test]
fn a_short_write_at_any_moment_is_survived() {
    survives(Fault::ShortWrite, &bootstrap_dagger(2), Keep::All);
}

#[test]
fn a_failed_sync_at_any_moment_is_survived() {
    survives(Fault::FailedSync, &bootstrap_dagger(2), Keep::All);
}

#[test]
fn a_full_disk_at_any_moment_is_survived() {
    survives(Fault::FullDisk, &bootstrap_dagger(2), Keep::Last);
}

#[test]
fn a_crash_at_any_moment_is_survived() {
    survives(Fault::Crash, &bootstrap_dagger(2), Keep::All);
    survives(Fault::Crash, &bootstrap_dagger(2), Keep::Last);
}

#[test]
fn a_random_round_is_kept_and_a_missing_one_stops_nobody() {
    let cover = Arc::new(tutelage::UniformBox::new(-1.0, 1.0).unwrap());
    let algorithm = mftpl_p(2, 3.0, cover);
    survives(Fault::Crash, &algorithm, Keep::Last);
    let [all, last] = [Keep::All, Keep::Last].map(|keep| {
        let dir = tempfile::tempdir().unwrap();
        whole(dir.path(), &algorithm, keep);
        dir
    });
    // π_n̂ was trained after round n̂ - 1.
    let random = algorithm.random_round(&plan(1)).unwrap() - 1;
    let file = |round: usize| PathBuf::from(format!("policies/round-{round:03}.safetensors"));
    let mut kept = bytes(all.path());
    assert_eq!(kept.len(), 6, "the log and the policies of rounds 0 to 4");
    kept.retain(|(name, _)| {
        !name.starts_with("policies") || [file(random), file(4)].contains(name)
    });
    assert_eq!(bytes(last.path()), kept, "the policy of the random round and the last");
    fs::remove_file(last.path().join(file(random))).unwrap();
    whole(last.path(), &algorithm, Keep::Last);
}

#[test]
fn a_full_disk_is_named_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(FailingDisk::new(6, Fault::FullDisk));
    let (ending, _) = attempt(dir.path(), disk, &bootstrap_dagger(2), Keep::All, &mut Silent);
    let error = ending.unwrap_err().to_string();
    assert!(error.contains("log.bin") || error.contains("policies"), "{error}");
}

#[test]
fn a_log_cut_at_any_byte_is_continued_to_the_same_bytes() {
    let reference = tempfile::tempdir().unwrap();
    whole(reference.path(), &bootstrap_dagger(1), Keep::All);
    let log = fs::read(reference.path().join("log.bin")).unwrap();
    // Before the first record's end there is no spec, and so no run.
    let first_record_end = 12 + 12 + 1 + SPEC.len();
    for length in (first_record_end..log.len()).step_by(37) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("policies")).unwrap();
        fs::write(dir.path().join("spec.toml"), SPEC).unwrap();
        fs::write(dir.path().join("log.bin"), &log[..length]).unwrap();
        whole(dir.path(), &bootstrap_dagger(1), Keep::All);
        let (continued, expected) = (bytes(dir.path()), bytes(reference.path()));
        assert_eq!(continued[0], expected[0], "log cut at {length}");
        let last = |files: &[(PathBuf, Vec<u8>)]| files.last().unwrap().clone();
        assert_eq!(last(&continued), last(&expected), "log cut at {length}");
    }
}

fn open(dir: &Path, spec: &str) -> Result<RunDir<f32, f32>, StoreError> {
    RunDir::open(dir, spec, Arc::new(OsDisk))
}

#[test]
fn a_damaged_log_is_refused_with_its_place_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &bootstrap_dagger(1), Keep::All);
    let log = dir.path().join("log.bin");
    let sound = fs::read(&log).unwrap();
    for at in [20, sound.len() / 3, sound.len() / 2] {
        let mut damaged = sound.clone();
        damaged[at] ^= 1;
        fs::write(&log, &damaged).unwrap();
        let error = open(dir.path(), SPEC).err().unwrap();
        assert!(
            matches!(&error, StoreError::Damaged { path, offset, .. } if *path == log && *offset <= at),
            "{error}"
        );
        assert_eq!(fs::read(&log).unwrap(), damaged);
    }
}

#[test]
fn another_spec_is_refused_with_the_difference() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &bootstrap_dagger(1), Keep::All);
    let error = open(dir.path(), &SPEC.replace('1', "2")).err().unwrap().to_string();
    assert!(error.contains("- seed = 1") && error.contains("+ seed = 2"), "{error}");
    assert!(!error.contains("point mass"), "{error}");
    fs::write(dir.path().join("spec.toml"), SPEC.replace('1', "3")).unwrap();
    let error = open(dir.path(), SPEC).err().unwrap().to_string();
    assert!(error.contains("- seed = 3"), "an edited spec.toml: {error}");
}

#[test]
fn a_folder_with_another_spec_but_no_log_stays_that_specs() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("spec.toml"), SPEC).unwrap();
    let error = open(dir.path(), &SPEC.replace('1', "2")).err().unwrap();
    assert!(matches!(error, StoreError::Spec { .. }), "{error}");
    assert!(!dir.path().join("log.bin").exists());
    open(dir.path(), SPEC).unwrap();
    fs::remove_file(dir.path().join("spec.toml")).unwrap();
    fs::create_dir(dir.path().join("spec.toml")).unwrap();
    let error = open(dir.path(), SPEC).err().unwrap();
    assert!(matches!(error, StoreError::Io { what: "read", .. }), "{error}");
}

/// A disk on which the first write and the first cut fail, half-way.
#[derive(Default)]
struct HiccupingDisk {
    failed: [AtomicBool; 2],
}

impl Disk for HiccupingDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        OsDisk.create_dir(path)
    }

    fn append(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if self.failed[0].swap(true, Ordering::SeqCst) {
            return OsDisk.append(path, bytes);
        }
        OsDisk.append(path, &bytes[..bytes.len() / 2])?;
        Err(io::ErrorKind::StorageFull.into())
    }

    fn truncate(&self, path: &Path, length: u64) -> io::Result<()> {
        if self.failed[1].swap(true, Ordering::SeqCst) {
            return OsDisk.truncate(path, length);
        }
        Err(io::ErrorKind::StorageFull.into())
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        OsDisk.replace(path, bytes)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove(path)
    }
}

#[test]
fn a_record_after_half_a_record_takes_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut run_dir: RunDir<f32, f32> =
        RunDir::open(dir.path(), SPEC, Arc::new(HiccupingDisk::default())).unwrap();
    let given = |name: &str| Given::values(name, &[1.0f32]);
    assert!(run_dir.give(given("lost")).is_err());
    assert!(run_dir.history().given.is_empty());
    run_dir.give(given("kept")).unwrap();
    assert_eq!(read_history::<f32, f32>(dir.path()).unwrap().given, [given("kept")]);
}

#[test]
fn what_a_run_did_not_note_when_it_began_is_not_noted_later() {
    let dir = tempfile::tempdir().unwrap();
    let given = |name: &str, value: f32| Given::values(name, &[value]);
    open(dir.path(), SPEC).unwrap().give(given("d0", 1.0)).unwrap();
    whole(dir.path(), &bootstrap_dagger(1), Keep::All);
    let before = bytes(dir.path());
    let mut run_dir = open(dir.path(), SPEC).unwrap();
    run_dir.give(given("d0", 1.0)).unwrap();
    run_dir.give(given("expert", 1.0)).unwrap();
    assert!(matches!(run_dir.give(given("d0", 2.0)), Err(StoreError::Given { .. })));
    drop(run_dir);
    assert_eq!(bytes(dir.path()), before);
}

#[test]
fn a_second_process_a_newer_format_and_other_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path(), SPEC).unwrap();
    assert!(matches!(open(dir.path(), SPEC), Err(StoreError::Locked { .. })));
    drop(first);
    let log = dir.path().join("log.bin");
    let mut bytes = fs::read(&log).unwrap();
    bytes[8] = 9;
    fs::write(&log, &bytes).unwrap();
    assert!(matches!(open(dir.path(), SPEC), Err(StoreError::Version { found: 9, .. })));
    fs::write(&log, b"something else").unwrap();
    assert!(matches!(open(dir.path(), SPEC), Err(StoreError::NoLog { .. })));
    let nothing = tempfile::tempdir().unwrap();
    assert!(matches!(read_history::<f32, f32>(nothing.path()), Err(StoreError::NoRun { .. })));
}

#[test]
fn a_policy_that_is_missing_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &bootstrap_dagger(2), Keep::All);
    let before = bytes(dir.path());
    fs::remove_file(dir.path().join("policies/round-004.safetensors")).unwrap();
    whole(dir.path(), &bootstrap_dagger(2), Keep::All);
    assert_eq!(bytes(dir.path()), before);
}
