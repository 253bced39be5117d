//! Damaged, foreign and locked folders are refused and left unchanged.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::fs;
use std::io;
use std::sync::Arc;

use testbed::attempts::{SPEC, attempt, bootstrap_dagger, bytes, finished, open, whole};
use tutelage_runs::store::{
    Fingerprint, OsDisk, StoreError, discard, kept_policies, policy_path, read_history,
    read_policy, salvage, truncated_bytes,
};
use tutelage_runs::{Keep, RunError, Silent};

#[test]
fn a_damaged_log_is_refused_and_left_unchanged() {
    let dir = finished(&bootstrap_dagger(1), Keep::All);
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
fn another_spec_is_refused() {
    let dir = finished(&bootstrap_dagger(1), Keep::All);
    let difference = |spec: &str| match open(dir.path(), spec) {
        Err(StoreError::Spec { difference, .. }) => difference,
        other => panic!("{:?}", other.err()),
    };
    assert_eq!(difference(&SPEC.replace('1', "2")), "  - seed = 1\n  + seed = 2");
    fs::write(dir.path().join("spec.toml"), SPEC.replace('1', "3")).unwrap();
    assert_eq!(difference(SPEC), "  - seed = 3\n  + seed = 1");
}

#[test]
fn a_folder_without_its_log_is_refused() {
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

#[test]
fn a_folder_with_an_emptied_log_is_refused_and_left_unchanged() {
    let dir = finished(&bootstrap_dagger(1), Keep::All);
    let log = dir.path().join("log.bin");
    let bytes = fs::read(&log).unwrap();
    let mut damaged = bytes[..25 + SPEC.len()].to_vec(); // its first record alone
    damaged[30] ^= 1;
    for left in [&b""[..], &bytes[..7], &bytes[..24 + SPEC.len()], &damaged, &vec![0; bytes.len()]]
    {
        fs::write(&log, left).unwrap();
        let error = open(dir.path(), SPEC).err().unwrap();
        assert!(matches!(error, StoreError::LogLost { .. }), "{error}");
        assert_eq!(fs::read(&log).unwrap(), left);
    }
    // If there are no other files, the run was interrupted while it was created, and starts again.
    let new = tempfile::tempdir().unwrap();
    for left in [&b""[..], &bytes[..7], &bytes[..24 + SPEC.len()], &[0; 50]] {
        fs::write(new.path().join("log.bin"), left).unwrap();
        drop(open(new.path(), SPEC).unwrap());
        fs::remove_file(new.path().join("spec.toml")).unwrap();
    }
}

#[test]
fn locked_newer_and_foreign_logs_are_refused() {
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
    assert!(matches!(open(dir.path(), SPEC), Err(StoreError::NotALog { .. })));
    let nothing = tempfile::tempdir().unwrap();
    assert!(matches!(read_history::<f32, f32>(nothing.path()), Err(StoreError::NoRun { .. })));
}

#[test]
fn a_replaced_log_is_noticed_before_the_next_record() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = open(dir.path(), SPEC).unwrap();
    // Format 1 used a separate lock file. Removing such a file must not admit a second writer.
    let _ = fs::remove_file(dir.path().join("lock"));
    assert!(matches!(open(dir.path(), SPEC), Err(StoreError::Locked { .. })));
    // A copy in place of the log is noticed before the next write.
    let log = dir.path().join("log.bin");
    let bytes = fs::read(&log).unwrap();
    fs::remove_file(&log).unwrap();
    fs::write(&log, &bytes).unwrap();
    let error = first.record_input(Fingerprint::values("d0", &[1.0f32])).unwrap_err();
    assert!(matches!(error, StoreError::ChangedExternally { .. }), "{error}");
    assert_eq!(fs::read(&log).unwrap(), bytes, "nothing was written");
}

#[test]
fn a_writer_without_a_lock_is_noticed_before_the_next_record() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = open(dir.path(), SPEC).unwrap();
    let log = dir.path().join("log.bin");
    let mut other = fs::OpenOptions::new().append(true).open(&log).unwrap();
    io::Write::write_all(&mut other, b"from another machine").unwrap();
    let error = first.record_input(Fingerprint::values("d0", &[1.0f32])).unwrap_err();
    assert!(matches!(error, StoreError::ChangedExternally { .. }), "{error}");
}

#[test]
fn a_flipped_bit_in_any_policy_is_refused() {
    let dir = finished(&bootstrap_dagger(2), Keep::All);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    assert_eq!(history.policies.len(), 5, "after rounds 0 to 4");
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
fn a_policy_that_is_not_in_the_log_is_refused() {
    let dir = finished(&bootstrap_dagger(1), Keep::All);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    fs::copy(policy_path(dir.path(), 4), policy_path(dir.path(), 7)).unwrap();
    let error = read_policy(dir.path(), &history, 7).unwrap_err();
    assert!(matches!(error, StoreError::Policy { .. }), "{error}");
}

#[test]
fn readers_count_the_bytes_of_an_incomplete_record() {
    let dir = finished(&bootstrap_dagger(1), Keep::Last);
    assert_eq!(truncated_bytes(dir.path()).unwrap(), 0);
    let log = dir.path().join("log.bin");
    let mut bytes = fs::read(&log).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&log, &bytes).unwrap();
    let torn = truncated_bytes(dir.path()).unwrap();
    assert!(torn > 12, "{torn}");
    let writer = fs::File::open(&log).unwrap();
    writer.lock().unwrap();
    assert_eq!(
        truncated_bytes(dir.path()).unwrap(),
        0,
        "a writer may be in the middle of a record"
    );
}

#[test]
fn readers_refuse_a_folder_with_the_log_of_another_run() {
    let dir = finished(&bootstrap_dagger(1), Keep::All);
    let spec = dir.path().join("spec.toml");
    fs::write(&spec, SPEC.replace('1', "2")).unwrap();
    let error = read_history::<f32, f32>(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::Mixed { .. }), "{error}");
}

#[test]
fn salvage_recovers_the_intact_part() {
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
    assert!(salvaged.records > 5 && salvaged.lost > 0, "{salvaged:?}");
    // Policies that are recorded after the damage are not copied.
    let known = read_history::<f32, f32>(&saved).unwrap().policies.len();
    assert!(known > 0 && known < 5, "{known}");
    assert_eq!((salvaged.policies, salvaged.unknown_policies), (known, 5 - known));
    assert_eq!(kept_policies(&saved), (0..known).collect::<Vec<_>>());
    assert_eq!(fs::read(&log).unwrap(), bytes, "the old folder is unchanged");
    assert!(salvage(&run, &saved).is_err(), "nothing is overwritten");
    // The resumed run asks for the lost labels again, and ends with the same bytes.
    whole(&saved, &bootstrap_dagger(1), Keep::All);
    let reference = dir.path().join("reference");
    whole(&reference, &bootstrap_dagger(1), Keep::All);
    assert_eq!(self::bytes(&saved), self::bytes(&reference));
}

#[test]
fn a_locked_run_is_not_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    discard(&run).unwrap();
    let writer = open(&run, SPEC).unwrap();
    assert!(matches!(discard(&run), Err(StoreError::Locked { .. })));
    assert!(run.join("log.bin").is_file());
    drop(writer);
    discard(&run).unwrap();
    assert!(!run.exists());
}
