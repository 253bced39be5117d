//! Affine policies of different least-squares solvers are not mixed in one run.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use tutelage::Participants;
use tutelage_lab::spec::RunSpec;
use tutelage_lab::{Cast, LabError, learn_in};
use tutelage_runs::store::{OsDisk, RunDir};
use tutelage_runs::{Silent, run};

fn spec(rounds: usize) -> RunSpec {
    let text = "task = 'pendulum'\nclass = 'linear'\nalgorithm = 'dagger'\nstates_per_round = 4\nevaluation.episodes = 1";
    RunSpec::parse(&format!("{text}\nrounds = {rounds}")).unwrap_or_else(|error| panic!("{error}"))
}

/// A run that notes nothing of its solver, as they once did.
fn learn_without_a_note(path: &Path, spec: &RunSpec) {
    let Cast { envs, expert, oracle, .. } = &mut Cast::<f32>::new(spec, path).unwrap();
    let mut dir = RunDir::open(path, &spec.to_toml(), Arc::new(OsDisk)).unwrap();
    let job = spec.job(tutelage::Inputs::none());
    run(Participants { envs, expert, oracle }, &job, &mut dir, &mut Silent).unwrap();
}

#[test]
fn a_run_that_another_solver_began_is_read_and_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    learn_without_a_note(&old, &spec(1));
    assert_eq!(learn_in(&old, &spec(1), &mut Silent).unwrap().history.results().len(), 1);
    let error = learn_in(&old, &spec(2), &mut Silent).err().unwrap();
    assert!(matches!(error, LabError::OtherSolver { .. }), "{error}");

    learn_in(&new, &spec(1), &mut Silent).unwrap();
    assert_eq!(learn_in(&new, &spec(2), &mut Silent).unwrap().history.results().len(), 2);
}
