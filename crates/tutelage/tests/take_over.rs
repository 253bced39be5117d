//! A person takes the controls and lets go of them; and episodes are played again from where their states come from.

#![allow(clippy::unwrap_used)]

mod walk;

use rand::RngExt;
use tutelage::actor::{Actor, DeployedPolicy, RolloutError};
use tutelage::algorithm::{bootstrap_dagger, ensemble_dagger, hg_dagger, take_over};
use tutelage::choice::{Ask, Deploy, Drive, ExpertActs, Gate};
use tutelage::expert::Driver;
use tutelage::lesson::{LessonEvent, Origin, Progress, Queries};
use tutelage::oracle::TrainingSets;
use tutelage::{
    Algorithm, AlgorithmName, Batch, Env, ExpertError, Inputs, Lesson, Oracle, OracleError,
    Participants, Sampling, Schedule, Stream, learn,
};
use walk::*;

/// Takes the controls where the learner has gone three to the left, drives right, and lets go behind the origin.
#[derive(Default)]
struct Hands {
    holds: bool,
    /// Every state seen, what the learner intended there, and who drove.
    seen: Vec<(Vec<f32>, f32, bool)>,
}

/// What the person does at the controls, in the task's units.
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

/// Everything that is asked while this algorithm runs, each with what was driven there.
fn questions(algorithm: Algorithm, hands: &mut Hands) -> Vec<Queries<f32, f32>> {
    let mut envs = walks(1);
    let schedule = Schedule { rounds: 2, states_per_round: 8, ..schedule() };
    let mut lesson =
        Lesson::new(&envs, algorithm, schedule, Inputs::none(), Progress::none()).unwrap();
    let mut asked = Vec::new();
    loop {
        match lesson.next(&mut envs, hands, &Leftwards).unwrap() {
            LessonEvent::Ask(questions) => {
                let pushes = Batch::from_vec(1, vec![PUSH; questions.rows.len()]).unwrap();
                lesson.label(&questions.rows, &pushes).unwrap();
                asked.push(questions);
            }
            LessonEvent::Trained { .. } => {}
            LessonEvent::Finished => return asked,
        }
    }
}

#[test]
fn whoever_takes_over_drives_until_letting_go_and_is_asked_there_alone() {
    let mut hands = Hands::default();
    let asked = questions(take_over(2, 1), &mut hands);
    assert_eq!(asked.len(), 2);
    for questions in &asked {
        assert_eq!(questions.states.len(), 8);
        for state in questions.states.rows() {
            assert!(hands.seen.iter().any(|(seen, _, holds)| seen == state && *holds), "{state:?}");
        }
    }
    // Left to itself the learner goes left for good; it was turned back, and drove left again after that.
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
fn the_person_is_shown_what_the_members_mean_to_do() {
    let mut hands = Hands::default();
    questions(take_over(3, 1), &mut hands);
    // Members play -1, -2, -3 before there is any data, and the task takes no more than -1.
    let first = hands.seen.first().unwrap();
    assert_eq!(first.1, -2.0, "{first:?}");
}

#[test]
fn an_algorithm_that_lets_the_expert_drive_is_not_take_over() {
    let (mut envs, mut hands) = (walks(1), Hands::default());
    for other in [hg_dagger(2, 0.5, 1), ensemble_dagger(2, 0.1, 0.5, 1)] {
        let mut lesson =
            Lesson::new(&envs, other, schedule(), Inputs::none(), Progress::none()).unwrap();
        let ended = std::iter::repeat_with(|| lesson.next(&mut envs, &mut hands, &Leftwards))
            .find(|turn| !matches!(turn, Ok(LessonEvent::Trained { .. })));
        let error = ended.unwrap().unwrap_err();
        let expected = RolloutError::Expert(ExpertError::CannotDrive).to_string();
        assert!(std::error::Error::source(&error).unwrap().to_string() == expected, "{error:?}");
    }
    assert!(hands.seen.is_empty(), "and nobody was asked to step in");
}

#[test]
fn an_expert_without_hands_cannot_take_over() {
    let (mut envs, mut expert) = (walks(1), rightwards());
    let participants = Participants { envs: &mut envs, expert: &mut expert, oracle: &Leftwards };
    let error = learn(participants, take_over(2, 1), schedule(), Inputs::none()).unwrap_err();
    let expected = RolloutError::Expert(ExpertError::CannotIntervene).to_string();
    assert!(std::error::Error::source(&error).unwrap().to_string() == expected, "{error:?}");
}

#[test]
fn its_name_makes_it() {
    let named: AlgorithmName = "take-over-4".parse().unwrap();
    let algorithm = named.algorithm(Sampling::Stride(7), ExpertActs::Sampled);
    assert_eq!(algorithm, take_over(4, 7));
    let Algorithm { drive, ask, members, .. } = algorithm;
    assert_eq!((drive, members), (Drive::Gated(Gate::Human), 4));
    assert_eq!(ask, Ask::WhereExpertDrove { every: 7 });
}

/// "Trains" members of which each goes its own way, so that it matters who of them drives, and when.
struct Apart;

impl Oracle for Apart {
    type State = f32;
    type Action = f32;
    type Policy = Constant;

    fn fit(&self, sets: &TrainingSets<'_, f32, f32>, _: &Stream) -> Result<Constant, OracleError> {
        Ok(Constant((0..sets.members()).map(|e| if e % 2 == 0 { 1.0 } else { -1.0 }).collect()))
    }
}

/// The state that an episode reaches in so many steps, played again from its stream.
fn again(origin: &Origin, stream: Stream, act: &mut dyn FnMut(&Batch<f32>) -> f32) -> Vec<f32> {
    let (mut walk, mut states) = (Walk { at: 0.0, time: 0 }, Batch::zeros(1, 2));
    walk.reset(stream.fork("env", 0).rng(), states.row_mut(0)).unwrap();
    for _ in 0..origin.time {
        let action = act(&states);
        walk.step(&[action], states.row_mut(0)).unwrap();
    }
    states.row(0).to_vec()
}

#[test]
fn an_origin_is_enough_to_play_an_episode_again() {
    for sampling in [STRIDE, Sampling::Independent] {
        let (mut envs, mut expert) = (walks(3), rightwards());
        let (algorithm, schedule) = (bootstrap_dagger(4, sampling), schedule());
        let mut lesson =
            Lesson::new(&envs, algorithm, schedule, Inputs::none(), Progress::none()).unwrap();
        let mut ways = std::collections::HashSet::new();
        while lesson.round() <= schedule.rounds {
            let turn = lesson.next(&mut envs, &mut expert, &Apart).unwrap();
            let LessonEvent::Ask(questions) = turn else { continue };
            let policy = lesson.policy().unwrap();
            for (origin, state) in questions.origins.iter().zip(questions.states.rows()) {
                let stream = origin.stream(&schedule, questions.round, algorithm.ask);
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
            questions
                .ask(&mut expert, |rows, actions| lesson.label(rows, actions).map(|()| true))
                .unwrap();
        }
        assert!(ways.len() > 5, "episodes differ: {ways:?}");
    }
}

#[test]
fn an_origin_is_enough_where_a_person_took_over() {
    let algorithm = take_over(1, 1);
    let schedule = Schedule { rounds: 2, states_per_round: 8, ..schedule() };
    for questions in questions(algorithm, &mut Hands::default()) {
        for (origin, state) in questions.origins.iter().zip(questions.states.rows()) {
            let stream = origin.stream(&schedule, questions.round, algorithm.ask);
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
fn streams_of_other_rounds_draws_and_attempts_differ() {
    let schedule = schedule();
    let ask = Ask::Sampled(Sampling::Independent);
    let first = Origin { episode: 1, attempt: 0, time: 3 };
    let draw = |origin: &Origin, round, ask| {
        origin.stream(&schedule, round, ask).fork("env", 0).rng().random::<u64>()
    };
    let same = draw(&first, 1, ask);
    assert_eq!(draw(&Origin { time: 9, ..first }, 1, ask), same, "the moment is not the episode");
    for other in [
        draw(&first, 2, ask),
        draw(&Origin { episode: 2, ..first }, 1, ask),
        draw(&Origin { attempt: 1, ..first }, 1, ask),
        draw(&first, 1, Ask::Sampled(STRIDE)),
    ] {
        assert_ne!(other, same);
    }
}
