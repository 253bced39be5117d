//! What is wrong from outside, plans, answers, stored examples, is refused with a name and before anybody builds on it.

#![allow(clippy::unwrap_used)]

mod walk;

use std::sync::Arc;

use tutelage::*;
use walk::*;

#[test]
fn bad_plans_and_bad_answers_are_named() {
    let attempt = |algorithm: &Algorithm<f32, f32>, plan: &Plan| {
        let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
        let mut expert = Rightwards { asked: 0, batch: usize::MAX };
        let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Leftwards };
        let mut go_on = |_: Event<'_, f32, f32, Constant>| Ok(Flow::Continue);
        learn(setting, algorithm, plan, Progress::none(SPACES), &mut go_on).unwrap_err()
    };
    let good = plan(Sampling::Stride(5));
    assert!(matches!(attempt(&dagger(), &Plan { rounds: 0, ..good }), LearnError::NoRounds));
    assert!(matches!(
        attempt(&dagger(), &Plan { states_per_round: 0, ..good }),
        LearnError::NoStates
    ));
    assert!(matches!(
        attempt(&dagger(), &Plan { sampling: Sampling::Stride(0), ..good }),
        LearnError::NoStride
    ));
    assert!(matches!(attempt(&bootstrap_dagger(0), &good), LearnError::NoMembers));
    let cover = Arc::new(UniformBox::new(-2.0, 2.0).unwrap());
    assert!(matches!(
        attempt(&mftpl_p(1, -1.0, cover), &good),
        LearnError::TrainOn(TrainOnError::Lambda(_))
    ));
    let separator = Arc::new(Batch::zeros(1, 2));
    assert!(matches!(
        attempt(&logger_m(1, 1.0, separator), &good),
        LearnError::TrainOn(TrainOnError::Continuous)
    ));
    let short = Arc::new(Dataset::empty(SPACES));
    assert!(matches!(
        attempt(&supervised(short), &good),
        LearnError::StoredTooShort { needed: 24, stored: 0 }
    ));
}

struct Silent(f32);

impl Expert for Silent {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        _: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        if self.0 == 0.0 {
            return Err(ExpertError::Other("gone home".into()));
        }
        actions.row_mut(2)[0] = self.0;
        Ok(())
    }
}

#[test]
fn an_expert_that_fails_or_answers_nonsense_is_named_with_its_round() {
    let attempt = |answer: f32| {
        let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
        let setting =
            Setting { lanes: &mut lanes, expert: &mut Silent(answer), oracle: &Leftwards };
        let mut go_on = |_: Event<'_, f32, f32, Constant>| Ok(Flow::Continue);
        learn(setting, &dagger(), &plan(Sampling::Stride(5)), Progress::none(SPACES), &mut go_on)
            .unwrap_err()
    };
    assert_eq!(attempt(0.0).to_string(), "round 1: the expert failed: gone home");
    assert!(matches!(attempt(f32::NAN), LearnError::Label { round: 1, row: 2, index: 0, .. }));
}

/// An expert that answers with rows of another number or width.
struct Shapeless {
    rows: usize,
    width: usize,
}

impl Expert for Shapeless {
    type State = f32;
    type Action = f32;

    fn annotate(
        &mut self,
        states: &Batch<f32>,
        _: &mut [Rng],
        actions: &mut Batch<f32>,
    ) -> Result<(), ExpertError> {
        self.mean(states, actions)
    }

    fn mean(&mut self, _: &Batch<f32>, actions: &mut Batch<f32>) -> Result<(), ExpertError> {
        *actions = Batch::zeros(self.rows, self.width);
        Ok(())
    }
}

#[test]
fn answers_of_another_shape_are_named_before_anybody_sees_them() {
    let attempt = |rows: usize, width: usize, algorithm: &Algorithm<f32, f32>| {
        let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
        let mut expert = Shapeless { rows, width };
        let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Leftwards };
        let mut watch = |event: Event<'_, f32, f32, Constant>| {
            assert!(!matches!(event, Event::Annotated { .. }), "a bad answer was shown");
            Ok(Flow::Continue)
        };
        let plan = plan(Sampling::Stride(5));
        learn(setting, algorithm, &plan, Progress::none(SPACES), &mut watch).unwrap_err()
    };
    let error = attempt(6, 2, &dagger());
    assert!(
        matches!(error, LearnError::AnswerWidth { round: 1, found: 2, expected: 1 }),
        "{error}"
    );
    let error = attempt(5, 1, &dagger());
    assert!(matches!(error, LearnError::Answers { asked: 6, given: 5, .. }), "{error}");
    for (rows, width) in [(0, 1), (1, 3)] {
        let error = attempt(rows, width, &behavior_cloning(ExpertActs::Mean));
        assert!(
            matches!(
                error,
                LearnError::Collect { source: RolloutError::Shape { asked: 1, .. }, .. }
            ),
            "{error}"
        );
    }
}

#[test]
fn a_mean_that_does_not_answer_row_by_row_is_no_reference() {
    let attempt = |expert: &mut Shapeless| {
        let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
        let policy = Constant(vec![0.5]);
        let actor = Actor::policy(&policy, Acting::Mean);
        evaluate(&mut lanes, actor, Some(expert), 2, &Stream::new(3))
    };
    for (rows, width) in [(0, 1), (1, 2)] {
        let error = attempt(&mut Shapeless { rows, width }).unwrap_err();
        assert!(matches!(error, RolloutError::Shape { who: "the expert's mean", .. }), "{error}");
    }
    assert!(attempt(&mut Shapeless { rows: 1, width: 1 }).is_ok());
}

#[test]
fn examples_from_outside_must_be_of_the_task() {
    let attempt = |algorithm: &Algorithm<f32, f32>, open: Option<OpenRound<f32, f32>>| {
        let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
        let mut expert = Rightwards { asked: 0, batch: usize::MAX };
        let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Leftwards };
        let mut go_on = |_: Event<'_, f32, f32, Constant>| Ok(Flow::Continue);
        let progress = Progress { open, ..Progress::none(SPACES) };
        learn(setting, algorithm, &plan(Sampling::Stride(5)), progress, &mut go_on)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let open = |states, labels| {
        Some(OpenRound { states: Batch::zeros(6, states), labels: Batch::zeros(2, labels) })
    };
    assert_eq!(attempt(&dagger(), open(2, 1)), Ok(()));
    let state = "a state of the open round has 3 values; in this task it has 2";
    assert_eq!(attempt(&dagger(), open(3, 1)), Err(state.into()));
    let answer = "an answer of the open round has 2 values; in this task it has 1";
    assert_eq!(attempt(&dagger(), open(2, 2)), Err(answer.into()));
    let stored = |states, actions| {
        let data = Dataset { states: Batch::zeros(24, states), actions: Batch::zeros(24, actions) };
        attempt(&supervised(Arc::new(data)), None)
    };
    assert_eq!(stored(2, 1), Ok(()));
    assert_eq!(stored(3, 1), Err("a stored state has 3 values; in this task it has 2".into()));
    assert_eq!(stored(2, 2), Err("a stored action has 2 values; in this task it has 1".into()));
}

/// An oracle whose policies leave the action box.
struct Unbounded;

impl Oracle for Unbounded {
    type State = f32;
    type Action = f32;
    type Policy = Constant;

    fn fit(&self, sets: &TrainingSets<'_, f32, f32>, _: &Stream) -> Result<Constant, OracleError> {
        Ok(Constant(vec![1.5; sets.members()]))
    }
}

#[test]
fn an_oracle_whose_policies_do_not_clip_breaks_its_contract() {
    let data = run(&dagger(), Sampling::Stride(5)).data;
    let breach = check_oracle(&Unbounded, &data, SPACES, Stream::new(1)).unwrap_err().to_string();
    assert!(breach.contains("[-1, 1]"), "{breach}");
}
