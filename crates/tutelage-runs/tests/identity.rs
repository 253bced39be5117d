//! The identity of a run: everything that changes its result.

#![allow(clippy::unwrap_used)]

mod testbed;

use testbed::attempts::{SPEC, STRIDE, bootstrap_dagger, bytes, open, whole};
use testbed::schedule;
use tutelage::algorithm::mftpl_p;
use tutelage::cover::UniformBox;
use tutelage::{Batch, Inputs};
use tutelage_runs::store::{Fingerprint, StoreError};
use tutelage_runs::{Keep, RunConfig};

#[test]
fn inputs_are_recorded_only_when_a_run_starts() {
    let dir = tempfile::tempdir().unwrap();
    let given = |name: &str, value: f32| Fingerprint::values(name, &[value]);
    open(dir.path(), SPEC).unwrap().record_input(given("d0", 1.0)).unwrap();
    whole(dir.path(), &bootstrap_dagger(1), Keep::All);
    let before = bytes(dir.path());
    let mut run_dir = open(dir.path(), SPEC).unwrap();
    run_dir.record_input(given("d0", 1.0)).unwrap();
    run_dir.record_input(given("expert", 1.0)).unwrap();
    assert!(matches!(run_dir.record_input(given("d0", 2.0)), Err(StoreError::Changed { .. })));
    drop(run_dir);
    assert_eq!(bytes(dir.path()), before);
}

#[test]
fn a_custom_program_with_other_settings_is_another_run() {
    let job = |learning: usize, members| {
        let schedule = tutelage::Schedule { rounds: learning, ..schedule(1) };
        let algorithm = bootstrap_dagger(members);
        RunConfig::<f32, f32> {
            algorithm,
            schedule,
            inputs: Inputs::none(),
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
fn the_inputs_are_part_of_the_identity() {
    let spec = |cover: &dyn tutelage::cover::Cover<f32>| {
        let inputs = Inputs { cover: Some(cover), ..Inputs::none() };
        let (algorithm, schedule) = (mftpl_p(3, 5.0, STRIDE), schedule(1));
        RunConfig::<f32, f32> { algorithm, schedule, inputs, episodes: 5, keep: Keep::All }
            .spec("line", "me", "rate 0.2")
    };
    let stored = |last: f32| {
        let mut states = Batch::new(2);
        (0..1000).for_each(|row| states.push(&[row as f32, last]));
        tutelage::cover::StoredStates::new(states).unwrap()
    };
    let texts = [
        spec(&UniformBox::new(-1.0, 1.0).unwrap()),
        spec(&UniformBox::new(-1.0, 2.0).unwrap()),
        spec(&stored(0.75)),
        spec(&stored(0.25)),
    ];
    assert!(texts[0].contains("UniformBox"), "{}", texts[0]);
    assert!(
        texts.iter().all(|text| text.len() < 1000),
        "stored states are described by a checksum"
    );
    let distinct: std::collections::BTreeSet<&String> = texts.iter().collect();
    assert_eq!(distinct.len(), texts.len());
}
