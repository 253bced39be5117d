//! The lesson: labels in any order, in parts, revised or skipped; and bit-identical resumption from any point.

#![allow(clippy::unwrap_used)]

mod walk;

use std::sync::atomic::{AtomicUsize, Ordering};

use rand::seq::SliceRandom;
use tutelage::algorithm::{
    behavior_cloning, bootstrap_dagger, dagger, dart, hand_over, hg_dagger, mixed_dagger,
};
use tutelage::choice::{Beta, Deploy, ExpertActs, Windows};
use tutelage::expert::NoDriver;
use tutelage::lesson::{LearnError, LessonEvent, Progress, Queries};
use tutelage::oracle::TrainingSets;
use tutelage::{
    Algorithm, Batch, Bounds, Env, EnvError, Inputs, Lesson, Oracle, OracleError, Rng, Sampling,
    Spaces, Step, Stream, SyncVectorEnv,
};
use walk::*;

type WalkLesson = Lesson<'static, f32, f32, Constant>;

fn lesson(algorithm: Algorithm, progress: Progress<f32, f32, Constant>) -> WalkLesson {
    Lesson::new(&walks(1), algorithm, schedule(), Inputs::none(), progress).unwrap()
}

fn next(lesson: &mut WalkLesson) -> LessonEvent<f32, f32> {
    lesson.next(&mut walks(1), &mut rightwards(), &Leftwards).unwrap()
}

fn ask(lesson: &mut WalkLesson) -> Queries<f32, f32> {
    loop {
        match next(lesson) {
            LessonEvent::Ask(queries) => return queries,
            LessonEvent::Trained { .. } => {}
            LessonEvent::Finished => panic!("nothing is left to ask"),
        }
    }
}

/// The expert's labels of some rows.
fn labels(queries: &Queries<f32, f32>, rows: &[u32]) -> Batch<f32> {
    let state =
        |row: &u32| queries.states.row(queries.rows.iter().position(|asked| asked == row).unwrap());
    Batch::from_vec(1, rows.iter().map(|row| label(state(row))).collect()).unwrap()
}

#[test]
fn labels_come_in_any_order_and_in_parts() {
    let reference = run(dagger(STRIDE));
    let mut lesson = lesson(dagger(STRIDE), Progress::none());
    let mut rng = Stream::new(7).rng();
    for _ in 0..4 {
        let queries = ask(&mut lesson);
        let mut rows = queries.rows.clone();
        rows.shuffle(&mut rng);
        for part in rows.chunks(4) {
            lesson.label(part, &labels(&queries, part)).unwrap();
            assert_eq!(
                lesson.open().unwrap().open_rows().len() % 6,
                (6 - part.len()) % 6 * usize::from(part.len() == 4)
            );
        }
    }
    while next(&mut lesson) != LessonEvent::Finished {}
    assert_eq!(lesson.data(), &reference.data);
    assert_eq!(lesson.policy(), Some(&reference.last));
}

#[test]
fn rows_without_a_reply_are_asked_again() {
    let mut lesson = lesson(dagger(STRIDE), Progress::none());
    let queries = ask(&mut lesson);
    lesson.label(&[1, 4], &labels(&queries, &[1, 4])).unwrap();
    let rest = ask(&mut lesson);
    assert_eq!((rest.round, &rest.rows[..]), (1, &[0, 2, 3, 5][..]));
    assert_eq!(rest.states.row(1), queries.states.row(2));
    assert_eq!(rest.origins[1], queries.origins[2]);
    assert!(lesson.data().is_empty(), "nothing is used before the round closes");
}

#[test]
fn a_label_can_be_revised_until_the_round_closes() {
    let mut lesson = lesson(dagger(STRIDE), Progress::none());
    let queries = ask(&mut lesson);
    lesson.label(&queries.rows, &labels(&queries, &queries.rows)).unwrap();
    let better = Batch::from_vec(1, vec![-0.25]).unwrap();
    lesson.label(&[3], &better).unwrap();
    assert_eq!(next(&mut lesson), LessonEvent::Trained { round: 1 });
    assert_eq!(lesson.data().actions.row(3), [-0.25]);
    assert_eq!(lesson.data().len(), 6);
    assert!(matches!(lesson.label(&[3], &better), Err(LearnError::NothingAsked { round: 2 })));
}

#[test]
fn skipped_rows_are_not_trained_on() {
    let mut lesson = lesson(dagger(STRIDE), Progress::none());
    let queries = ask(&mut lesson);
    lesson.skip(&[0, 5]).unwrap();
    lesson.label(&[5], &labels(&queries, &[5])).unwrap(); // undoes the skip
    lesson.label(&[1, 2, 3, 4], &labels(&queries, &[1, 2, 3, 4])).unwrap();
    assert_eq!(next(&mut lesson), LessonEvent::Trained { round: 1 });
    assert_eq!(lesson.data().len(), 5);
    assert_eq!(lesson.data().states.row(0), queries.states.row(1));
    let queries = ask(&mut lesson);
    assert_eq!(queries.round, 2);
    lesson.skip(&queries.rows).unwrap();
    assert_eq!(next(&mut lesson), LessonEvent::Trained { round: 2 });
    assert_eq!((lesson.round(), lesson.data().len()), (3, 5), "a round may be empty");
}

#[test]
fn queries_carry_origins_returns_and_intended_actions() {
    let mut lesson = lesson(dagger(STRIDE), Progress::none());
    let queries = ask(&mut lesson);
    let states = queries.states.rows();
    for (row, (state, origin)) in states.zip(&queries.origins).enumerate() {
        assert_eq!(state[1], origin.time as f32, "the state contains the time");
        // It always went left, and the rewards are its positions.
        let start = state[0] + state[1];
        let sum: f32 = (1..=origin.time).map(|t| start - t as f32).sum();
        assert!((queries.rewards[row] - f64::from(sum)).abs() < 1e-3, "row {row}");
        assert_eq!(queries.intended.row(row), [-1.0], "what π₁ would have done");
    }
    let open = lesson.open().unwrap();
    assert!(open.steps.all >= 26 && open.steps.by_expert == 0, "{:?}", open.steps);
}

#[test]
fn steps_of_the_expert_are_counted() {
    let counted = |algorithm| {
        let mut lesson = lesson(algorithm, Progress::none());
        ask(&mut lesson);
        lesson.open().unwrap().steps
    };
    let bc = counted(behavior_cloning(ExpertActs::Sampled, STRIDE));
    assert_eq!(bc.all, bc.by_expert);
    let mixed = counted(mixed_dagger(Beta::Constant(0.5), STRIDE));
    assert!(0 < mixed.by_expert && mixed.by_expert < mixed.all, "{mixed:?}");
    let windows = Windows { at_start: 0.0, by_expert: 0, ..Windows::default() };
    let handed_over = counted(hand_over(windows, dagger(STRIDE)));
    assert!(handed_over.by_expert > handed_over.all / 2, "{handed_over:?}");
}

/// Stops after various numbers of events, and resumes from the progress so far.
#[test]
fn resuming_anywhere_is_bit_identical() {
    for algorithm in [
        dagger(STRIDE),
        bootstrap_dagger(4, Sampling::Independent),
        mixed_dagger(Beta::Power(0.7), STRIDE),
        dart(2.0, STRIDE),
        hg_dagger(2, 0.1, 3),
        hand_over(Windows::default(), bootstrap_dagger(2, STRIDE)),
    ] {
        let whole = run(algorithm);
        let mut progress = Progress::none();
        for stop_after in [0, 1, 2, 3, 1, 0, 2].iter().cycle().take(60) {
            let mut lesson = lesson(algorithm, progress.clone());
            for _ in 0..*stop_after {
                match next(&mut lesson) {
                    LessonEvent::Ask(queries) => {
                        let rows = &queries.rows[..2.min(queries.rows.len())];
                        lesson.label(rows, &labels(&queries, rows)).unwrap();
                    }
                    LessonEvent::Trained { round } if round > progress.rounds.len() => {
                        progress.rounds.push(progress.open.take().unwrap());
                    }
                    LessonEvent::Trained { .. } => {}
                    LessonEvent::Finished => break,
                }
                progress.open = lesson.open().cloned();
            }
        }
        let mut lesson = lesson(algorithm, progress);
        assert_eq!(lesson.round(), 5, "all rounds are closed: {algorithm:?}");
        while next(&mut lesson) != LessonEvent::Finished {}
        assert_eq!((lesson.data(), lesson.policy()), (&whole.data, Some(&whole.last)));
    }
}

/// Fails in every other call.
struct Moody(AtomicUsize);

impl Oracle for Moody {
    type State = f32;
    type Action = f32;
    type Policy = Constant;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, f32>,
        stream: &Stream,
    ) -> Result<Constant, OracleError> {
        match self.0.fetch_add(1, Ordering::Relaxed) % 2 {
            0 => Err(OracleError::NoMembers),
            _ => Leftwards.fit(sets, stream),
        }
    }
}

#[test]
fn failed_training_is_repeated_first() {
    let deployed = Algorithm { deploy: Deploy::RandomRound, ..bootstrap_dagger(2, STRIDE) };
    for algorithm in [dagger(STRIDE), deployed] {
        let whole = run(algorithm);
        let mut lesson = lesson(algorithm, Progress::none());
        let (oracle, mut failures) = (Moody(AtomicUsize::new(0)), 0);
        loop {
            match lesson.next(&mut walks(1), &mut rightwards(), &oracle) {
                Ok(LessonEvent::Ask(queries)) => {
                    let rows = &queries.rows;
                    lesson.label(rows, &labels(&queries, rows)).unwrap();
                }
                Ok(LessonEvent::Trained { .. }) => {}
                Ok(LessonEvent::Finished) => break,
                Err(LearnError::Train { .. }) => failures += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(failures, 5, "before the first round and after each of four");
        assert_eq!((lesson.data(), lesson.policy()), (&whole.data, Some(&whole.last)));
        assert_eq!(lesson.into_parts().2, whole.random_round);
    }
}

/// A task with torques from -2 to 6.
struct Torque(usize);

impl Env for Torque {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        Spaces { states: 1, actions: 1 }
    }

    fn horizon(&self) -> usize {
        10
    }

    fn bounds(&self) -> Bounds {
        Bounds::new(vec![-2.0], vec![6.0]).unwrap()
    }

    fn reset(&mut self, _: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        (self.0, state[0]) = (0, 0.0);
        Ok(())
    }

    fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
        (self.0, state[0]) = (self.0 + 1, action[0]);
        Ok(Step { reward: f64::from(action[0]), terminated: false, truncated: self.0 == 10 })
    }
}

#[test]
fn actions_are_mapped_between_the_tasks_box_and_the_unit_box() {
    let mut envs = SyncVectorEnv::new(vec![Torque(0)]).unwrap();
    let algorithm = dagger(Sampling::Stride(2));
    let mut lesson: Lesson<'_, f32, f32, Constant> =
        Lesson::new(&envs, algorithm, schedule(), Inputs::none(), Progress::none()).unwrap();
    let mut event = || lesson.next(&mut envs, &mut NoDriver, &Leftwards).unwrap();
    event();
    let LessonEvent::Ask(queries) = event() else { panic!("nothing is asked") };
    // π₁ always plays -1, the lowest torque.
    assert!(queries.states.rows().all(|state| state == [-2.0]), "{queries:?}");
    assert_eq!(queries.intended.row(0), [-2.0], "queries are in the task's units");
    let labels = Batch::from_vec(1, vec![-2.0, 6.0, 2.0, 4.0, 0.0, 2.0]).unwrap();
    lesson.label(&queries.rows, &labels).unwrap();
    let outside = Batch::from_vec(1, vec![6.5]).unwrap();
    let error = lesson.label(&[2], &outside).unwrap_err();
    assert!(matches!(error, LearnError::InvalidLabel { round: 1, .. }), "{error}");
    lesson.next(&mut envs, &mut NoDriver, &Leftwards).unwrap();
    assert_eq!(lesson.data().actions.as_slice(), [-1.0, 1.0, 0.0, 0.5, -0.5, 0.0]);
}
