//! The environments' contract: conformance, refusals, and independence of threads.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use tutelage::check::check_env;
use tutelage::{Batch, Env, EnvError, Stream, SyncVectorEnv, VectorEnv};
use tutelage_envs::{HORIZON, Locomotion, Robot};

fn new(task: Robot) -> Locomotion {
    Locomotion::new(task).unwrap()
}

#[test]
fn tasks_keep_the_contract() {
    for task in Robot::ALL {
        check_env(|| new(task), Stream::new(5)).unwrap_or_else(|breach| panic!("{task}: {breach}"));
    }
}

#[test]
fn steps_need_a_running_episode() {
    let mut env = new(Robot::Hopper);
    let mut state = [0.0; 15];
    assert!(matches!(env.step(&[0.0; 3], &mut state), Err(EnvError::NoEpisode)));
    env.reset(Stream::new(1).rng(), &mut state).unwrap();
    while !env.step(&[1.0; 3], &mut state).unwrap().is_last() {}
    assert!(matches!(env.step(&[0.0; 3], &mut state), Err(EnvError::NoEpisode)));
    env.reset(Stream::new(1).rng(), &mut state).unwrap();
    assert!(env.step(&[0.0; 3], &mut state).is_ok());
}

#[test]
fn invalid_input_is_an_error_and_changes_nothing() {
    let (mut env, mut twin) = (new(Robot::Ant), new(Robot::Ant));
    let (mut state, mut expected) = ([0.0; 28], [0.0; 28]);
    env.reset(Stream::new(1).rng(), &mut state).unwrap();
    twin.reset(Stream::new(1).rng(), &mut expected).unwrap();

    let mut action = [0.0; 8];
    action[5] = f32::INFINITY;
    let refused = env.step(&action, &mut state).unwrap_err();
    assert!(
        matches!(refused, EnvError::Value { what: "action", index: 5, value, .. } if value == f64::INFINITY),
        "{refused}"
    );
    let refused = env.step(&[0.0; 7], &mut state).unwrap_err();
    assert!(
        matches!(refused, EnvError::Width { what: "action", expected: 8, found: 7 }),
        "{refused}"
    );
    let refused = env.step(&[0.0; 8], &mut [0.0; 3]).unwrap_err();
    assert!(
        matches!(refused, EnvError::Width { what: "state", expected: 28, found: 3 }),
        "{refused}"
    );
    let refused = env.reset_to(&[0.0; 3], &mut state).unwrap_err();
    assert!(
        matches!(refused, EnvError::Width { what: "pose", expected: 8, found: 3 }),
        "{refused}"
    );

    assert_eq!(
        env.step(&[0.5; 8], &mut state).unwrap(),
        twin.step(&[0.5; 8], &mut expected).unwrap()
    );
    assert_eq!(state, expected);
}

#[test]
fn cheetahs_are_truncated_at_the_time_limit() {
    let mut env = new(Robot::HalfCheetah);
    let mut state = [0.0; 26];
    env.reset(Stream::new(1).rng(), &mut state).unwrap();
    for step in 1..=HORIZON {
        let result = env.step(&[0.0; 6], &mut state).unwrap();
        assert_eq!((result.terminated, result.truncated), (false, step == HORIZON), "step {step}");
    }
}

/// States of 25 lanes after 60 steps of random actions, each lane reset whenever its episode ends.
fn play_lanes(threads: usize) -> Vec<Vec<f32>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut lanes = SyncVectorEnv::new((0..25).map(|_| new(Robot::Hopper)).collect()).unwrap();
        let all: Vec<usize> = (0..25).collect();
        let mut rng = Stream::new(7).fork("actions", 0).rng();
        let mut actions = Batch::zeros(25, 3);
        for &lane in &all {
            lanes.reset(lane, Stream::new(7).fork("reset", lane as u64).rng()).unwrap();
        }
        for time in 1..=60 {
            for &lane in &all {
                tutelage::Element::draw_uniform(3, &mut rng, actions.row_mut(lane));
            }
            lanes.step(&all, &actions).unwrap();
            for &lane in &all {
                if lanes.last_step(lane).is_last() {
                    lanes
                        .reset(lane, Stream::new(7).fork("again", 100 * time + lane as u64).rng())
                        .unwrap();
                }
            }
        }
        all.iter().map(|&lane| lanes.state(lane).to_vec()).collect()
    })
}

#[test]
fn threads_do_not_change_lanes() {
    let alone = play_lanes(1);
    assert_eq!(alone, play_lanes(3));
    assert!(alone.windows(2).all(|pair| pair[0] != pair[1]), "each lane has its own random stream");
}
