//! A run does not mix policies of different least-squares solvers.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use tutelage::Participants;
use tutelage_runs::store::{OsDisk, RunDir};
use tutelage_runs::{Silent, run};
use tutelage_spec::spec::RunSpec;
use tutelage_spec::{LabError, RunParts, learn_in};

fn spec(rounds: usize) -> RunSpec {
    let text = "task = 'pendulum'\nclass = 'linear'\nalgorithm = 'dagger'\nstates_per_round = 4\nevaluation.episodes = 1";
    RunSpec::parse(&format!("{text}\nrounds = {rounds}")).unwrap_or_else(|error| panic!("{error}"))
}

/// Executes a run without recording the solver, as early versions did.
fn learn_without_fingerprint(path: &Path, spec: &RunSpec) {
    let RunParts { envs, expert, oracle, .. } = &mut RunParts::<f32>::new(spec, path).unwrap();
    let mut dir = RunDir::open(path, &spec.to_toml(), Arc::new(OsDisk)).unwrap();
    let job = spec.config(tutelage::Inputs::none());
    run(Participants { envs, expert, oracle }, &job, &mut dir, &mut Silent).unwrap();
}

#[test]
fn runs_of_another_solver_are_read_but_not_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    learn_without_fingerprint(&old, &spec(1));
    assert_eq!(learn_in(&old, &spec(1), &mut Silent).unwrap().history.results().len(), 1);
    let error = learn_in(&old, &spec(2), &mut Silent).err().unwrap();
    assert!(matches!(error, LabError::OtherSolver(_)), "{error}");

    learn_in(&new, &spec(1), &mut Silent).unwrap();
    assert_eq!(learn_in(&new, &spec(2), &mut Silent).unwrap().history.results().len(), 2);
}
