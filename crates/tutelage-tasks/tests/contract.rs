//! The contract of environments: conformance, errors that change nothing, and drawings.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fmt::Debug;

use tutelage::check::check_env;
use tutelage::{Element, Env, EnvError, Stream};
use tutelage_draw::render::Renderer;
use tutelage_tasks::bullet::{HORIZON, Locomotion, Robot};
use tutelage_tasks::worlds::{CartPoleEnv, DriveEnv, DriveFiveEnv, GridEnv, PendulumEnv, World};

/// Checks a world, which must reject these actions.
fn check<W: World + PartialEq + Debug>(invalid: &[&[W::Action]]) {
    check_env(W::default, Stream::new(1)).unwrap();
    let mut world = W::default();
    let (spaces, width) = (world.spaces(), W::Action::width(world.spaces().actions));
    let (mut state, action) = (vec![0.0; spaces.states], vec![W::Action::default(); width]);
    assert!(matches!(world.step(&action, &mut state), Err(EnvError::NoEpisode)));
    assert!(world.reset(Stream::new(1).rng(), &mut state[1..]).is_err());
    world.reset(Stream::new(1).rng(), &mut state).unwrap();

    let before = world.clone();
    for action in invalid {
        let error = world.step(action, &mut state).unwrap_err();
        assert!(matches!(error, EnvError::Value { what: "action", .. }), "{error}");
    }
    let wide = vec![W::Action::default(); width + 1];
    let error = world.step(&wide, &mut state).unwrap_err();
    assert!(matches!(error, EnvError::Width { what: "action", .. }), "{error}");
    let error = world.step(&action, &mut state[1..]).unwrap_err();
    assert!(matches!(error, EnvError::Width { what: "state", .. }), "{error}");
    assert_eq!(world, before, "errors change nothing");

    let first = state.clone();
    world.reset(Stream::new(2).rng(), &mut state).unwrap();
    assert_ne!(state, first, "initial states are random");
}

/// Checks that drawings can be rendered and follow the state.
fn check_drawing<W: World>() {
    let mut world = W::default();
    let renderer = Renderer::new(160, 120).unwrap();
    assert_eq!(renderer.draw(&world.render()).unwrap().size(), (160, 120), "before any episode");

    let (spaces, stream) = (world.spaces(), Stream::new(7));
    let mut state = vec![0.0; spaces.states];
    let mut action = vec![W::Action::default(); W::Action::width(spaces.actions)];
    let mut rng = stream.fork("act", 0).rng();
    world.reset(stream.rng(), &mut state).unwrap();
    let first = world.render();
    for _ in 0..10 {
        W::Action::draw_uniform(spaces.actions, &mut rng, &mut action);
        if world.step(&action, &mut state).unwrap().is_last() {
            break;
        }
    }
    assert_ne!(renderer.draw(&world.render()).unwrap(), renderer.draw(&first).unwrap());
}

#[test]
fn worlds_keep_the_contract() {
    check::<CartPoleEnv>(&[&[2]]);
    check::<PendulumEnv>(&[&[f32::NAN], &[f32::INFINITY], &[2.1], &[-2.1]]);
    check::<DriveEnv>(&[&[0.0, 1.1], &[-1.1, 0.0], &[f32::NAN, 0.0]]);
    check::<DriveFiveEnv>(&[&[5]]);
    check::<GridEnv>(&[&[4]]);
}

#[test]
fn drawings_follow_the_state() {
    check_drawing::<CartPoleEnv>();
    check_drawing::<PendulumEnv>();
    check_drawing::<DriveEnv>();
    check_drawing::<DriveFiveEnv>();
    check_drawing::<GridEnv>();
}

#[test]
fn robots_keep_the_contract() {
    for robot in Robot::ALL {
        let new = || Locomotion::new(robot).unwrap();
        check_env(new, Stream::new(5)).unwrap_or_else(|breach| panic!("{robot}: {breach}"));
    }
}

/// A robot at the start of an episode, and its state.
fn started(robot: Robot) -> (Locomotion, Vec<f32>) {
    let (mut env, mut state) = (Locomotion::new(robot).unwrap(), vec![0.0; robot.state_width()]);
    env.reset(Stream::new(1).rng(), &mut state).unwrap();
    (env, state)
}

#[test]
fn robot_steps_need_a_running_episode() {
    let mut idle = Locomotion::new(Robot::Hopper).unwrap();
    let (mut env, mut state) = started(Robot::Hopper);
    assert!(matches!(idle.step(&[0.0; 3], &mut state), Err(EnvError::NoEpisode)));
    while !env.step(&[1.0; 3], &mut state).unwrap().is_last() {}
    assert!(matches!(env.step(&[0.0; 3], &mut state), Err(EnvError::NoEpisode)));
    env.reset(Stream::new(1).rng(), &mut state).unwrap();
    assert!(env.step(&[0.0; 3], &mut state).is_ok());
}

#[test]
fn invalid_input_to_a_robot_changes_nothing() {
    let ((mut env, mut state), (mut twin, mut expected)) =
        (started(Robot::Ant), started(Robot::Ant));
    let mut action = [0.0; 8];
    action[5] = f32::INFINITY;
    let refused = env.step(&action, &mut state).unwrap_err();
    assert!(matches!(refused, EnvError::Value { what: "action", index: 5, .. }), "{refused}");
    for (refused, widths) in [
        (env.step(&[0.0; 7], &mut state).unwrap_err(), ("action", 8, 7)),
        (env.step(&[0.0; 8], &mut [0.0; 3]).unwrap_err(), ("state", 28, 3)),
        (env.reset_to(&[0.0; 3], &mut state).unwrap_err(), ("pose", 8, 3)),
    ] {
        let EnvError::Width { what, expected, found } = refused else { panic!("{refused}") };
        assert_eq!((what, expected, found), widths);
    }
    let step = env.step(&[0.5; 8], &mut state).unwrap();
    assert_eq!(step, twin.step(&[0.5; 8], &mut expected).unwrap());
    assert_eq!(state, expected);
}

#[test]
fn cheetahs_are_truncated_at_the_time_limit() {
    let (mut env, mut state) = started(Robot::HalfCheetah);
    for step in 1..=HORIZON {
        let result = env.step(&[0.0; 6], &mut state).unwrap();
        assert_eq!((result.terminated, result.truncated), (false, step == HORIZON), "step {step}");
    }
}
