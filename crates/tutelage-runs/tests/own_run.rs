//! The folder of a program of one's own: begun, continued, extended, or refused.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::path::Path;

use testbed::{Damper, Gradient, lanes, schedule};
use tutelage::{Deploy, Material, Participants, Sampling, Schedule, bootstrap_dagger};
use tutelage_runs::store::{StoreError, read_history};
use tutelage_runs::{Ending, Job, Keep, Silent, run};

fn job(rounds: usize) -> Job<'static, f32, f32> {
    Job {
        algorithm: bootstrap_dagger(3, Sampling::Stride(3)),
        schedule: Schedule { rounds, ..schedule(1) },
        material: Material::none(),
        episodes: 2,
        keep: Keep::All,
    }
}

fn carry_out(dir: &Path, job: &Job<'_, f32, f32>) -> Result<Ending, StoreError> {
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
        Job {
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
    let other = Job { episodes: 3, ..job(4) };
    assert!(matches!(carry_out(dir.path(), &other), Err(StoreError::Spec { .. })));
}
