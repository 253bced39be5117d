//! The run directory of a custom program: started, resumed, extended or refused.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::path::Path;

use testbed::{damper, lanes, schedule};
use tutelage::algorithm::{bootstrap_dagger, dagger};
use tutelage::choice::Deploy;
use tutelage::lesson::LearnError;
use tutelage::testing::LinearOracle;
use tutelage::{
    Batch, Expert, ExpertError, Inputs, Participants, Rng, Sampling, Schedule, SyncVectorEnv,
};
use tutelage_oracles::LeastSquares;
use tutelage_runs::store::{StoreError, read_history};
use tutelage_runs::{Ending, Keep, RunConfig, RunError, Silent, run};
use tutelage_tasks::worlds::PendulumEnv;

fn job(rounds: usize) -> RunConfig<'static, f32, f32> {
    RunConfig {
        algorithm: bootstrap_dagger(3, Sampling::Stride(3)),
        schedule: Schedule { rounds, ..schedule(1) },
        inputs: Inputs::none(),
        episodes: 2,
        keep: Keep::All,
    }
}

fn carry_out(dir: &Path, job: &RunConfig<'_, f32, f32>) -> Result<Ending, StoreError> {
    let (mut envs, mut expert) = (lanes(), damper(usize::MAX));
    let mut run_dir = job.open(dir, "point", &expert, &LinearOracle)?;
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &LinearOracle };
    Ok(run(participants, job, &mut run_dir, &mut Silent).unwrap())
}

#[test]
fn a_run_can_be_extended_but_not_shortened() {
    let (grown, straight) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    carry_out(grown.path(), &job(2)).unwrap();
    carry_out(grown.path(), &job(4)).unwrap();
    carry_out(straight.path(), &job(4)).unwrap();
    let history = |dir: &Path| read_history::<f32, f32>(dir).unwrap();
    assert_eq!(history(grown.path()), history(straight.path()));
    assert!(matches!(carry_out(grown.path(), &job(3)), Err(StoreError::Spec { .. })));
}

#[test]
fn a_run_that_returns_a_random_round_cannot_be_extended() {
    let dir = tempfile::tempdir().unwrap();
    let random = |rounds| {
        let job = job(rounds);
        RunConfig {
            algorithm: tutelage::Algorithm { deploy: Deploy::RandomRound, ..job.algorithm },
            ..job
        }
    };
    carry_out(dir.path(), &random(2)).unwrap();
    assert!(matches!(carry_out(dir.path(), &random(4)), Err(StoreError::Spec { .. })));
}

#[test]
fn a_run_with_other_settings_cannot_be_extended() {
    let dir = tempfile::tempdir().unwrap();
    carry_out(dir.path(), &job(2)).unwrap();
    let other = RunConfig { episodes: 3, ..job(4) };
    assert!(matches!(carry_out(dir.path(), &other), Err(StoreError::Spec { .. })));
}

/// Exceeds the action bounds after `modest` valid labels.
struct Strongman {
    modest: usize,
}

impl Expert for Strongman {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        for row in 0..states.len() {
            actions.row_mut(row)[0] = if self.modest > 0 { 1.5 } else { 5.0 };
            self.modest = self.modest.saturating_sub(1);
        }
        Ok(())
    }

    fn batch(&self) -> usize {
        1
    }
}

#[test]
fn a_label_outside_the_bounds_is_never_written() {
    let dir = tempfile::tempdir().unwrap();
    let job = RunConfig { algorithm: dagger(Sampling::Stride(3)), ..job(2) };
    let mut envs = SyncVectorEnv::new(vec![PendulumEnv::default(); 2]).unwrap();
    let (mut expert, oracle) = (Strongman { modest: 3 }, LeastSquares::default());
    let mut run_dir = job.open(dir.path(), "pendulum", &expert, &oracle).unwrap();
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
    let error = run(participants, &job, &mut run_dir, &mut Silent).unwrap_err();
    assert!(matches!(error, RunError::Learn(LearnError::InvalidLabel { .. })), "{error}");
    drop(run_dir);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    assert_eq!(history.annotations(), 3, "the labels before it are kept");
}
