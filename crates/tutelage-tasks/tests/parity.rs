//! States, rewards and flags against recordings of `pybullet_envs`; `golden/README.md` describes
//! the files.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fs::File;
use std::path::Path;

use articulated::Trigonometry;
use ndarray::{Array1, Array2};
use ndarray_npy::NpzReader;
use tutelage::{Batch, Env, Step};
use tutelage_tasks::bullet::{Locomotion, Robot, replay};

/// A golden file; `flags` are 1 for terminated and 2 for truncated.
struct Recording {
    name: String,
    starts: Array1<u32>,
    poses: Array2<f64>,
    initial_states: Array2<f32>,
    actions: Array2<f32>,
    rewards: Array1<f64>,
    flags: Array1<u8>,
    state_hashes: Array1<u64>,
    stored_steps: Array1<u32>,
    stored_states: Array2<f32>,
}

impl Recording {
    fn read(task: Robot, kind: &str) -> Recording {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{task}-{kind}.npz"));
        let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut arrays = NpzReader::new(file).unwrap();
        Recording {
            name: format!("{task}, {kind}"),
            starts: arrays.by_name("starts").unwrap(),
            poses: arrays.by_name("poses").unwrap(),
            initial_states: arrays.by_name("initial_states").unwrap(),
            actions: arrays.by_name("actions").unwrap(),
            rewards: arrays.by_name("rewards").unwrap(),
            flags: arrays.by_name("flags").unwrap(),
            state_hashes: arrays.by_name("state_hashes").unwrap(),
            stored_steps: arrays.by_name("stored_steps").unwrap(),
            stored_states: arrays.by_name("stored_states").unwrap(),
        }
    }

    fn pose(&self, episode: usize) -> &[f64] {
        self.poses.row(episode).to_slice().unwrap()
    }

    /// Compares the bits of a step, and shows the stored state if there is one. Rewards are compared
    /// from step `first_reward` on.
    fn compare(&self, step: usize, state: &[f32], result: Step, first_reward: usize) {
        let place = format!("{}: step {step}", self.name);
        let stored = self.stored_steps.iter().position(|&stored| stored as usize == step);
        let expected = stored.map(|row| self.stored_states.row(row));
        assert_eq!(fnv1a(state), self.state_hashes[step], "{place}:\n{state:?}, not\n{expected:?}");
        assert!(step < first_reward || result.reward == self.rewards[step], "{place}: {result:?}");
        let flags = (self.flags[step] == 1, self.flags[step] == 2);
        assert_eq!((result.terminated, result.truncated), flags, "{place}");
    }
}

/// The 64-bit FNV-1a hash of a state's bytes, as little-endian f32.
fn fnv1a(state: &[f32]) -> u64 {
    let bytes = state.iter().flat_map(|number| number.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The indices at which the bits of two states differ.
fn differences(state: &[f32], expected: &[f32]) -> Vec<usize> {
    (0..state.len()).filter(|&i| state[i].to_bits() != expected[i].to_bits()).collect()
}

/// Plays a recording with resets and compares everything.
fn play_episodes(task: Robot, kind: &str) {
    let recording = Recording::read(task, kind);
    let mut env = Locomotion::new(task).unwrap();
    let mut state = vec![0.0; task.state_width()];
    let mut episodes = 0;
    for (step, action) in recording.actions.rows().into_iter().enumerate() {
        if let Some(episode) = recording.starts.iter().position(|&start| start as usize == step) {
            env.reset_to(recording.pose(episode), &mut state).unwrap();
            let expected = recording.initial_states.row(episode).to_slice().unwrap();
            // The recordings are of glibc with FMA: elsewhere the last bit of a sine may differ.
            let (name, platform) = (&recording.name, Trigonometry::of_this_platform());
            let place =
                format!("{name}: reset {episode} ({platform}):\n{state:?}, not\n{expected:?}");
            assert!(differences(&state, expected).is_empty(), "{place}");
            episodes += 1;
        }
        let result = env.step(action.to_slice().unwrap(), &mut state).unwrap();
        recording.compare(step, &state, result, 0);
    }
    let complete = episodes == recording.starts.len() && episodes > 1;
    assert!(complete && recording.rewards.len() >= 2000, "{}: {episodes} episodes", recording.name);
}

/// Replays a recording without resets and compares everything from reward `first_reward` on.
fn play_unbroken(recording: &Recording, task: Robot, first_reward: usize) {
    let actions = recording.actions.iter().copied().collect();
    let actions = Batch::from_vec(task.action_width(), actions).unwrap();
    let replay = replay(task, &actions, Some(recording.pose(0))).unwrap();
    for step in 0..actions.len() {
        let result = Step {
            reward: replay.rewards[step],
            terminated: replay.terminated[step],
            truncated: replay.truncated[step],
        };
        recording.compare(step, replay.states.row(step + 1), result, first_reward);
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
        let recording = Recording::read(task, "unbroken");
        assert!(recording.rewards.len() >= 1000);
        play_unbroken(&recording, task, 0);
    }
}

/// The floor joins the mean over the parts after the first reset of a `pybullet_envs` object, so
/// only its first potential differs, and of its first state only the bearing.
#[test]
fn first_episode_differs_only_in_its_first_reward() {
    for task in Robot::ALL {
        let recording = Recording::read(task, "first");
        play_unbroken(&recording, task, 1);
        let mut env = Locomotion::new(task).unwrap();
        let mut state = vec![0.0; task.state_width()];
        env.reset_to(recording.pose(0), &mut state).unwrap();
        let differing = differences(&state, recording.initial_states.row(0).to_slice().unwrap());
        assert!(differing.iter().all(|i| [1, 2].contains(i)), "{task}: {differing:?}");
    }
}
