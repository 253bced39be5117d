//! Invalid schedules, labels and stored data are refused before they are used.

#![allow(clippy::unwrap_used)]

mod walk;

use tutelage::actor::{DeployedPolicy, RolloutError};
use tutelage::algorithm::{
    active_dagger, behavior_cloning, bootstrap_dagger, dagger, dart, ensemble_dagger, hand_over,
    hg_dagger, logger_m, mixed_dagger, mp, supervised,
};
use tutelage::check::{ContractViolation, check_expert, check_oracle};
use tutelage::choice::{Ask, Beta, Deploy, ExpertActs, TrainOnError, Windows};
use tutelage::cover::UniformBox;
use tutelage::evaluation::evaluate;
use tutelage::expert::NoDriver;
use tutelage::lesson::{LearnError, Learned, Progress, Round};
use tutelage::space::SpaceError;
use tutelage::{
    ActionSpace, Algorithm, Batch, Bounds, Dataset, Expert, ExpertError, Inputs, Lesson,
    Participants, Sampling, Schedule, Stream, SyncVectorEnv, learn,
};
use walk::*;

fn attempt(
    expert: &mut impl Expert<State = f32, Action = f32>,
    algorithm: Algorithm,
    schedule: Schedule,
    inputs: Inputs<'_, f32, f32>,
) -> Result<Learned<f32, f32, Constant>, LearnError> {
    let mut envs = walks(1);
    let participants = Participants { envs: &mut envs, expert, oracle: &Leftwards };
    learn(participants, algorithm, schedule, inputs)
}

#[test]
fn invalid_numbers_are_refused() {
    let good = schedule();
    let refused = |algorithm, schedule, symbol: &str| {
        let cover = UniformBox::new(-2.0, 2.0).unwrap();
        let inputs = Inputs { cover: Some(&cover), ..Inputs::none() };
        let error = attempt(&mut rightwards(), algorithm, schedule, inputs).unwrap_err();
        assert!(matches!(error, LearnError::Number { what, .. } if what == symbol), "{error}");
    };
    refused(dagger(STRIDE), Schedule { rounds: 0, ..good }, "rounds");
    refused(dagger(STRIDE), Schedule { states_per_round: 0, ..good }, "states_per_round");
    refused(dagger(Sampling::Stride(0)), good, "stride");
    refused(bootstrap_dagger(0, STRIDE), good, "members");
    refused(mixed_dagger(Beta::Constant(2.0), STRIDE), good, "beta");
    refused(mixed_dagger(Beta::Linear(0), STRIDE), good, "M");
    refused(dart(f64::NAN, STRIDE), good, "alpha");
    refused(ensemble_dagger(2, -1.0, 0.1, 1), good, "chi");
    refused(hg_dagger(2, f64::INFINITY, 1), good, "tau");
    refused(hg_dagger(2, 0.1, 0), good, "stride");
    let endless = Windows { length: 1.5, ..Windows::default() };
    refused(hand_over(endless, dagger(STRIDE)), good, "length");
    refused(active_dagger(2, 0, STRIDE), good, "m");
}

#[test]
fn choices_that_do_not_fit_are_refused() {
    let refused =
        |algorithm| attempt(&mut rightwards(), algorithm, schedule(), Inputs::none()).unwrap_err();
    let error = refused(logger_m(1, 1.0, STRIDE));
    assert!(matches!(error, LearnError::TrainOn(TrainOnError::Continuous)), "{error}");
    let error = refused(mp(2, 3, STRIDE));
    assert!(matches!(error, LearnError::TrainOn(TrainOnError::Missing("d0"))), "{error}");
    let error = refused(supervised());
    assert!(matches!(error, LearnError::StoredTooShort { rounds: 4, stored: 0 }), "{error}");
    let error = refused(active_dagger(1, 4, STRIDE));
    assert!(matches!(error, LearnError::NoDispute { members: 1 }), "{error}");
    let never = Algorithm { ask: Ask::WhereExpertDrove { every: 1 }, ..dagger(STRIDE) };
    assert!(matches!(refused(never), LearnError::NeverDrives));
}

#[test]
fn failures_of_the_expert_name_the_round() {
    let attempt = |label: f32| {
        let mut expert = Writing(|_: &Batch<f32>, actions: &mut Batch<f32>| {
            actions.row_mut(2)[0] = label;
            if label == 0.0 { Err(ExpertError::Other("gone home".into())) } else { Ok(()) }
        });
        attempt(&mut expert, dagger(STRIDE), schedule(), Inputs::none()).unwrap_err()
    };
    assert!(matches!(attempt(0.0), LearnError::Annotate { round: 1, .. }));
    let error = attempt(f32::NAN);
    let LearnError::InvalidLabel { round: 1, source } = error else { panic!("{error}") };
    assert!(matches!(source, SpaceError::Value { row: 2, index: 0, .. }), "{source}");
}

#[test]
fn an_expert_that_only_labels_cannot_drive() {
    let mut envs = walks(1);
    for algorithm in [behavior_cloning(ExpertActs::Sampled, STRIDE), hg_dagger(1, 0.1, 1)] {
        let mut lesson: Lesson<'_, f32, f32, Constant> =
            Lesson::new(&envs, algorithm, schedule(), Inputs::none(), Progress::none()).unwrap();
        lesson.next(&mut envs, &mut NoDriver, &Leftwards).unwrap();
        let error = lesson.next(&mut envs, &mut NoDriver, &Leftwards).unwrap_err();
        let LearnError::Collect { round: 1, source } = error else { panic!("{error}") };
        assert!(matches!(source, RolloutError::Expert(ExpertError::CannotDrive)), "{source}");
    }
}

/// An expert whose labels have these rows and this width.
fn shapeless(rows: usize, width: usize) -> impl Expert<State = f32, Action = f32> {
    Writing(move |_: &Batch<f32>, actions: &mut Batch<f32>| {
        *actions = Batch::zeros(rows, width);
        Ok(())
    })
}

#[test]
fn labels_of_the_wrong_shape_are_refused() {
    let attempt = |rows: usize, width: usize, algorithm| {
        let mut expert = shapeless(rows, width);
        attempt(&mut expert, algorithm, schedule(), Inputs::none()).unwrap_err()
    };
    let source = |error| match error {
        LearnError::InvalidLabel { round: 1, source } => source,
        LearnError::Collect { source: RolloutError::InvalidActions { source, .. }, .. } => source,
        error => panic!("{error}"),
    };
    let wide = source(attempt(6, 2, dagger(STRIDE)));
    assert_eq!(wide, SpaceError::Width { found: 2, expected: 1 });
    let few = source(attempt(5, 1, dagger(STRIDE)));
    assert_eq!(few, SpaceError::Rows { found: 5, expected: 6 });
    for (rows, width) in [(0, 1), (1, 3)] {
        source(attempt(rows, width, behavior_cloning(ExpertActs::Mean, STRIDE)));
    }
}

#[test]
fn a_reference_needs_one_action_per_state() {
    let attempt = |rows, width| {
        let policy = Constant(vec![0.5]);
        let mut actor = DeployedPolicy::new(&policy, Deploy::Mean);
        let expert = &mut shapeless(rows, width);
        evaluate(&mut walks(1), &mut actor, Some(expert), 2, &Stream::new(3))
    };
    for (rows, width) in [(0, 1), (1, 2)] {
        let error = attempt(rows, width).unwrap_err();
        assert!(
            matches!(error, RolloutError::InvalidActions { who: "the expert's mean", .. }),
            "{error}"
        );
    }
    assert!(attempt(1, 1).is_ok());
}

#[test]
fn rounds_to_resume_must_belong_to_the_task() {
    let resume = |progress: Progress<f32, f32, Constant>| {
        let lesson = Lesson::new(&walks(1), dagger(STRIDE), schedule(), Inputs::none(), progress);
        lesson.map(|_| ())
    };
    let open = |states, actions| {
        let mut round = Round::new(Batch::zeros(6, states), actions);
        round.label(&[0, 1], &Batch::zeros(2, actions));
        resume(Progress { open: Some(round), ..Progress::none() })
    };
    assert!(open(2, 1).is_ok());
    for (states, actions) in [(3, 1), (2, 2)] {
        let error = open(states, actions).unwrap_err();
        assert!(matches!(error, LearnError::Progress { round: 1, .. }), "{error}");
    }
    let rounds = vec![Round::new(Batch::zeros(6, 2), 1); 5];
    let error = resume(Progress { rounds, ..Progress::none() }).unwrap_err();
    assert!(matches!(error, LearnError::TooManyRounds { found: 5, rounds: 4 }), "{error}");
}

#[test]
fn stored_rounds_must_belong_to_the_task() {
    let stored = |states, actions| {
        let good = Dataset { states: Batch::zeros(24, 2), actions: Batch::zeros(24, 1) };
        let mut rounds = good.rounds(6);
        rounds[2] = Dataset { states: Batch::zeros(9, states), actions: Batch::zeros(9, actions) };
        let inputs = Inputs { stored: Some(&rounds), ..Inputs::none() };
        attempt(&mut rightwards(), supervised(), schedule(), inputs)
    };
    assert!(stored(2, 1).is_ok());
    for (states, actions, wrong) in [(3, 1, "states"), (2, 2, "actions")] {
        let error = stored(states, actions).unwrap_err();
        assert!(matches!(error, LearnError::Stored { round: 3, what, .. } if what == wrong));
    }
}

#[test]
fn an_episode_that_exceeds_the_horizon_is_an_error() {
    let mut envs = SyncVectorEnv::new(vec![Walk { endless: true, ..Walk::default() }]).unwrap();
    let policy = Constant(vec![0.0]);
    let mut actor = DeployedPolicy::new(&policy, Deploy::Mean);
    let error = evaluate(&mut envs, &mut actor, None, 1, &Stream::new(1)).unwrap_err();
    assert!(matches!(error, RolloutError::Horizon { lane: 0, horizon: HORIZON }), "{error}");
}

#[test]
fn check_oracle_finds_actions_outside_the_box() {
    let data = run(dagger(STRIDE)).data;
    let unbounded = Playing(&|sets, _| vec![1.5; sets.members()]);
    let error = check_oracle(&unbounded, &data, SPACES, Stream::new(1)).unwrap_err();
    assert!(matches!(error, ContractViolation::Oracle(_)), "{error}");
}

#[test]
fn check_expert_finds_violations() {
    // Labels that depend on the size of the batch.
    let mut counting = Writing(|states: &Batch<f32>, actions: &mut Batch<f32>| {
        actions.as_mut_slice().fill(1.0 / states.len() as f32);
        Ok(())
    });
    let states = Batch::zeros(3, 2);
    let space = |bounds| ActionSpace { size: 1, bounds };
    let clipping = space(Bounds::unit(1).clipping());
    check_expert(&mut rightwards(), &states, &clipping, Stream::new(1)).unwrap();
    let outside = space(Bounds::unit(1));
    let error = check_expert(&mut rightwards(), &states, &outside, Stream::new(1)).unwrap_err();
    assert!(matches!(error, ContractViolation::Expert(_)), "{error}");
    let error = check_expert(&mut counting, &states, &clipping, Stream::new(1)).unwrap_err();
    assert!(matches!(error, ContractViolation::Expert(_)), "{error}");
}
