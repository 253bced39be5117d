//! Each lane of a vector environment is bit-identical to a [`Locomotion`].
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use articulated::InstructionSet;
use tutelage::env::LaneError;
use tutelage::{Batch, Element, Env, EnvError, Rng, Step, Stream, VectorEnv};
use tutelage_tasks::bullet::{
    Locomotion, LocomotionVecEnv, Normalizer, ObservationConfig, ObservedEnv, Robot, TimeFeature,
};

fn stream(lane: usize) -> Stream {
    Stream::new(9).fork("lane", lane as u64)
}

fn begin(lane: usize, episode: u64) -> Rng {
    stream(lane).fork("reset", episode).rng()
}

/// A single environment that a lane is compared with.
struct Alone {
    env: Locomotion,
    state: Vec<f32>,
    actions: Rng,
    episodes: u64,
    step: Step,
}

impl Alone {
    fn new(task: Robot, lane: usize) -> Alone {
        let mut env = Locomotion::new(task).unwrap();
        let mut state = vec![0.0; task.state_width()];
        env.reset(begin(lane, 0), &mut state).unwrap();
        let actions = stream(lane).fork("actions", 0).rng();
        Alone { env, state, actions, episodes: 1, step: Step::default() }
    }
}

fn bits(state: &[f32]) -> Vec<u32> {
    state.iter().map(|number| number.to_bits()).collect()
}

/// Takes random actions in changing lanes and resets them at the end of episodes.
fn play(mut envs: LocomotionVecEnv, steps: usize, name: &str) {
    let (task, count) = (envs.robot(), envs.count());
    let mut alone: Vec<Alone> = (0..count).map(|lane| Alone::new(task, lane)).collect();
    (0..count).for_each(|lane| envs.reset(lane, begin(lane, 0)).unwrap());
    let mut resets = 0;
    for time in 0..steps {
        let chosen: Vec<usize> =
            (0..count).rev().filter(|lane| !(time / 3 + lane).is_multiple_of(5)).collect();
        let mut actions = Batch::zeros(chosen.len(), task.action_width());
        for (row, &lane) in chosen.iter().enumerate() {
            let Alone { env, state, actions: rng, step, .. } = &mut alone[lane];
            f32::draw_uniform(task.action_width(), rng, actions.row_mut(row));
            *step = env.step(actions.row(row), state).unwrap();
        }
        envs.step(&chosen, &actions).unwrap();
        for (lane, alone) in alone.iter_mut().enumerate() {
            let place = format!("{task}, {name}, step {time}, lane {lane}");
            assert_eq!(bits(envs.state(lane)), bits(&alone.state), "{place}");
            assert_eq!(envs.last_step(lane), alone.step, "{place}");
            if alone.step.is_last() || (time + 31 * lane) % 50 == 49 {
                resets += 1;
                alone.step = Step::default();
                alone.env.reset(begin(lane, alone.episodes), &mut alone.state).unwrap();
                envs.reset(lane, begin(lane, alone.episodes)).unwrap();
                alone.episodes += 1;
            }
        }
    }
    assert!(resets > count, "{task}: only {resets} resets");
}

#[test]
fn lanes_equal_single_environments() {
    for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
        for task in Robot::ALL {
            play(LocomotionVecEnv::with(set, task, 7).unwrap(), 300, &set.to_string());
        }
    }
}

#[test]
fn threads_do_not_change_results() {
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let envs = pool.install(|| LocomotionVecEnv::new(Robot::Ant, 13).unwrap());
        pool.install(|| play(envs, 60, &format!("{threads} threads")));
    }
}

#[test]
fn states_are_normalized() {
    let normalizer = Normalizer::new(vec![0.5; 15], vec![4.0; 15]).unwrap();
    let narrow = Normalizer::new(vec![0.5; 3], vec![4.0; 3]).unwrap();
    assert!(LocomotionVecEnv::new(Robot::Hopper, 2).unwrap().normalized(narrow).is_err());
    let mut envs =
        LocomotionVecEnv::new(Robot::Hopper, 2).unwrap().normalized(normalizer.clone()).unwrap();
    let config = ObservationConfig { time_feature: TimeFeature::Omitted, normalizer };
    let mut env = ObservedEnv::new(Locomotion::new(Robot::Hopper).unwrap(), config).unwrap();
    let mut state = vec![0.0; 15];
    env.reset(begin(1, 0), &mut state).unwrap();
    envs.reset(1, begin(1, 0)).unwrap();
    assert_eq!(bits(envs.state(1)), bits(&state));
    env.step(&[0.5; 3], &mut state).unwrap();
    envs.step(&[1], &Batch::from_vec(3, vec![0.5; 3]).unwrap()).unwrap();
    assert_eq!(bits(envs.state(1)), bits(&state));
}

fn hoppers(count: usize) -> LocomotionVecEnv {
    let mut envs = LocomotionVecEnv::new(Robot::Hopper, count).unwrap();
    (0..count).for_each(|lane| envs.reset(lane, begin(lane, 0)).unwrap());
    envs
}

#[test]
fn the_lowest_failing_lane_is_reported() {
    let (mut envs, mut twin) = (hoppers(5), hoppers(5));
    let mut actions = Batch::zeros(5, 3);
    actions.row_mut(1)[2] = f32::NAN; // for lane 3
    actions.row_mut(4)[0] = f32::INFINITY; // for lane 0
    let before: Vec<Vec<f32>> = (0..5).map(|lane| envs.state(lane).to_vec()).collect();
    let error = envs.step(&[4, 3, 2, 1, 0], &actions).unwrap_err();
    let LaneError::Env { lane: 0, source: EnvError::Value { index: 0, .. } } = error else {
        panic!("{error}");
    };
    twin.step(&[4, 2, 1], &Batch::zeros(3, 3)).unwrap();
    for lane in 0..5 {
        assert_eq!(envs.state(lane), twin.state(lane), "lane {lane}");
        assert_eq!(envs.state(lane) == before[lane], [0, 3].contains(&lane), "lane {lane}");
    }
    envs.step(&[0, 1, 2, 3, 4], &Batch::zeros(5, 3)).unwrap();
}

#[test]
fn invalid_steps_are_errors() {
    let mut envs = LocomotionVecEnv::new(Robot::Hopper, 3).unwrap();
    envs.reset(0, begin(0, 0)).unwrap();
    let error = envs.step(&[0, 1], &Batch::zeros(2, 3)).unwrap_err();
    assert!(matches!(error, LaneError::Env { lane: 1, source: EnvError::NoEpisode }), "{error}");
    for (error, expected) in [
        (envs.step(&[0], &Batch::zeros(1, 2)).unwrap_err(), (0, "action")),
        (envs.reset_to(2, &[0.0; 4]).unwrap_err(), (2, "pose")),
    ] {
        let LaneError::Env { lane, source: EnvError::Width { what, .. } } = error else {
            panic!("{error}");
        };
        assert_eq!((lane, what), expected);
    }
    assert!(matches!(LocomotionVecEnv::new(Robot::Hopper, 0), Err(LaneError::Empty)));
}
