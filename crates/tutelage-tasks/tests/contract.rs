//! What every world promises: the contract of environments, errors that change nothing, and drawings.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::fmt::Debug;

use tutelage::check::check_env;
use tutelage::{Element, EnvError, Stream};
use tutelage_draw::render::Renderer;
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
