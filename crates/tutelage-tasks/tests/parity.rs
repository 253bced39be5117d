//! States, rewards and flags against recordings of `pybullet_envs`; `golden/README.md` describes
//! the files.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod recording;

use articulated::Trigonometry;
use recording::Recording;
use tutelage::{Batch, Env};
use tutelage_tasks::bullet::{Locomotion, Robot, replay};

fn assert_same_bits(state: &[f32], expected: &[f32], place: &str) {
    let bits = |state: &[f32]| state.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    // The recordings are of glibc with FMA: elsewhere the last bit of a sine may differ.
    let platform = Trigonometry::of_this_platform();
    assert_eq!(bits(state), bits(expected), "{place} ({platform}):\n{state:?}, not\n{expected:?}");
}

/// Plays a recording with resets and compares everything.
fn play_episodes(task: Robot, kind: &str) {
    let recording = Recording::read(task, kind);
    let mut env = Locomotion::new(task).unwrap();
    let mut state = vec![0.0; task.state_width()];
    let mut episodes = 0;
    for step in 0..recording.steps() {
        if let Some(episode) = recording.episode_starting_at(step) {
            env.reset_to(recording.pose(episode), &mut state).unwrap();
            assert_same_bits(
                &state,
                recording.initial_state(episode),
                &format!("{task}, {kind}: reset {episode}"),
            );
            episodes += 1;
        }
        let result = env.step(recording.action(step), &mut state).unwrap();
        recording.compare(step, &state, &format!("{task}, {kind}: step {step}"));
        assert_eq!(result.reward, recording.reward(step), "{task}, {kind}: step {step}");
        assert_eq!(
            (result.terminated, result.truncated),
            recording.flags(step),
            "{task}, {kind}: step {step}"
        );
    }
    assert!(
        recording.steps() >= 2000 && episodes == recording.episodes() && episodes > 1,
        "{task}, {kind}: {episodes} episodes"
    );
}

/// Replays a recording without resets and compares everything from reward `first_reward` on.
fn play_unbroken(task: Robot, kind: &str, first_reward: usize) {
    let recording = Recording::read(task, kind);
    let actions = Batch::from_vec(task.action_width(), recording.actions()).unwrap();
    let replay = replay(task, &actions, Some(recording.pose(0))).unwrap();
    for step in 0..recording.steps() {
        recording.compare(
            step,
            replay.states.row(step + 1),
            &format!("{task}, {kind}: step {step}"),
        );
        let (reward, expected) = (replay.rewards[step], recording.reward(step));
        assert!(
            step < first_reward || reward == expected,
            "{task}, {kind}: step {step}: {reward}, not {expected}"
        );
        assert_eq!(
            (replay.terminated[step], replay.truncated[step]),
            recording.flags(step),
            "{task}, {kind}: step {step}"
        );
    }
}

#[test]
fn random_episodes_are_bit_equal() {
    Robot::ALL.into_iter().for_each(|task| play_episodes(task, "random"));
}

#[test]
fn a_trained_agents_episodes_are_bit_equal() {
    Robot::ALL.into_iter().for_each(|task| play_episodes(task, "expert"));
}

#[test]
fn a_long_run_without_resets_is_bit_equal() {
    for task in Robot::ALL {
        assert!(Recording::read(task, "unbroken").steps() >= 1000);
        play_unbroken(task, "unbroken", 0);
    }
}

/// The floor joins the mean over the parts after the first reset of a `pybullet_envs` object, so
/// only its first potential differs.
#[test]
fn the_first_episode_of_a_reference_object_differs_in_its_first_reward_alone() {
    for task in Robot::ALL {
        play_unbroken(task, "first", 1);
        let recording = Recording::read(task, "first");
        let mut env = Locomotion::new(task).unwrap();
        let mut state = vec![0.0; task.state_width()];
        env.reset_to(recording.pose(0), &mut state).unwrap();
        let expected = recording.initial_state(0);
        let differing: Vec<usize> =
            (0..state.len()).filter(|&i| state[i].to_bits() != expected[i].to_bits()).collect();
        assert!(
            differing.iter().all(|i| [1, 2].contains(i)),
            "{task}: only the bearing may differ, but {differing:?} do"
        );
    }
}
