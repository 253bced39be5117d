//! A person takes over and returns the controls; and episodes are replayed from the origins of their states.

#![allow(clippy::unwrap_used)]

mod walk;

use rand::RngExt;
use tutelage::actor::{Actor, DeployedPolicy, RolloutError};
use tutelage::algorithm::{bootstrap_dagger, ensemble_dagger, hg_dagger, take_over};
use tutelage::choice::{Ask, Deploy};
use tutelage::expert::Driver;
use tutelage::lesson::{LessonEvent, Origin, Progress, Queries};
use tutelage::{
    Algorithm, Batch, Env, ExpertError, Inputs, Lesson, Participants, Sampling, Schedule, Stream,
    learn,
};
use walk::*;

/// Takes over at -3, drives right, and returns the controls behind the origin.
#[derive(Default)]
struct Hands {
    holds: bool,
    /// Every state seen, the learner's intended action, and whether the person drove.
    seen: Vec<(Vec<f32>, f32, bool)>,
}

/// The person's action in the task's units.
const PUSH: f32 = 0.75;

impl Driver<f32, f32> for Hands {
    fn intervene(
        &mut self,
        states: &Batch<f32>,
        intended: &Batch<f32>,
        actions: &mut Batch<f32>,
    ) -> Result<Vec<bool>, ExpertError> {
        let state = states.row(0);
        self.holds = if self.holds { state[0] < 0.0 } else { state[0] < -3.0 };
        if self.holds {
            actions.row_mut(0)[0] = PUSH;
        }
        self.seen.push((state.to_vec(), intended.row(0)[0], self.holds));
        Ok(vec![self.holds])
    }
}

/// All queries of a lesson.
fn queries(algorithm: Algorithm, hands: &mut Hands) -> Vec<Queries<f32, f32>> {
    let mut envs = walks(1);
    let schedule = Schedule { rounds: 2, states_per_round: 8, ..schedule() };
    let mut lesson =
        Lesson::new(&envs, algorithm, schedule, Inputs::none(), Progress::none()).unwrap();
    let mut asked = Vec::new();
    loop {
        match lesson.next(&mut envs, hands, &Leftwards).unwrap() {
            LessonEvent::Ask(queries) => {
                let pushes = Batch::from_vec(1, vec![PUSH; queries.rows.len()]).unwrap();
                lesson.label(&queries.rows, &pushes).unwrap();
                asked.push(queries);
            }
            LessonEvent::Trained { .. } => {}
            LessonEvent::Finished => return asked,
        }
    }
}

#[test]
fn a_person_drives_until_letting_go_and_labels_these_states() {
    let mut hands = Hands::default();
    let asked = queries(take_over(2, 1), &mut hands);
    assert_eq!(asked.len(), 2);
    for queries in &asked {
        assert_eq!(queries.states.len(), 8);
        for state in queries.states.rows() {
            assert!(hands.seen.iter().any(|(seen, _, holds)| seen == state && *holds), "{state:?}");
        }
    }
    // The learner always goes left; it was turned back, and then drove left again.
    let within =
        |(state, _, _): &&(Vec<f32>, f32, bool)| state[1] > 0.0 && state[1] < HORIZON as f32;
    let steps: Vec<_> = hands.seen.iter().filter(within).collect();
    assert!(steps.iter().all(|(state, ..)| (-4.5..1.5).contains(&state[0])), "{steps:?}");
    for pair in hands.seen.windows(2) {
        let ((before, _, held), (after, ..)) = (&pair[0], &pair[1]);
        if after[1] == before[1] + 1.0 {
            assert_eq!(after[0] > before[0], *held, "right with the person, left with the learner");
        }
    }
}

#[test]
fn the_person_sees_the_members_mean_action() {
    let mut hands = Hands::default();
    queries(take_over(3, 1), &mut hands);
    // Before there are data, members play -1, -2 and -3.
    let first = hands.seen.first().unwrap();
    assert_eq!(first.1, -2.0, "{first:?}");
}

#[test]
fn a_driver_that_only_intervenes_cannot_drive() {
    let (mut envs, mut hands) = (walks(1), Hands::default());
    for other in [hg_dagger(2, 0.5, 1), ensemble_dagger(2, 0.1, 0.5, 1)] {
        let mut lesson =
            Lesson::new(&envs, other, schedule(), Inputs::none(), Progress::none()).unwrap();
        let ended = std::iter::repeat_with(|| lesson.next(&mut envs, &mut hands, &Leftwards))
            .find(|event| !matches!(event, Ok(LessonEvent::Trained { .. })));
        let error = ended.unwrap().unwrap_err();
        let expected = RolloutError::Expert(ExpertError::CannotDrive).to_string();
        assert!(std::error::Error::source(&error).unwrap().to_string() == expected, "{error:?}");
    }
    assert!(hands.seen.is_empty(), "no intervention was requested");
}

#[test]
fn an_expert_cannot_take_over() {
    let (mut envs, mut expert) = (walks(1), rightwards());
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &Leftwards };
    let error = learn(participants, take_over(2, 1), schedule(), Inputs::none()).unwrap_err();
    let expected = RolloutError::Expert(ExpertError::CannotIntervene).to_string();
    assert!(std::error::Error::source(&error).unwrap().to_string() == expected, "{error:?}");
}

/// Replays an episode from its stream to the time of its origin.
fn again(origin: &Origin, stream: Stream, act: &mut dyn FnMut(&Batch<f32>) -> f32) -> Vec<f32> {
    let (mut walk, mut states) = (Walk::default(), Batch::zeros(1, 2));
    walk.reset(stream.fork("env", 0).rng(), states.row_mut(0)).unwrap();
    for _ in 0..origin.time {
        let action = act(&states);
        walk.step(&[action], states.row_mut(0)).unwrap();
    }
    states.row(0).to_vec()
}

#[test]
fn an_origin_suffices_to_replay_an_episode() {
    // Members go different ways, so that it matters which of them drives.
    let way = |e| if e % 2 == 0 { 1.0 } else { -1.0 };
    let oracle = Playing(&|sets, _| (0..sets.members()).map(way).collect());
    for sampling in [STRIDE, Sampling::Independent] {
        let (mut envs, mut expert) = (walks(3), rightwards());
        let (algorithm, schedule) = (bootstrap_dagger(4, sampling), schedule());
        let mut lesson =
            Lesson::new(&envs, algorithm, schedule, Inputs::none(), Progress::none()).unwrap();
        let mut ways = std::collections::HashSet::new();
        while lesson.round() <= schedule.rounds {
            let event = lesson.next(&mut envs, &mut expert, &oracle).unwrap();
            let LessonEvent::Ask(queries) = event else { continue };
            let policy = lesson.policy().unwrap();
            for (origin, state) in queries.origins.iter().zip(queries.states.rows()) {
                let stream = origin.stream(&schedule, queries.round, algorithm.ask);
                let mut rngs = [stream.fork("act", 0).rng()];
                let mut learner = DeployedPolicy::new(policy, Deploy::UniformMember);
                let mut actions = Batch::zeros(1, 1);
                let mut act = |states: &Batch<f32>| {
                    learner.act(&[0], states, &mut rngs, &mut actions).unwrap();
                    actions.row(0)[0]
                };
                assert_eq!(again(origin, stream, &mut act), state, "{origin:?}");
                ways.insert((state[0] + state[1]).round() as i32);
            }
            queries
                .ask(&mut expert, |rows, actions| lesson.label(rows, actions).map(|()| true))
                .unwrap();
        }
        assert!(ways.len() > 5, "episodes differ: {ways:?}");
    }
}

#[test]
fn an_origin_suffices_to_replay_an_intervention() {
    let algorithm = take_over(1, 1);
    let schedule = Schedule { rounds: 2, states_per_round: 8, ..schedule() };
    for queries in queries(algorithm, &mut Hands::default()) {
        for (origin, state) in queries.origins.iter().zip(queries.states.rows()) {
            let stream = origin.stream(&schedule, queries.round, algorithm.ask);
            let (mut hands, learner) = (Hands::default(), Batch::from_vec(1, vec![-1.0]).unwrap());
            let mut act = |states: &Batch<f32>| {
                let mut actions = learner.clone();
                hands.intervene(states, &learner, &mut actions).unwrap();
                actions.row(0)[0]
            };
            assert_eq!(again(origin, stream, &mut act), state, "{origin:?}");
        }
    }
}

#[test]
fn streams_of_rounds_draws_and_attempts_differ() {
    let schedule = schedule();
    let ask = Ask::Sampled(Sampling::Independent);
    let first = Origin { episode: 1, attempt: 0, time: 3 };
    let draw = |origin: &Origin, round, ask| {
        origin.stream(&schedule, round, ask).fork("env", 0).rng().random::<u64>()
    };
    let same = draw(&first, 1, ask);
    assert_eq!(draw(&Origin { time: 9, ..first }, 1, ask), same, "the time does not matter");
    for other in [
        draw(&first, 2, ask),
        draw(&Origin { episode: 2, ..first }, 1, ask),
        draw(&Origin { attempt: 1, ..first }, 1, ask),
        draw(&first, 1, Ask::Sampled(STRIDE)),
    ] {
        assert_ne!(other, same);
    }
}
