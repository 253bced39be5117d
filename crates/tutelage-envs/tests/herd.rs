//! A herd's promises: each lane is a [`Locomotion`] to the bit, whatever happens in the others.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use articulated::InstructionSet;
use tutelage::{Action, Batch, Env, EnvError, LaneError, Rng, Step, Stream, VectorEnv};
use tutelage_envs::{Herd, Locomotion, Normalised, Normaliser, Task};

fn stream(lane: usize) -> Stream {
    Stream::new(9).fork("lane", lane as u64)
}

fn begin(lane: usize, episode: u64) -> Rng {
    stream(lane).fork("reset", episode).rng()
}

/// An environment beside each lane.
struct Alone {
    env: Locomotion,
    state: Vec<f32>,
    actions: Rng,
    episodes: u64,
    step: Step,
}

impl Alone {
    fn new(task: Task, lane: usize) -> Alone {
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

/// Plays random actions in a changing choice of lanes, resetting them when they end.
fn play(mut herd: Herd, steps: usize, name: &str) {
    let (task, count) = (herd.task(), herd.count());
    let mut alone: Vec<Alone> = (0..count).map(|lane| Alone::new(task, lane)).collect();
    (0..count).for_each(|lane| herd.reset(lane, begin(lane, 0)).unwrap());
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
        herd.step(&chosen, &actions).unwrap();
        for (lane, alone) in alone.iter_mut().enumerate() {
            let place = format!("{task}, {name}, step {time}, lane {lane}");
            assert_eq!(bits(herd.state(lane)), bits(&alone.state), "{place}");
            assert_eq!(herd.last_step(lane), alone.step, "{place}");
            if alone.step.is_last() || (time + 31 * lane) % 50 == 49 {
                resets += 1;
                alone.step = Step::default();
                alone.env.reset(begin(lane, alone.episodes), &mut alone.state).unwrap();
                herd.reset(lane, begin(lane, alone.episodes)).unwrap();
                alone.episodes += 1;
            }
        }
    }
    assert!(resets > count, "{task}: only {resets} resets");
}

#[test]
fn every_lane_is_an_environment_of_its_own_to_the_bit() {
    for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
        for task in Task::ALL {
            play(Herd::with(set, task, 7).unwrap(), 300, &set.to_string());
        }
    }
}

#[test]
fn threads_and_the_worlds_that_suit_them_change_nothing() {
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let herd = pool.install(|| Herd::new(Task::Ant, 13).unwrap());
        pool.install(|| play(herd, 60, &format!("{threads} threads")));
    }
}

#[test]
fn states_are_normalised_like_those_of_a_normalised_environment() {
    let normaliser = Normaliser::new(vec![0.5; 15], vec![4.0; 15]).unwrap();
    let narrow = Normaliser::new(vec![0.5; 3], vec![4.0; 3]).unwrap();
    assert!(Herd::new(Task::Hopper, 2).unwrap().normalised(narrow).is_err());
    let mut herd = Herd::new(Task::Hopper, 2).unwrap().normalised(normaliser.clone()).unwrap();
    let mut env = Normalised::new(Locomotion::new(Task::Hopper).unwrap(), normaliser).unwrap();
    let mut state = vec![0.0; 15];
    env.reset(begin(1, 0), &mut state).unwrap();
    herd.reset(1, begin(1, 0)).unwrap();
    assert_eq!(bits(herd.state(1)), bits(&state));
    env.step(&[0.5; 3], &mut state).unwrap();
    herd.step(&[1], &Batch::from_vec(3, vec![0.5; 3]).unwrap()).unwrap();
    assert_eq!(bits(herd.state(1)), bits(&state));
}

fn hoppers(count: usize) -> Herd {
    let mut herd = Herd::new(Task::Hopper, count).unwrap();
    (0..count).for_each(|lane| herd.reset(lane, begin(lane, 0)).unwrap());
    herd
}

#[test]
fn the_lowest_lane_that_fails_is_reported_and_the_others_step() {
    let (mut herd, mut twin) = (hoppers(5), hoppers(5));
    let mut actions = Batch::zeros(5, 3);
    actions.row_mut(1)[2] = f32::NAN; // for lane 3
    actions.row_mut(4)[0] = f32::INFINITY; // for lane 0
    let before: Vec<Vec<f32>> = (0..5).map(|lane| herd.state(lane).to_vec()).collect();
    let error = herd.step(&[4, 3, 2, 1, 0], &actions).unwrap_err();
    let LaneError::Env { lane: 0, source: EnvError::Value { index: 0, .. } } = error else {
        panic!("{error}");
    };
    twin.step(&[4, 2, 1], &Batch::zeros(3, 3)).unwrap();
    for lane in 0..5 {
        assert_eq!(herd.state(lane), twin.state(lane), "lane {lane}");
        assert_eq!(herd.state(lane) == before[lane], [0, 3].contains(&lane), "lane {lane}");
    }
    herd.step(&[0, 1, 2, 3, 4], &Batch::zeros(5, 3)).unwrap();
}

#[test]
fn a_step_needs_an_episode_an_action_of_the_right_width_and_a_lane() {
    let mut herd = Herd::new(Task::Hopper, 3).unwrap();
    herd.reset(0, begin(0, 0)).unwrap();
    let error = herd.step(&[0, 1], &Batch::zeros(2, 3)).unwrap_err();
    assert!(matches!(error, LaneError::Env { lane: 1, source: EnvError::NoEpisode }), "{error}");
    let error = herd.step(&[0], &Batch::zeros(1, 2)).unwrap_err();
    assert_eq!(error.to_string(), "environment 0: action has 2 values, but this task takes 3");
    let error = herd.reset_to(2, &[0.0; 4]).unwrap_err();
    assert_eq!(error.to_string(), "environment 2: pose has 4 values, but this task takes 3");
    assert!(matches!(Herd::new(Task::Hopper, 0), Err(LaneError::Empty)));
}
