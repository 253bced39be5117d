//! Reads the golden files.

use std::fs::File;
use std::path::Path;

use ndarray::{Array1, Array2};
use ndarray_npy::NpzReader;
use tutelage_tasks::bullet::Robot;

pub(crate) struct Recording {
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
    pub(crate) fn read(task: Robot, kind: &str) -> Recording {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{task}-{kind}.npz"));
        let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut arrays = NpzReader::new(file).unwrap();
        Recording {
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

    pub(crate) fn steps(&self) -> usize {
        self.actions.nrows()
    }

    pub(crate) fn episodes(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn episode_starting_at(&self, step: usize) -> Option<usize> {
        self.starts.iter().position(|&start| start as usize == step)
    }

    pub(crate) fn pose(&self, episode: usize) -> &[f64] {
        self.poses.row(episode).to_slice().unwrap()
    }

    pub(crate) fn initial_state(&self, episode: usize) -> &[f32] {
        self.initial_states.row(episode).to_slice().unwrap()
    }

    pub(crate) fn action(&self, step: usize) -> &[f32] {
        self.actions.row(step).to_slice().unwrap()
    }

    pub(crate) fn actions(&self) -> Vec<f32> {
        self.actions.iter().copied().collect()
    }

    pub(crate) fn reward(&self, step: usize) -> f64 {
        self.rewards[step]
    }

    /// Terminated and truncated.
    pub(crate) fn flags(&self, step: usize) -> (bool, bool) {
        (self.flags[step] == 1, self.flags[step] == 2)
    }

    /// Panics unless `state` has the bits of the state after `step`; shows the stored state where
    /// there is one.
    pub(crate) fn compare(&self, step: usize, state: &[f32], place: &str) {
        let stored = self.stored_steps.iter().position(|&stored| stored as usize == step);
        let expected = stored.map(|row| self.stored_states.row(row));
        assert_eq!(fnv1a(state), self.state_hashes[step], "{place}:\n{state:?}, not\n{expected:?}");
    }
}

/// The 64-bit FNV-1a hash of a state's bytes, as little-endian f32.
fn fnv1a(state: &[f32]) -> u64 {
    let bytes = state.iter().flat_map(|number| number.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
