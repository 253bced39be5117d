//! The contract of environments: conformance and errors.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use tutelage::check::check_env;
use tutelage::{Env, EnvError, Stream};
use tutelage_tasks::bullet::{HORIZON, Locomotion, Robot};

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
