//! Durable runs: the same bytes whatever happens on the way.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use testbed::failing::{Failing, Fault};
use testbed::{Damper, Gradient, SPACES, lanes, schedule};
use tutelage::{
    Algorithm, Batch, Deploy, DurableOracle, Expert, ExpertActs, ExpertError, Material,
    Participants, Rng, Sampling, UniformBox, behavior_cloning, hg_dagger, mftpl_p,
};
use tutelage_runs::store::{
    Disk, Fingerprint, LogFile, OsDisk, RunDir, StoreError, policy_path, read_history, read_policy,
    salvage,
};
use tutelage_runs::{Ending, Job, Keep, Reporter, RunError, Silent, run};

const SPEC: &str = "task = \"point mass\"\nseed = 1\n";

const STRIDE: Sampling = Sampling::Stride(5);

fn bootstrap_dagger(members: usize) -> Algorithm {
    tutelage::bootstrap_dagger(members, STRIDE)
}

/// One attempt at the whole run; says what the expert was asked.
fn attempt(
    dir: &Path,
    disk: Arc<dyn Disk>,
    algorithm: &Algorithm,
    keep: Keep,
    reporter: &mut dyn Reporter,
) -> (Result<Ending, RunError>, Vec<Vec<f32>>) {
    let (mut envs, mut expert) = (lanes(), Damper::new(4));
    let cover = UniformBox::new(-1.0, 1.0).unwrap();
    let material = Material { cover: Some(&cover), ..Material::none() };
    let result = RunDir::open(dir, SPEC, disk).map_err(RunError::from).and_then(|mut run_dir| {
        let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &Gradient };
        let (algorithm, schedule) = (*algorithm, schedule(1));
        let job = Job { algorithm, schedule, material, episodes: 5, keep };
        run(participants, &job, &mut run_dir, reporter)
    });
    (result, expert.asked)
}

fn whole(dir: &Path, algorithm: &Algorithm, keep: Keep) {
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
    let reward = last.deployed.mean_reward();
    assert!(reward > 0.9 * expert, "{reward} of {expert}");
    assert!(last.deployed.imitation_loss().unwrap() < 0.05);
    assert!(last.random.is_some());
    let bytes = fs::read(dir.path().join("policies/round-004.safetensors")).unwrap();
    assert_eq!(Gradient.decode(&bytes, SPACES).unwrap().0.len(), 3);
    let round = &history.rounds[1];
    assert_eq!((round.origins.len(), round.rewards.len(), round.intended.len()), (6, 6, 6));
    assert!(round.steps.all >= 26 && round.steps.by_expert == 0);
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

/// Fails at every operation of a run in turn and goes on after each.
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
fn a_full_disk_is_named_with_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let disk = Arc::new(Failing::new(7, Fault::FullDisk));
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
fn a_folder_whose_log_is_gone_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("spec.toml"), SPEC).unwrap();
    let error = open(dir.path(), &SPEC.replace('1', "2")).err().unwrap();
    assert!(matches!(error, StoreError::Spec { .. }), "{error}");
    let error = open(dir.path(), SPEC).err().unwrap();
    assert!(matches!(error, StoreError::LogLost { left: "spec.toml", .. }), "{error}");
    whole(&dir.path().join("run"), &bootstrap_dagger(1), Keep::All);
    fs::remove_file(dir.path().join("run/log.bin")).unwrap();
    fs::remove_file(dir.path().join("run/spec.toml")).unwrap();
    let error = open(&dir.path().join("run"), SPEC).err().unwrap();
    assert!(matches!(error, StoreError::LogLost { left: "policy", .. }), "{error}");
    assert!(!dir.path().join("run/log.bin").exists());
    fs::remove_file(dir.path().join("spec.toml")).unwrap();
    fs::create_dir(dir.path().join("spec.toml")).unwrap();
    let error = open(dir.path(), SPEC).err().unwrap();
    assert!(matches!(error, StoreError::Io { what: "read", .. }), "{error}");
}

/// A disk on which the second write to the log and the first cut after it fail, half-way.
#[derive(Default)]
struct HiccupingDisk;

struct HiccupingLog {
    log: Box<dyn LogFile>,
    writes: usize,
    cuts: usize,
}

impl Disk for HiccupingDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        OsDisk.create_dir(path)
    }

    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>> {
        Ok(Box::new(HiccupingLog { log: OsDisk.open_log(path)?, writes: 0, cuts: 0 }))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        OsDisk.replace(path, bytes)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        OsDisk.remove(path)
    }
}

impl LogFile for HiccupingLog {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.log.read()
    }

    fn sync(&mut self) -> io::Result<()> {
        self.log.sync()
    }

    fn length(&self) -> io::Result<Option<u64>> {
        self.log.length()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writes += 1;
        if self.writes != 2 {
            return self.log.append(bytes);
        }
        self.log.append(&bytes[..bytes.len() / 2])?;
        Err(io::ErrorKind::StorageFull.into())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.cuts += 1;
        // The first cut clears a new log.
        if self.cuts != 2 {
            self.log.truncate(length)
        } else {
            Err(io::ErrorKind::StorageFull.into())
        }
    }
}

#[test]
fn a_record_after_half_a_record_takes_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let mut run_dir: RunDir<f32, f32> =
        RunDir::open(dir.path(), SPEC, Arc::new(HiccupingDisk)).unwrap();
    let given = |name: &str| Fingerprint::values(name, &[1.0f32]);
    assert!(run_dir.build_on(given("lost")).is_err());
    assert!(run_dir.history().fingerprints.is_empty());
    run_dir.build_on(given("kept")).unwrap();
    assert_eq!(read_history::<f32, f32>(dir.path()).unwrap().fingerprints, [given("kept")]);
}

#[test]
fn what_a_run_did_not_note_when_it_began_is_not_noted_later() {
    let dir = tempfile::tempdir().unwrap();
    let given = |name: &str, value: f32| Fingerprint::values(name, &[value]);
    open(dir.path(), SPEC).unwrap().build_on(given("d0", 1.0)).unwrap();
    whole(dir.path(), &bootstrap_dagger(1), Keep::All);
    let before = bytes(dir.path());
    let mut run_dir = open(dir.path(), SPEC).unwrap();
    run_dir.build_on(given("d0", 1.0)).unwrap();
    run_dir.build_on(given("expert", 1.0)).unwrap();
    assert!(matches!(run_dir.build_on(given("d0", 2.0)), Err(StoreError::Changed { .. })));
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

#[test]
fn two_writers_are_impossible_also_where_somebody_tidied_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = open(dir.path(), SPEC).unwrap();
    // Format 1 had a file of its own for the lock; removing it let a second writer in.
    let _ = fs::remove_file(dir.path().join("lock"));
    assert!(matches!(open(dir.path(), SPEC), Err(StoreError::Locked { .. })));
    // Where the log itself is put aside and back again, the first writer notices before it writes.
    let log = dir.path().join("log.bin");
    let bytes = fs::read(&log).unwrap();
    fs::remove_file(&log).unwrap();
    fs::write(&log, &bytes).unwrap();
    let error = first.build_on(Fingerprint::values("d0", &[1.0f32])).unwrap_err();
    assert!(matches!(error, StoreError::Intruder { .. }), "{error}");
    assert_eq!(fs::read(&log).unwrap(), bytes, "nothing was written");
}

#[test]
fn a_writer_that_cannot_be_locked_out_is_noticed_before_the_next_record() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = open(dir.path(), SPEC).unwrap();
    let log = dir.path().join("log.bin");
    let mut other = fs::OpenOptions::new().append(true).open(&log).unwrap();
    io::Write::write_all(&mut other, b"from another machine").unwrap();
    let error = first.build_on(Fingerprint::values("d0", &[1.0f32])).unwrap_err().to_string();
    assert!(error.contains("somebody else writes to it"), "{error}");
}

/// A disk whose power can be cut: it knows how much of the log has been made durable.
#[derive(Clone, Default)]
struct PowerCut {
    durable: Arc<std::sync::Mutex<u64>>,
    /// Dies in the middle of making its so-many-th record durable: the bytes are written, the sync never returns.
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
        // A policy is built on answers: they must be there after a power cut if it is.
        let log = path.ancestors().map(|above| above.join("log.bin")).find(|log| log.is_file());
        let written = log.map_or(0, |log| fs::metadata(log).unwrap().len());
        assert_eq!(
            *self.durable.lock().unwrap(),
            written,
            "{path:?} builds on bytes that a power cut takes back"
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
fn what_was_never_synced_is_synced_before_anything_builds_on_it() {
    for dies_at in 2.. {
        let dir = tempfile::tempdir().unwrap();
        let disk = PowerCut { dies_at: Some(dies_at), ..PowerCut::default() };
        let attempt_with = |disk: PowerCut| {
            attempt(dir.path(), Arc::new(disk), &bootstrap_dagger(1), Keep::All, &mut Silent).0
        };
        let died =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| attempt_with(disk.clone())));
        // The next process finds the bytes, and does not know that they are not durable.
        let next = PowerCut { dies_at: None, durable: disk.durable };
        assert_eq!(attempt_with(next).unwrap(), Ending::Finished);
        if died.is_ok() {
            assert!(dies_at > 10, "a run has more than {dies_at} records");
            break;
        }
    }
}

#[test]
fn a_flipped_bit_in_any_policy_is_refused_wherever_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &bootstrap_dagger(2), Keep::All);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    assert_eq!(history.policies.len(), 5, "those after rounds 0 to 4 are noted");
    for round in 0..=4 {
        let file = policy_path(dir.path(), round);
        let sound = fs::read(&file).unwrap();
        for at in [0, sound.len() / 2, sound.len() - 1] {
            let mut flipped = sound.clone();
            flipped[at] ^= 4;
            fs::write(&file, &flipped).unwrap();
            let error = read_policy(dir.path(), &history, round).unwrap_err();
            assert!(matches!(error, StoreError::Policy { .. }), "{error}");
        }
        fs::write(&file, sound).unwrap();
        read_policy(dir.path(), &history, round).unwrap();
    }
    let last = policy_path(dir.path(), 4);
    let mut flipped = fs::read(&last).unwrap();
    flipped[1] ^= 1;
    fs::write(&last, &flipped).unwrap();
    let (ending, _) =
        attempt(dir.path(), Arc::new(OsDisk), &bootstrap_dagger(2), Keep::All, &mut Silent);
    assert!(matches!(ending, Err(RunError::Store(StoreError::Policy { .. }))));
}

#[test]
fn a_cut_tail_is_reported_and_kept_beside_the_log() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &bootstrap_dagger(1), Keep::All);
    let log = dir.path().join("log.bin");
    let mut bytes = fs::read(&log).unwrap();
    let at = bytes.len() - 3;
    bytes[at] ^= 1; // a bit of the last record
    fs::write(&log, &bytes).unwrap();
    let run_dir = open(dir.path(), SPEC).unwrap();
    let cut = run_dir.cut().unwrap();
    let kept = fs::read(&cut.kept).unwrap();
    assert_eq!((cut.bytes, &kept[..]), (kept.len(), &bytes[bytes.len() - kept.len()..]));
    assert_eq!(fs::read(&log).unwrap(), bytes[..bytes.len() - kept.len()]);
}

#[test]
fn a_folder_with_another_runs_log_is_refused_by_readers_too() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &bootstrap_dagger(1), Keep::All);
    let spec = dir.path().join("spec.toml");
    fs::write(&spec, SPEC.replace('1', "2")).unwrap();
    let error = read_history::<f32, f32>(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::Mixed { .. }), "{error}");
}

#[test]
fn salvage_brings_back_what_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let (run, saved) = (dir.path().join("run"), dir.path().join("saved"));
    whole(&run, &bootstrap_dagger(1), Keep::All);
    let log = run.join("log.bin");
    let mut bytes = fs::read(&log).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(&log, &bytes).unwrap();
    assert!(matches!(open(&run, SPEC), Err(StoreError::Damaged { .. })));
    let salvaged = salvage(&run, &saved).unwrap();
    assert!(salvaged.records > 5 && salvaged.lost > 0 && salvaged.policies == 5, "{salvaged:?}");
    assert_eq!(fs::read(&log).unwrap(), bytes, "the old folder stays as it is");
    assert!(salvage(&run, &saved).is_err(), "nothing is overwritten");
    // What was lost is asked again, and the run comes to the same end.
    whole(&saved, &bootstrap_dagger(1), Keep::All);
    let reference = dir.path().join("reference");
    whole(&reference, &bootstrap_dagger(1), Keep::All);
    assert_eq!(self::bytes(&saved), self::bytes(&reference));
}

#[test]
fn a_gated_algorithm_survives_every_fault_too() {
    let algorithm = hg_dagger(2, 0.05, 2);
    survives(Fault::Crash, &algorithm, Keep::All);
    survives(Fault::ShortWrite, &algorithm, Keep::Last);
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), &algorithm, Keep::All);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    let sizes: Vec<usize> = history.rounds.iter().map(|round| round.states.len()).collect();
    assert!(sizes.iter().any(|&size| size < 6), "rounds differ in size: {sizes:?}");
    assert!(history.expert_steps_after(1) > 0, "the expert's steps are counted");
}

#[test]
fn what_is_evaluated_is_what_is_deployed() {
    let result = |deploy| {
        let dir = tempfile::tempdir().unwrap();
        whole(dir.path(), &Algorithm { deploy, ..bootstrap_dagger(3) }, Keep::All);
        read_history::<f32, f32>(dir.path()).unwrap().results[0].clone()
    };
    let (mean, member) = (result(Deploy::Mean), result(Deploy::UniformMember));
    assert_ne!(mean.deployed.episodes, member.deployed.episodes);
    let rewards = |evaluation: &tutelage::Evaluation| -> Vec<f64> {
        evaluation.episodes.iter().map(|episode| episode.reward).collect()
    };
    assert_eq!(rewards(&member.deployed), rewards(mean.random.as_ref().unwrap()));
    assert!(member.random.is_none());
}

#[test]
fn a_program_of_ones_own_that_changes_anything_is_another_run() {
    let job = |learning: usize, members| {
        let schedule = tutelage::Schedule { rounds: learning, ..schedule(1) };
        let algorithm = bootstrap_dagger(members);
        Job::<f32, f32> {
            algorithm,
            schedule,
            material: Material::none(),
            episodes: 5,
            keep: Keep::All,
        }
    };
    let spec = |oracle: &str, learning, members| job(learning, members).spec("line", "me", oracle);
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path(), &spec("rate 0.2", 4, 3)).unwrap());
    for other in [spec("rate 0.1", 4, 3), spec("rate 0.2", 4, 2), spec("rate 0.2", 3, 3)] {
        let error = open(dir.path(), &other).err().unwrap();
        assert!(matches!(error, StoreError::Spec { .. }), "{error}");
    }
    drop(open(dir.path(), &spec("rate 0.2", 4, 3)).unwrap());
}

#[test]
fn what_an_algorithm_builds_on_is_part_of_its_identity() {
    let spec = |cover: &dyn tutelage::Cover<f32>| {
        let material = Material { cover: Some(cover), ..Material::none() };
        let (algorithm, schedule) = (mftpl_p(3, 5.0, STRIDE), schedule(1));
        Job::<f32, f32> { algorithm, schedule, material, episodes: 5, keep: Keep::All }
            .spec("line", "me", "rate 0.2")
    };
    let stored = |last: f32| {
        let mut states = Batch::new(2);
        (0..1000).for_each(|row| states.push(&[row as f32, last]));
        tutelage::StoredStates::new(states).unwrap()
    };
    let texts = [
        spec(&UniformBox::new(-1.0, 1.0).unwrap()),
        spec(&UniformBox::new(-1.0, 2.0).unwrap()),
        spec(&stored(0.75)),
        spec(&stored(0.25)),
    ];
    assert!(texts[0].contains("UniformBox"), "{}", texts[0]);
    assert!(texts.iter().all(|text| text.len() < 1000), "stored states are named by a checksum");
    let distinct: std::collections::BTreeSet<&String> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len());
}

/// Drives and answers for so many calls, then leaves.
struct Guest(Damper, usize);

impl Expert for Guest {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        rngs: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        self.1 = self.1.checked_sub(1).ok_or(ExpertError::Left)?;
        self.0.annotate(states, rngs, actions)
    }

    fn batch(&self) -> usize {
        2
    }
}

#[test]
fn an_expert_that_leaves_at_any_time_stops_the_run_and_loses_nothing() {
    let teach = |dir: &Path, calls: usize| {
        let (mut envs, mut expert) = (lanes(), Guest(Damper::new(2), calls));
        let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &Gradient };
        let algorithm = behavior_cloning(ExpertActs::Sampled, STRIDE);
        let (schedule, material) = (schedule(1), Material::none());
        let job = Job { algorithm, schedule, material, episodes: 5, keep: Keep::All };
        let mut run_dir = job.open(dir, "point mass", &Damper::new(2), &Gradient).unwrap();
        run(participants, &job, &mut run_dir, &mut Silent).unwrap()
    };
    let [whole, broken] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    assert_eq!(teach(whole.path(), usize::MAX), Ending::Finished);
    let visits =
        (0..).step_by(20).position(|calls| teach(broken.path(), calls) == Ending::Finished);
    assert!(visits.unwrap() > 3, "it left while driving and while answering");
    assert_eq!(bytes(whole.path()), bytes(broken.path()));
}
