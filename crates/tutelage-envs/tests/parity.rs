//! States, rewards and flags against recordings of `pybullet_envs`; `golden/README.md` describes the files.

use std::fs::File;
use std::path::Path;

use ndarray::{Array1, Array2};
use ndarray_npy::NpzReader;
use tutelage_envs::{Locomotion, Task};

struct Recording {
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

fn read(task: Task, kind: &str) -> Recording {
    let folder = std::env::var("GOLDEN").unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden").to_owned());
    let path = Path::new(&folder).join(format!("{task}-{kind}.npz"));
    let mut file = NpzReader::new(File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap();
    Recording {
        starts: file.by_name("starts").unwrap(),
        poses: file.by_name("poses").unwrap(),
        initial_states: file.by_name("initial_states").unwrap(),
        actions: file.by_name("actions").unwrap(),
        rewards: file.by_name("rewards").unwrap(),
        flags: file.by_name("flags").unwrap(),
        state_hashes: file.by_name("state_hashes").unwrap(),
        stored_steps: file.by_name("stored_steps").unwrap(),
        stored_states: file.by_name("stored_states").unwrap(),
    }
}

/// The 64-bit FNV-1a hash of a state's bytes, as little-endian f32.
fn fnv1a(state: &[f32]) -> u64 {
    let bytes = state.iter().flat_map(|number| number.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn bits(state: &[f32]) -> Vec<u32> {
    state.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn quick() {
    for task in Task::ALL {
        let recording = read(task, "random");
        let mut env = Locomotion::new(task).unwrap();
        let mut state = vec![0.0; task.state_width()];
        let mut episode = 0;
        for step in 0..recording.actions.nrows() {
            if episode < recording.starts.len() && recording.starts[episode] as usize == step {
                env.reset_to(recording.poses.row(episode).as_slice().unwrap(), &mut state).unwrap();
                assert_eq!(bits(&state), bits(recording.initial_states.row(episode).as_slice().unwrap()), "{task} reset {episode}\n{state:?}\n{}", recording.initial_states.row(episode));
                episode += 1;
            }
            let outcome = env.step(recording.actions.row(step).as_slice().unwrap(), &mut state).unwrap();
            if step < 200 {
                let e = recording.stored_states.row(step);
                assert_eq!(bits(&state), bits(e.as_slice().unwrap()), "{task} step {step}\n{state:?}\n{e}");
            }
            assert_eq!(fnv1a(&state), recording.state_hashes[step], "{task} step {step}");
            assert!((outcome.reward - recording.rewards[step]).abs() < 1e-6, "{task} step {step} {} {}", outcome.reward, recording.rewards[step]);
            assert_eq!(u8::from(outcome.terminated) + 2 * u8::from(outcome.truncated), recording.flags[step]);
        }
        println!("{task} ok");
    }
}
