//! Durable runs: the same bytes whatever happens on the way.

#![allow(clippy::unwrap_used)]

mod testbed;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use testbed::attempts::{STRIDE, attempt, bootstrap_dagger, bytes, finished, whole};
use testbed::{SPACES, damper, lanes, schedule};
use tutelage::algorithm::{behavior_cloning, hand_over};
use tutelage::choice::{Deploy, ExpertActs, Windows};
use tutelage::oracle::DurableOracle;
use tutelage::testing::{Damper, LinearOracle};
use tutelage::{Algorithm, Batch, Expert, ExpertError, Inputs, Participants, Rng};
use tutelage_runs::store::{OsDisk, read_any, read_history};
use tutelage_runs::{Ending, Keep, Observer, RunConfig, Silent, run};

#[test]
fn a_run_learns_and_its_log_says_everything() {
    let dir = finished(&bootstrap_dagger(3), Keep::All);
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
    assert_eq!(LinearOracle.decode(&bytes, SPACES).unwrap().0.len(), 3);
    let round = &history.rounds[1];
    assert_eq!((round.origins.len(), round.rewards.len(), round.intended.len()), (6, 6, 6));
    assert!(round.steps.all >= 26 && round.steps.by_expert == 0);
}

#[test]
fn one_thread_and_several_write_the_same_bytes() {
    for algorithm in [bootstrap_dagger(3), hand_over(Windows::default(), bootstrap_dagger(3))] {
        let [one, several] = [1, 4].map(|threads| {
            let dir = tempfile::tempdir().unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| whole(dir.path(), &algorithm, Keep::All));
            bytes(dir.path())
        });
        assert_eq!(one, several, "{algorithm:?}");
    }
}

/// Wants to stop at the `n`-th opportunity.
struct StopAt(usize);

impl Observer for StopAt {
    fn wants_stop(&mut self) -> bool {
        self.0 = self.0.wrapping_sub(1);
        self.0 == usize::MAX
    }
}

#[test]
fn stopping_at_every_safe_point_changes_nothing() {
    let reference = finished(&bootstrap_dagger(3), Keep::All);
    let dir = tempfile::tempdir().unwrap();
    let mut asked = Vec::new();
    for attempts in 1.. {
        // Up to three safe points each time, so that every attempt makes progress.
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
    assert_eq!(asked.len(), 24, "no state was labeled twice");
}

#[test]
fn a_missing_policy_is_trained_again() {
    let dir = finished(&bootstrap_dagger(2), Keep::All);
    let before = bytes(dir.path());
    fs::remove_file(dir.path().join("policies/round-004.safetensors")).unwrap();
    whole(dir.path(), &bootstrap_dagger(2), Keep::All);
    assert_eq!(bytes(dir.path()), before);
}

#[test]
fn the_evaluation_uses_the_deployed_policy() {
    let result = |deploy| {
        let dir = finished(&Algorithm { deploy, ..bootstrap_dagger(3) }, Keep::All);
        read_history::<f32, f32>(dir.path()).unwrap().results[0].clone()
    };
    let (mean, member) = (result(Deploy::Mean), result(Deploy::UniformMember));
    assert_ne!(mean.deployed.episodes, member.deployed.episodes);
    let rewards = |evaluation: &tutelage::evaluation::Evaluation| -> Vec<f64> {
        evaluation.episodes.iter().map(|episode| episode.reward).collect()
    };
    assert_eq!(rewards(&member.deployed), rewards(mean.random.as_ref().unwrap()));
    assert!(member.random.is_none());
}

/// Drives and labels for a number of calls, then leaves.
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

/// Interrupts a run after every possible number of calls and resumes it; the result must be byte-identical. Returns the numbers
/// of labels and of open queries after each interruption.
fn leave_at_every_call(algorithm: Algorithm) -> Vec<(usize, usize)> {
    let teach = |dir: &Path, calls: usize| {
        let (mut envs, mut expert) = (lanes(), Guest(damper(2), calls));
        let participants =
            Participants { envs: &mut envs, expert: &mut expert, oracle: &LinearOracle };
        let (schedule, inputs) = (schedule(1), Inputs::none());
        let job = RunConfig { algorithm, schedule, inputs, episodes: 5, keep: Keep::All };
        let mut run_dir = job.open(dir, "point mass", &damper(2), &LinearOracle).unwrap();
        run(participants, &job, &mut run_dir, &mut Silent).unwrap()
    };
    let whole = tempfile::tempdir().unwrap();
    assert_eq!(teach(whole.path(), usize::MAX), Ending::Finished);
    let expected = bytes(whole.path());
    let mut left = Vec::new();
    for calls in 0.. {
        let broken = tempfile::tempdir().unwrap();
        if teach(broken.path(), calls) == Ending::Finished {
            return left;
        }
        let history = read_any(broken.path()).unwrap();
        left.push((history.annotations(), history.open_queries()));
        assert_eq!(teach(broken.path(), usize::MAX), Ending::Finished);
        assert!(bytes(broken.path()) == expected, "interrupted at call {calls}");
    }
    unreachable!("the run does not end")
}

/// In every round the expert left while it drove, without open queries, and in the middle of the round's six queries.
fn check_interruptions(left: &[(usize, usize)]) {
    for before in [0, 6, 12, 18] {
        assert!(left.contains(&(before, 0)), "while driving, {before} labels: {left:?}");
        assert!(left.contains(&(before + 2, 4)), "while labeling, {before} labels: {left:?}");
    }
}

#[test]
fn an_expert_that_leaves_at_any_call_loses_nothing() {
    let left = leave_at_every_call(behavior_cloning(ExpertActs::Sampled, STRIDE));
    check_interruptions(&left);
}

#[test]
fn a_run_interrupted_within_a_window_resumes_to_the_same_bytes() {
    let left = leave_at_every_call(hand_over(Windows::default(), bootstrap_dagger(2)));
    check_interruptions(&left);
}
