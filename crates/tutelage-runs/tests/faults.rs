//! Disk failures, crashes and power cuts lose nothing, and the resumed run is byte-identical.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use testbed::attempts::{SPEC, STRIDE, attempt, bootstrap_dagger, bytes, finished, open, whole};
use testbed::failing::{Failing, Fault};
use testbed::schedule;
use tutelage::Algorithm;
use tutelage::algorithm::{hand_over, hg_dagger, mftpl_p};
use tutelage::choice::Windows;
use tutelage_runs::store::{Disk, Fingerprint, LogFile, OsDisk, RunDir, StoreError, read_history};
use tutelage_runs::{Ending, Keep, RunError, Silent};

/// Fails at each operation of a run in turn, and resumes the run.
fn survives(fault: Fault, algorithm: &Algorithm, keep: Keep) {
    let reference = tempfile::tempdir().unwrap();
    whole(reference.path(), algorithm, keep);
    for fails_at in 0.. {
        let dir = tempfile::tempdir().unwrap();
        let disk = Arc::new(Failing::new(fails_at, fault));
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
fn a_short_write_at_any_operation_loses_nothing() {
    survives(Fault::ShortWriteTwice, &bootstrap_dagger(2), Keep::All);
    survives(Fault::ShortWrite, &bootstrap_dagger(2), Keep::All);
}

#[test]
fn a_failed_sync_at_any_operation_loses_nothing() {
    survives(Fault::FailedSync, &bootstrap_dagger(2), Keep::All);
}

#[test]
fn a_full_disk_at_any_operation_loses_nothing() {
    survives(Fault::FullDisk, &bootstrap_dagger(2), Keep::Last);
}

#[test]
fn a_crash_at_any_operation_loses_nothing() {
    survives(Fault::Crash, &bootstrap_dagger(2), Keep::All);
    survives(Fault::Crash, &bootstrap_dagger(2), Keep::Last);
}

#[test]
fn a_gated_algorithm_survives_every_fault() {
    let algorithm = hg_dagger(2, 0.05, 2);
    survives(Fault::Crash, &algorithm, Keep::All);
    survives(Fault::ShortWrite, &algorithm, Keep::Last);
    let dir = finished(&algorithm, Keep::All);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    let sizes: Vec<usize> = history.rounds.iter().map(|round| round.states.len()).collect();
    assert!(sizes.iter().any(|&size| size < 6), "rounds differ in size: {sizes:?}");
    assert!(history.expert_steps() > 0, "the expert's steps are counted");
}

#[test]
fn handover_windows_survive_a_crash_at_any_operation() {
    let algorithm = hand_over(Windows::default(), bootstrap_dagger(2));
    survives(Fault::Crash, &algorithm, Keep::All);
    let dir = finished(&algorithm, Keep::All);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    let late = history.rounds[1].origins.iter().filter(|origin| origin.time > 20).count();
    assert!(late > 0, "some windows begin late in an episode");
}

#[test]
fn the_policy_of_a_random_round_is_kept() {
    let algorithm = mftpl_p(2, 3.0, STRIDE);
    survives(Fault::Crash, &algorithm, Keep::Last);
    let [all, last] = [Keep::All, Keep::Last].map(|keep| {
        let dir = tempfile::tempdir().unwrap();
        whole(dir.path(), &algorithm, keep);
        dir
    });
    // π_n̂ was trained after round n̂ - 1.
    let random = algorithm.random_round(&schedule(1)).unwrap() - 1;
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
fn a_disk_error_contains_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(Failing::new(7, Fault::FullDisk));
    let (ending, _) = attempt(dir.path(), disk, &bootstrap_dagger(2), Keep::All, &mut Silent);
    let error = ending.unwrap_err();
    assert!(
        matches!(&error, RunError::Store(StoreError::Io { path, .. }) if path.starts_with(dir.path())),
        "{error}"
    );
}

#[test]
fn a_log_truncated_at_any_byte_is_resumed_to_the_same_bytes() {
    let reference = finished(&bootstrap_dagger(1), Keep::All);
    let log = fs::read(reference.path().join("log.bin")).unwrap();
    // A log without a complete first record is refused.
    let first_record_end = 12 + 12 + 1 + SPEC.len();
    for length in (first_record_end..log.len()).step_by(37) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("policies")).unwrap();
        fs::write(dir.path().join("spec.toml"), SPEC).unwrap();
        fs::write(dir.path().join("log.bin"), &log[..length]).unwrap();
        whole(dir.path(), &bootstrap_dagger(1), Keep::All);
        let (continued, expected) = (bytes(dir.path()), bytes(reference.path()));
        assert_eq!(continued[0], expected[0], "log truncated at {length}");
        let last = |files: &[(PathBuf, Vec<u8>)]| files.last().unwrap().clone();
        assert_eq!(last(&continued), last(&expected), "log truncated at {length}");
    }
}

#[test]
fn an_incomplete_record_is_reported_and_kept() {
    let dir = finished(&bootstrap_dagger(1), Keep::All);
    let log = dir.path().join("log.bin");
    let mut bytes = fs::read(&log).unwrap();
    let at = bytes.len() - 3;
    bytes[at] ^= 1; // a bit of the last record
    fs::write(&log, &bytes).unwrap();
    let run_dir = open(dir.path(), SPEC).unwrap();
    let tail = run_dir.truncated().unwrap();
    let kept = fs::read(&tail.kept).unwrap();
    assert_eq!((tail.bytes, &kept[..]), (kept.len(), &bytes[bytes.len() - kept.len()..]));
    assert_eq!(fs::read(&log).unwrap(), bytes[..bytes.len() - kept.len()]);
}

#[test]
fn a_record_replaces_an_incomplete_one() {
    let dir = tempfile::tempdir().unwrap();
    // Opening takes six operations; the next one appends the first record, and the one after that truncates the log.
    let disk = Arc::new(Failing::new(6, Fault::ShortWriteTwice));
    let mut run_dir: RunDir<f32, f32> = RunDir::open(dir.path(), SPEC, disk).unwrap();
    let given = |name: &str| Fingerprint::values(name, &[1.0f32]);
    assert!(run_dir.record_input(given("lost")).is_err());
    assert!(run_dir.history().fingerprints.is_empty());
    run_dir.record_input(given("kept")).unwrap();
    assert_eq!(read_history::<f32, f32>(dir.path()).unwrap().fingerprints, [given("kept")]);
}

/// A disk that tracks how much of the log is durable.
#[derive(Clone, Default)]
struct PowerCut {
    durable: Arc<std::sync::Mutex<u64>>,
    /// Panics when it appends the record with this number: the bytes are written, but not synced.
    dies_at: Option<usize>,
}

struct PowerCutLog {
    log: Box<dyn LogFile>,
    disk: PowerCut,
    writes: usize,
}

impl Disk for PowerCut {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        OsDisk.create_dir(path)
    }

    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        let disk = self.clone();
        Ok(Box::new(PowerCutLog { log: OsDisk.open_log(path)?, disk, writes: 0 }))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // If a policy survives a power cut, the labels that it was trained on must survive too.
        let log = path.ancestors().map(|above| above.join("log.bin")).find(|log| log.is_file());
        let written = log.map_or(0, |log| fs::metadata(log).unwrap().len());
        assert_eq!(
            *self.durable.lock().unwrap(),
            written,
            "{path:?} depends on bytes that are not durable"
        );
        OsDisk.replace(path, bytes)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove(path)
    }
}

impl LogFile for PowerCutLog {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.log.read()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.log.sync()?;
        *self.disk.durable.lock().unwrap() = self.log.length()?.unwrap();
        Ok(())
    }

    fn length(&self) -> io::Result<Option<u64>> {
        self.log.length()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writes += 1;
        self.log.append(bytes)?;
        if Some(self.writes) == self.disk.dies_at {
            panic!("killed");
        }
        *self.disk.durable.lock().unwrap() = self.log.length()?.unwrap();
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.log.truncate(length)?;
        *self.disk.durable.lock().unwrap() = length;
        Ok(())
    }
}

#[test]
fn records_are_synced_before_anything_depends_on_them() {
    for dies_at in 2.. {
        let dir = tempfile::tempdir().unwrap();
        let disk = PowerCut { dies_at: Some(dies_at), ..PowerCut::default() };
        let attempt_with = |disk: PowerCut| {
            attempt(dir.path(), Arc::new(disk), &bootstrap_dagger(1), Keep::All, &mut Silent).0
        };
        let died =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| attempt_with(disk.clone())));
        // The next process finds bytes that may not be durable.
        let next = PowerCut { dies_at: None, durable: disk.durable };
        assert_eq!(attempt_with(next).unwrap(), Ending::Finished);
        if died.is_ok() {
            assert!(dies_at > 10, "a run has more than {dies_at} records");
            break;
        }
    }
}
