//! The folder of a program of one's own: begun, continued, extended, or refused.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::path::Path;

use testbed::{Damper, Gradient, lanes, schedule};
use tutelage::algorithm::{bootstrap_dagger, dagger};
use tutelage::choice::Deploy;
use tutelage::{
    Batch, Expert, ExpertError, Inputs, Participants, Rng, Sampling, Schedule, SyncVectorEnv,
};
use tutelage_oracles::LeastSquares;
use tutelage_runs::store::{StoreError, read_history};
use tutelage_runs::{Ending, Keep, RunConfig, Silent, run};
use tutelage_worlds::PendulumEnv;

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
    let (mut envs, mut expert) = (lanes(), Damper::new(usize::MAX));
    let mut run_dir = job.open(dir, "point", &expert, &Gradient)?;
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &Gradient };
    Ok(run(participants, job, &mut run_dir, &mut Silent).unwrap())
}

#[test]
fn more_rounds_go_on_where_a_run_ended_and_fewer_are_refused() {
    let (grown, straight) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    carry_out(grown.path(), &job(2)).unwrap();
    carry_out(grown.path(), &job(4)).unwrap();
    carry_out(straight.path(), &job(4)).unwrap();
    let history = |dir: &Path| read_history::<f32, f32>(dir).unwrap();
    assert_eq!(history(grown.path()), history(straight.path()));
    assert!(matches!(carry_out(grown.path(), &job(3)), Err(StoreError::Spec { .. })));
}

#[test]
fn a_run_that_returns_a_random_round_has_drawn_it_when_it_began() {
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
fn more_rounds_of_another_run_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    carry_out(dir.path(), &job(2)).unwrap();
    let other = RunConfig { episodes: 3, ..job(4) };
    assert!(matches!(carry_out(dir.path(), &other), Err(StoreError::Spec { .. })));
}

/// Pushes harder than any motor can, after a few answers that are possible.
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
fn an_answer_outside_the_declared_box_is_an_error_and_never_written() {
    let dir = tempfile::tempdir().unwrap();
    let job = RunConfig { algorithm: dagger(Sampling::Stride(3)), ..job(2) };
    let mut envs = SyncVectorEnv::new(vec![PendulumEnv::default(); 2]).unwrap();
    let (mut expert, oracle) = (Strongman { modest: 3 }, LeastSquares::default());
    let mut run_dir = job.open(dir.path(), "pendulum", &expert, &oracle).unwrap();
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &oracle };
    let error = run(participants, &job, &mut run_dir, &mut Silent).unwrap_err().to_string();
    assert!(error.contains('5') && error.contains("-2") && error.contains('2'), "{error}");
    drop(run_dir);
    let history = read_history::<f32, f32>(dir.path()).unwrap();
    assert_eq!(history.annotations(), 3, "those before it are kept");
}
