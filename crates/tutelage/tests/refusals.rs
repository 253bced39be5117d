//! What is wrong from outside, schedules, answers, stored examples, is refused with a name and before anybody builds on it.

#![allow(clippy::unwrap_used)]

mod walk;

use tutelage::actor::{DeployedPolicy, RolloutError};
use tutelage::algorithm::{
    active_dagger, behavior_cloning, bootstrap_dagger, dagger, dart, ensemble_dagger, hand_over,
    hg_dagger, logger_m, mftpl_p, mixed_dagger, mp, supervised,
};
use tutelage::check::{ContractViolation, check_expert, check_oracle};
use tutelage::choice::{Ask, Beta, Deploy, ExpertActs, Windows};
use tutelage::cover::UniformBox;
use tutelage::evaluation::evaluate;
use tutelage::expert::NoDriver;
use tutelage::lesson::{LearnError, Learned, Progress, Round};
use tutelage::{
    ActionSpace, Algorithm, Batch, Bounds, Dataset, Env, EnvError, Expert, ExpertError, Inputs,
    Lesson, Participants, Rng, Sampling, Schedule, Spaces, Step, Stream, SyncVectorEnv, learn,
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
fn bad_schedules_and_bad_choices_are_named() {
    let good = schedule();
    let refused = |algorithm, schedule, words: &[&str]| {
        let cover = UniformBox::new(-2.0, 2.0).unwrap();
        let inputs = Inputs { cover: Some(&cover), ..Inputs::none() };
        let error = attempt(&mut rightwards(), algorithm, schedule, inputs).unwrap_err();
        for word in words {
            assert!(error.to_string().contains(word), "{word}: {error}");
        }
    };
    refused(dagger(STRIDE), Schedule { rounds: 0, ..good }, &["rounds is 0"]);
    refused(dagger(STRIDE), Schedule { states_per_round: 0, ..good }, &["states_per_round is 0"]);
    refused(dagger(Sampling::Stride(0)), good, &["stride is 0"]);
    refused(bootstrap_dagger(0, STRIDE), good, &["0 members"]);
    refused(mftpl_p(1, -1.0, STRIDE), good, &["lambda is -1"]);
    refused(logger_m(1, 1.0, STRIDE), good, &["continuous"]);
    refused(supervised(), good, &["rounds is 4", "only 0 rounds are stored"]);
    refused(mixed_dagger(Beta::Constant(2.0), STRIDE), good, &["beta is 2", "from 0 to 1"]);
    refused(mixed_dagger(Beta::Linear(0), STRIDE), good, &["M is 0", "at least 1"]);
    refused(dart(f64::NAN, STRIDE), good, &["alpha is NaN"]);
    refused(ensemble_dagger(2, -1.0, 0.1, 1), good, &["chi is -1"]);
    refused(hg_dagger(2, f64::INFINITY, 1), good, &["tau is inf"]);
    refused(hg_dagger(2, 0.1, 0), good, &["stride is 0"]);
    let endless = Windows { length: 1.5, ..Windows::default() };
    refused(hand_over(endless, dagger(STRIDE)), good, &["length is 1.5", "from 0 to 1"]);
    refused(active_dagger(1, 4, STRIDE), good, &["at least 2 members"]);
    refused(active_dagger(2, 0, STRIDE), good, &["m is 0"]);
    let never = Algorithm { ask: Ask::WhereExpertDrove { every: 1 }, ..dagger(STRIDE) };
    refused(never, good, &["an expert that drives"]);
}

#[test]
fn a_perturbation_without_its_distribution_is_refused() {
    let error = attempt(&mut rightwards(), mp(2, 3, STRIDE), schedule(), Inputs::none());
    assert_eq!(error.unwrap_err().to_string(), "d0 is missing, which this algorithm needs");
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
        let error = attempt(&mut Silent(answer), dagger(STRIDE), schedule(), Inputs::none());
        error.unwrap_err().to_string()
    };
    assert_eq!(attempt(0.0), "round 1: the expert failed: gone home");
    let nonsense =
        "round 1: the expert's answers: row 2, place 0: NaN is not allowed (finite numbers)";
    assert_eq!(attempt(f32::NAN), nonsense);
}

#[test]
fn somebody_who_only_annotates_cannot_drive() {
    let mut envs = walks(1);
    for algorithm in [behavior_cloning(ExpertActs::Sampled, STRIDE), hg_dagger(1, 0.1, 1)] {
        let mut lesson: Lesson<'_, f32, f32, Constant> =
            Lesson::new(&envs, algorithm, schedule(), Inputs::none(), Progress::none()).unwrap();
        lesson.next(&mut envs, &mut NoDriver, &Leftwards).unwrap();
        let error = lesson.next(&mut envs, &mut NoDriver, &Leftwards).unwrap_err().to_string();
        assert!(error.contains("only annotates"), "{error}");
    }
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
fn answers_of_another_shape_are_named_before_anybody_uses_them() {
    let attempt = |rows: usize, width: usize, algorithm| {
        let mut expert = Shapeless { rows, width };
        attempt(&mut expert, algorithm, schedule(), Inputs::none()).unwrap_err().to_string()
    };
    let answers = "round 1: the expert's answers: ";
    let wide = attempt(6, 2, dagger(STRIDE));
    assert_eq!(wide, format!("{answers}rows of 2 values; in this task they have 1"));
    let few = attempt(5, 1, dagger(STRIDE));
    assert_eq!(few, format!("{answers}5 rows where 6 were asked for"));
    for (rows, width) in [(0, 1), (1, 3)] {
        let error = attempt(rows, width, behavior_cloning(ExpertActs::Mean, STRIDE));
        assert!(error.contains("the expert was asked for actions and gave"), "{error}");
    }
}

#[test]
fn a_mean_that_does_not_answer_row_by_row_is_no_reference() {
    let attempt = |expert: &mut Shapeless| {
        let policy = Constant(vec![0.5]);
        let mut actor = DeployedPolicy::new(&policy, Deploy::Mean);
        evaluate(&mut walks(1), &mut actor, Some(expert), 2, &Stream::new(3))
    };
    for (rows, width) in [(0, 1), (1, 2)] {
        let error = attempt(&mut Shapeless { rows, width }).unwrap_err();
        assert!(
            matches!(error, RolloutError::InvalidActions { who: "the expert's mean", .. }),
            "{error}"
        );
    }
    assert!(attempt(&mut Shapeless { rows: 1, width: 1 }).is_ok());
}

#[test]
fn what_is_continued_or_stored_must_be_of_the_task() {
    let begin = |progress: Progress<f32, f32, Constant>| {
        let lesson = Lesson::new(&walks(1), dagger(STRIDE), schedule(), Inputs::none(), progress);
        lesson.map(|_| ()).map_err(|error| error.to_string())
    };
    let open = |states, answers| {
        let mut round = Round::new(Batch::zeros(6, states), answers);
        round.label(&[0, 1], &Batch::zeros(2, answers));
        begin(Progress { open: Some(round), ..Progress::none() })
    };
    assert_eq!(open(2, 1), Ok(()));
    let first = "round 1 of the lesson to continue: rows of";
    assert_eq!(open(3, 1), Err(format!("{first} 3 values; in this task they have 2")));
    assert_eq!(open(2, 2), Err(format!("{first} 2 values; in this task they have 1")));
    let rounds = vec![Round::new(Batch::zeros(6, 2), 1); 5];
    let error = begin(Progress { rounds, ..Progress::none() }).unwrap_err();
    assert!(error.contains("5 rounds, which is more than 4"), "{error}");
    let stored = |states, actions| {
        let good = Dataset { states: Batch::zeros(24, 2), actions: Batch::zeros(24, 1) };
        let mut rounds = good.rounds(6);
        rounds[2] = Dataset { states: Batch::zeros(9, states), actions: Batch::zeros(9, actions) };
        let inputs = Inputs { stored: Some(&rounds), ..Inputs::none() };
        attempt(&mut rightwards(), supervised(), schedule(), inputs)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(stored(2, 1), Ok(()));
    let wrong = |what, found, expected| {
        Err(format!(
            "stored round 3, {what}: rows of {found} values; in this task they have {expected}"
        ))
    };
    assert_eq!(stored(3, 1), wrong("states", 3, 2));
    assert_eq!(stored(2, 2), wrong("actions", 2, 1));
}

/// Never ends.
struct Endless;

impl Env for Endless {
    type State = f32;
    type Action = f32;

    fn spaces(&self) -> Spaces {
        SPACES
    }

    fn horizon(&self) -> usize {
        7
    }

    fn reset(&mut self, _: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        state.fill(0.0);
        Ok(())
    }

    fn step(&mut self, _: &[f32], _: &mut [f32]) -> Result<Step, EnvError> {
        Ok(Step::default())
    }
}

#[test]
fn an_environment_that_outlives_its_horizon_is_an_error_and_no_hang() {
    let mut envs = SyncVectorEnv::new(vec![Endless]).unwrap();
    let policy = Constant(vec![0.0]);
    let mut actor = DeployedPolicy::new(&policy, Deploy::Mean);
    let error = evaluate(&mut envs, &mut actor, None, 1, &Stream::new(1)).unwrap_err();
    assert!(matches!(error, RolloutError::Horizon { lane: 0, horizon: 7 }), "{error}");
}

#[test]
fn an_oracle_whose_policies_do_not_clip_breaks_its_contract() {
    let data = run(dagger(STRIDE)).data;
    let unbounded = Playing(&|sets, _| vec![1.5; sets.members()]);
    let breach = check_oracle(&unbounded, &data, SPACES, Stream::new(1)).unwrap_err().to_string();
    assert!(breach.contains("[-1, 1]"), "{breach}");
}

#[test]
fn an_expert_is_held_to_its_contract() {
    /// Answers by the number of states that it is asked about.
    struct Counting;
    impl Expert for Counting {
        type State = f32;
        type Action = f32;
        fn annotate(
            &mut self,
            states: &Batch<f32>,
            _: &mut [Rng],
            actions: &mut Batch<f32>,
        ) -> Result<(), ExpertError> {
            actions.as_mut_slice().fill(1.0 / states.len() as f32);
            Ok(())
        }
    }
    let states = Batch::zeros(3, 2);
    let space = |bounds| ActionSpace { size: 1, bounds };
    let check = |expert: &mut dyn FnMut() -> Result<(), ContractViolation>| {
        expert().unwrap_err().to_string()
    };
    let clipping = space(Bounds::unit(1).clipping());
    check_expert(&mut rightwards(), &states, &clipping, Stream::new(1)).unwrap();
    let outside = space(Bounds::unit(1));
    let error = check(&mut || check_expert(&mut rightwards(), &states, &outside, Stream::new(1)));
    assert!(error.contains("answers") && error.contains("-1 to 1"), "{error}");
    let error = check(&mut || check_expert(&mut Counting, &states, &clipping, Stream::new(1)));
    assert!(error.contains("its own state"), "{error}");
}
