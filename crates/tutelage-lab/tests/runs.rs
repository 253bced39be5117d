//! Durable runs: the same bytes whatever happens on the way.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod testbed;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use testbed::{Damper, Gradient, LinearEnsemble, lanes, plan};
use tutelage::{Algorithm, Setting, bootstrap_dagger, mftpl_p};
use tutelage_lab::store::{Disk, OsDisk, RunDir, StoreError, read_history};
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
        // What is left of half a replacement is a partial file under another name.
        self.operate(
            || OsDisk.replace(path, bytes),
            || {
                fs::write(path.with_extension("part"), &bytes[..bytes.len() / 2])?;
                fs::remove_file(path.with_extension("part"))
            },
        )
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
fn a_random_round_is_kept_and_found_again() {
    let cover = Arc::new(tutelage::UniformBox::new(-1.0, 1.0).unwrap());
    survives(Fault::Crash, &mftpl_p(2, 3.0, cover), Keep::Last);
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
