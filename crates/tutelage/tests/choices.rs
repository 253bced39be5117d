//! Each of the four choices pinned down: these tests fail if one is swapped for another.

#![allow(clippy::unwrap_used)]

mod walk;

use rand::RngExt;
use tutelage::actor::{Actor, DeployedPolicy, RolloutError};
use tutelage::algorithm::{
    active_dagger, bagging, behavior_cloning, bootstrap_dagger, dagger, dart, ensemble_dagger,
    hand_over, hg_dagger, mftpl_p, mixed_dagger, supervised,
};
use tutelage::choice::{Beta, Deploy, Drive, ExpertActs, Gate, Windows};
use tutelage::cover::UniformBox;
use tutelage::evaluation::evaluate;
use tutelage::lesson::{Learned, LessonEvent, Progress};
use tutelage::oracle::{TrainingSets, View};
use tutelage::{
    Algorithm, Batch, Dataset, Inputs, Lesson, Oracle, OracleError, Participants, Policy,
    PolicyError, Rng, Sampling, Schedule, Stream, learn,
};
use walk::*;

/// Members that walk either way: each action is drawn from the member's stream and depends on its view of D.
fn wandering(sets: &TrainingSets<'_, f32, f32>, stream: &Stream) -> Vec<f32> {
    let states = &sets.data().states;
    let member = |e: usize| {
        let View::Resampled(rows) = sets.view(e) else { panic!("not a bootstrap") };
        let seen: f32 = rows.iter().map(|&row| states.row(row as usize)[0]).sum();
        stream.fork("member", e as u64).rng().random_range(-1.0..1.0) + 0.3 * seen.sin()
    };
    (0..sets.members()).map(member).collect()
}

#[test]
fn data_grows_by_k_a_round_and_nothing_is_forgotten() {
    let (mut envs, mut expert) = (walks(1), rightwards());
    let mut before = Dataset::empty(SPACES);
    let mut lesson =
        Lesson::new(&envs, dagger(STRIDE), schedule(), Inputs::none(), Progress::none()).unwrap();
    loop {
        match lesson.next(&mut envs, &mut expert, &Leftwards).unwrap() {
            LessonEvent::Ask(queries) => queries
                .ask(&mut expert, |rows, actions| lesson.label(rows, actions).map(|()| true))
                .unwrap(),
            LessonEvent::Trained { round } => {
                let (data, policy) = (lesson.data(), lesson.policy().unwrap());
                assert_eq!(data.len(), 6 * round);
                assert_eq!(data.slice(0, before.len()), before, "old examples stay");
                assert_eq!(policy.0[0], -1.0 - data.len() as f32, "it is trained on all of D");
                before = data.clone();
            }
            LessonEvent::Finished => break,
        }
    }
    assert_eq!(expert.asked, 24, "each state is asked about once");
}

/// The number of steps to the right before all states, and the number of all steps.
fn rightward_steps(learned: &Learned<f32, f32, Constant>) -> (usize, usize) {
    let steps = |s: &[f32]| ((s[0] + s[1]) / 2.0).round() as usize;
    let states = &learned.data.states;
    (states.rows().map(steps).sum(), states.rows().map(|s| s[1] as usize).sum())
}

#[test]
fn states_come_from_the_actor() {
    for sampling in [STRIDE, Sampling::Independent] {
        // The learner goes left, the expert right.
        for algorithm in [dagger(sampling), bootstrap_dagger(5, sampling)] {
            assert_eq!(rightward_steps(&run(algorithm)).0, 0, "{algorithm:?}");
        }
        for acts in [ExpertActs::Sampled, ExpertActs::Mean] {
            let (right, all) = rightward_steps(&run(behavior_cloning(acts, sampling)));
            assert_eq!(right, all, "BC, {sampling:?}");
        }
    }
}

#[test]
fn a_mixture_gives_the_expert_its_share_of_steps() {
    let long = Schedule { states_per_round: 200, rounds: 3, ..schedule() };
    let share = |beta| {
        let algorithm = mixed_dagger(beta, Sampling::Independent);
        let learned = run_with(&Leftwards, algorithm, long, Inputs::none());
        [0, 1, 2].map(|n| {
            let data = learned.data.slice(200 * n, 200 * (n + 1));
            let round = Learned { data, ..learned.clone() };
            let (right, all) = rightward_steps(&round);
            right as f64 / all as f64
        })
    };
    assert_eq!(share(Beta::Constant(1.0)), [1.0; 3]);
    assert_eq!(share(Beta::Constant(0.0)), [0.0; 3]);
    for (beta, expected) in [
        (Beta::Constant(0.3), [0.3; 3]),
        (Beta::Power(0.5), [1.0, 0.5, 0.25]),
        (Beta::Linear(2), [1.0, 0.5, 0.0]),
    ] {
        for (found, expected) in share(beta).iter().zip(expected) {
            assert!((found - expected).abs() < 0.06, "{beta:?}: {found}, expected {expected}");
        }
    }
}

/// The expert goes right until it hands over, and the learner goes left: a state shows the time of the hand-over and the
/// steps since.
fn hand_overs(data: &Dataset<f32, f32>) -> Vec<(usize, usize)> {
    let moment = |s: &[f32]| ((s[0] + s[1]) / 2.0).round() as usize;
    data.states.rows().map(|s| (moment(s), s[1] as usize - moment(s))).collect()
}

#[test]
fn states_of_the_hand_over_window_are_labeled() {
    const K: usize = 400;
    let windows = Windows { at_start: 0.4, length: 0.2, growth: 0.1, steady: 2, by_expert: 1 };
    let schedule = Schedule { rounds: 4, states_per_round: K, ..schedule() };
    for (sampling, first) in [(Sampling::Stride(3), 1), (Sampling::Independent, 0)] {
        let algorithm = hand_over(windows, dagger(sampling));
        let learned = run_with(&Leftwards, algorithm, schedule, Inputs::none());
        let round = |n: usize| hand_overs(&learned.data.slice(K * (n - 1), K * n));
        assert!(round(1).iter().all(|&(_, after)| after == 0), "the expert drives the first round");
        // H = 40, so windows of 8, 12 and 16 steps.
        for (n, length) in [(2, 8), (3, 12), (4, 16)] {
            let seen = round(n);
            let last = length - 1 + first;
            assert!(seen.iter().all(|(_, after)| (first..=last).contains(after)), "{n}: {seen:?}");
            assert!(seen.iter().any(|&(_, after)| after == last), "to the window's end");
            let at_start = seen.iter().filter(|(moment, _)| *moment == 0).count() as f64;
            assert!((at_start / K as f64 - 0.4).abs() < 0.1, "{at_start} of {K} at the start");
            let latest = seen.iter().map(|(moment, _)| *moment).max().unwrap();
            let all_but = HORIZON - length;
            assert!((all_but - 4..all_but).contains(&latest), "T < H - L in round {n}: {latest}");
        }
    }
}

#[test]
fn windows_as_long_as_the_horizon_equal_dagger() {
    let whole = Windows { length: 1.0, by_expert: 0, ..Windows::default() };
    for sampling in [STRIDE, Sampling::Independent] {
        let windows = run(hand_over(whole, dagger(sampling)));
        assert_eq!(windows.data, run(dagger(sampling)).data);
    }
}

/// The share of steps to the left of an expert that plays 0.5 with DART's noise.
#[test]
fn dart_adds_noise_as_large_as_the_learners_error() {
    let leftward = |learner: f32, alpha: f64, round: usize| {
        let (mut envs, schedule) = (walks(1), Schedule { states_per_round: 300, ..schedule() });
        let participants = Participants {
            envs: &mut envs,
            expert: &mut scripted(|_| 0.5),
            oracle: &Playing(&|sets, _| vec![learner; sets.members()]),
        };
        let algorithm = dart(alpha, Sampling::Independent);
        let learned = learn(participants, algorithm, schedule, Inputs::none()).unwrap();
        let data = learned.data.slice(300 * (round - 1), 300 * round);
        let (right, all) = rightward_steps(&Learned { data, ..learned });
        1.0 - right as f64 / all as f64
    };
    assert_eq!(leftward(1.0, 1.0, 1), 0.0, "the error before the first round is unknown");
    assert_eq!(leftward(0.5, 1.0, 2), 0.0, "a learner without error adds no noise");
    assert_eq!(leftward(1.0, 0.0, 2), 0.0, "alpha is 0");
    // N(0.5, 0.25) is below 0 with probability Φ(-1) = 0.159.
    assert!((leftward(1.0, 1.0, 2) - 0.159).abs() < 0.03, "{}", leftward(1.0, 1.0, 2));
    // N(0.5, 1) is below 0 with probability Φ(-0.5) = 0.309.
    assert!((leftward(1.0, 4.0, 2) - 0.309).abs() < 0.03, "{}", leftward(1.0, 4.0, 2));
}

/// Members disagree to the left of the origin, and their mean is wrong to the right of 3.
#[derive(Clone, Debug, PartialEq)]
struct Torn;

impl Policy for Torn {
    type State = f32;
    type Action = f32;

    fn members(&self) -> usize {
        2
    }

    fn act_members(
        &self,
        states: &Batch<f32>,
        members: &[u32],
        actions: &mut Batch<f32>,
    ) -> Result<(), PolicyError> {
        for (row, (state, &member)) in states.rows().zip(members).enumerate() {
            let apart = if state[0] < 0.0 { 0.5 * (2.0 * member as f32 - 1.0) } else { 0.0 };
            actions.row_mut(row)[0] = apart - if state[0] > 3.0 { 1.0 } else { 0.1 };
        }
        Ok(())
    }
}

struct Tears;

impl Oracle for Tears {
    type State = f32;
    type Action = f32;
    type Policy = Torn;

    fn fit(&self, _: &TrainingSets<'_, f32, f32>, _: &Stream) -> Result<Torn, OracleError> {
        Ok(Torn)
    }
}

/// Turns back to the left of the origin.
fn guard(state: &[f32]) -> f32 {
    if state[0] < 0.0 { 1.0 } else { -0.1 }
}

fn torn(algorithm: Algorithm, k: usize) -> Vec<f32> {
    let mut envs = walks(1);
    let participants =
        Participants { envs: &mut envs, expert: &mut scripted(guard), oracle: &Tears };
    let schedule = Schedule { states_per_round: k, rounds: 2, ..schedule() };
    let learned = learn(participants, algorithm, schedule, Inputs::none()).unwrap();
    learned.data.states.rows().map(|s| s[0]).collect()
}

#[test]
fn gated_states_are_those_in_which_the_expert_drove() {
    // Alone, the learner goes left until it falls; behind the gate, the guard turns it back at the origin.
    let left = torn(dagger(Sampling::Stride(1)), 50);
    assert!(left.iter().any(|x| *x < -5.0));
    for algorithm in
        [ensemble_dagger(2, 0.1, 9.0, 1), ensemble_dagger(2, 9.0, 0.5, 1), hg_dagger(2, 0.5, 1)]
    {
        let asked = torn(algorithm, 10);
        assert_eq!(asked.len(), 20, "{algorithm:?}");
        assert!(asked.iter().all(|x| (-1.3..0.0).contains(x)), "{algorithm:?}: {asked:?}");
    }
    let never = torn(ensemble_dagger(2, 9.0, 9.0, 1), 10);
    assert_eq!(never, [], "if the gate never opens, rounds are empty");
}

/// The learner always goes right; its distance from the expert decreases on the way.
#[test]
fn hg_dagger_closes_its_gate_at_half_the_distance() {
    let tau = 0.5;
    let drove = |algorithm: Algorithm| {
        let mut envs = walks(1);
        // ℓ = e², e = 1 − x/10.
        let expert = &mut scripted(|s| 1.0 - (1.0 - s[0] / 10.0).clamp(0.0, 1.0));
        let oracle = &Playing(&|sets, _| vec![1.0; sets.members()]);
        let participants = Participants { envs: &mut envs, expert, oracle };
        let schedule = Schedule { states_per_round: 30, rounds: 1, ..schedule() };
        learn(participants, algorithm, schedule, Inputs::none()).unwrap().data.states
    };
    let farthest = |states: &Batch<f32>| states.rows().map(|s| s[0]).fold(f32::MIN, f32::max);
    // ℓ = τ at x = 10 (1 − √0.5) ≈ 2.9, and τ/2 at x = 5.
    let by_distance = farthest(&drove(hg_dagger(1, tau, 1)));
    assert!((4.0..=5.0).contains(&by_distance), "the expert drives on to {by_distance}");
    let by_doubt = farthest(&drove(ensemble_dagger(1, 9.0, tau, 1)));
    assert!((2.0..=3.0).contains(&by_doubt), "EnsembleDAgger closes its gate at {by_doubt}");
}

#[test]
fn the_most_disputed_states_are_labeled() {
    let share = |algorithm| {
        let states = torn(algorithm, 20);
        states.iter().filter(|x| **x < 0.0).count() as f64 / states.len() as f64
    };
    let sampling = Sampling::Independent;
    assert!(share(bootstrap_dagger(2, sampling)) < 1.0, "some states are not disputed");
    assert_eq!(share(active_dagger(2, 4, sampling)), 1.0);
}

#[test]
fn labels_are_the_experts_on_those_states() {
    let sampling = STRIDE;
    for algorithm in [
        dagger(sampling),
        behavior_cloning(ExpertActs::Sampled, sampling),
        bootstrap_dagger(3, sampling),
        mixed_dagger(Beta::Constant(0.5), sampling),
        dart(1.0, sampling),
        hg_dagger(1, 0.1, 5),
    ] {
        let Dataset { states, actions } = run(algorithm).data;
        assert!(!states.is_empty());
        for (state, action) in states.rows().zip(actions.rows()) {
            assert_eq!(action, &[label(state)], "{algorithm:?}");
        }
    }
}

#[test]
fn a_stride_takes_every_nth_state_and_never_a_first_one() {
    let times: Vec<f32> = run(dagger(STRIDE)).data.states.rows().map(|s| s[1]).collect();
    for round in times.chunks(6) {
        assert!((1.0..=5.0).contains(&round[0]), "the offset is 1 to 5: {round:?}");
        assert!(round.windows(2).all(|w| w[1] - w[0] == 5.0 || w[1] <= 5.0), "{round:?}");
    }
    let offsets: std::collections::HashSet<u32> = times.iter().map(|t| *t as u32 % 5).collect();
    assert!(offsets.len() > 1, "offsets differ: {times:?}");
}

#[test]
fn independent_times_are_uniform_over_the_horizon() {
    let schedule = Schedule { states_per_round: 2000, rounds: 1, ..schedule() };
    let algorithm = behavior_cloning(ExpertActs::Sampled, Sampling::Independent);
    let learned = run_with(&Leftwards, algorithm, schedule, Inputs::none());
    let mean = learned.data.states.rows().map(|s| f64::from(s[1])).sum::<f64>() / 2000.0;
    assert!((mean - 19.5).abs() < 1.0, "mean time {mean}, expected 19.5");
    assert!(learned.data.states.rows().any(|s| s[1] == 0.0), "a first state can be drawn");
}

#[test]
fn draws_do_not_depend_on_the_number_of_lanes() {
    let windows = Windows { by_expert: 0, ..Windows::default() };
    let plain = bootstrap_dagger(4, Sampling::Independent);
    let driven = |drive| Algorithm { drive, ..plain };
    for algorithm in [
        plain,
        hand_over(windows, plain),
        driven(Drive::Mixture(Beta::Constant(0.5))),
        driven(Drive::Mixture(Beta::Power(0.5))),
        driven(Drive::Mixture(Beta::Linear(3))),
        driven(Drive::NoisyExpert { alpha: 1.0 }),
        driven(Drive::Gated(Gate::Doubt { chi: 0.1, tau: 0.5 })),
        driven(Drive::Gated(Gate::Distance { tau: 2.0 })),
    ] {
        draws_alike(algorithm);
    }
}

fn draws_alike(algorithm: Algorithm) {
    let wander = |lanes, seed| {
        let (mut envs, mut expert) = (walks(lanes), rightwards());
        let oracle = &Playing(&wandering);
        let participants = Participants { envs: &mut envs, expert: &mut expert, oracle };
        let schedule = Schedule { stream: Stream::new(seed), ..schedule() };
        learn(participants, algorithm, schedule, Inputs::none()).unwrap()
    };
    let (one, four) = (wander(1, 11), wander(4, 11));
    assert_eq!((&one.data, &one.last), (&four.data, &four.last));
    let members = &one.last.0;
    assert!(members.iter().any(|a| *a < 0.0) && members.iter().any(|a| *a > 0.0), "{members:?}");
    assert_ne!(one.data, wander(1, 12).data);
}

#[test]
fn deployed_policies_act_with_the_mean_or_a_random_member() {
    let policy = Constant(vec![-1.0, 2.0, 5.0]);
    let (states, lanes) = (Batch::zeros(3000, 2), vec![0; 3000]);
    let mut rngs: Vec<Rng> = (0..3000).map(|i| Stream::new(1).fork("row", i).rng()).collect();
    let mut actions = Batch::zeros(3000, 1);
    let mut act = |deploy| {
        DeployedPolicy::new(&policy, deploy).act(&lanes, &states, &mut rngs, &mut actions).unwrap();
        actions.as_slice().to_vec()
    };
    assert!(act(Deploy::Mean).iter().all(|a| *a == 2.0));
    for deploy in [Deploy::UniformMember, Deploy::RandomRound] {
        let drawn = act(deploy);
        for member in [-1.0, 2.0, 5.0] {
            let count = drawn.iter().filter(|a| **a == member).count();
            assert!((900..1100).contains(&count), "member {member}: {count} of 3000");
        }
    }
}

#[test]
fn a_random_round_deploys_the_policy_that_drove_in_it() {
    let cover = UniformBox::new(-2.0, 2.0).unwrap();
    let inputs = Inputs { cover: Some(&cover), ..Inputs::none() };
    let mut rounds = std::collections::HashSet::new();
    for seed in 0..40 {
        let schedule = Schedule { stream: Stream::new(seed), ..schedule() };
        let algorithm = mftpl_p(2, 3.0, STRIDE);
        let learned = run_with(&Leftwards, algorithm, schedule, inputs);
        let round = algorithm.random_round(&schedule).unwrap();
        // π_n was trained on (n - 1)·K examples.
        assert_eq!(learned.deployed().0[0], -1.0 - 6.0 * (round - 1) as f32);
        rounds.insert(round);
    }
    assert_eq!(rounds.len(), 4, "every round is drawn sometimes: {rounds:?}");
    let dagger = run(dagger(STRIDE));
    assert_eq!(dagger.deployed(), &dagger.last);
}

#[test]
fn stored_rounds_are_taken_in_order_without_queries() {
    let data = run(dagger(STRIDE)).data;
    let stored = [(0, 6), (6, 6), (6, 11), (11, 20)].map(|(first, last)| data.slice(first, last));
    for algorithm in [bagging(5), supervised()] {
        let (mut envs, mut expert) = (walks(1), rightwards());
        let participants =
            Participants { envs: &mut envs, expert: &mut expert, oracle: &Leftwards };
        let schedule = Schedule { rounds: 3, ..schedule() };
        let inputs = Inputs { stored: Some(&stored), ..Inputs::none() };
        let learned = learn(participants, algorithm, schedule, inputs).unwrap();
        assert_eq!(learned.data, data.slice(0, 11), "three rounds: six examples, none, five");
        assert_eq!(expert.asked, 0);
    }
}

#[test]
fn evaluation_averages_full_episodes() {
    let evaluate_with = |lanes: usize, policy: &Constant| {
        let (mut envs, mut expert) = (walks(lanes), rightwards());
        let mut actor = DeployedPolicy::new(policy, Deploy::Mean);
        evaluate(&mut envs, &mut actor, Some(&mut expert), 7, &Stream::new(3)).unwrap()
    };
    let right = evaluate_with(3, &Constant(vec![0.5]));
    assert_eq!(right, evaluate_with(7, &Constant(vec![0.5])), "lanes change nothing");
    assert_eq!(right.episodes.len(), 7);
    assert!(right.episodes.iter().all(|episode| episode.length == HORIZON));
    // Expert labels are clipped to 1, the action is 0.5: a loss of 1/4 everywhere.
    assert!((right.imitation_loss().unwrap() - 0.25).abs() < 1e-12);
    // 1 + … + 40 = 820, plus 40 times the start.
    assert!((right.mean_reward() - 820.0).abs() < 10.0);
    let left = evaluate_with(3, &Constant(vec![-1.0]));
    assert!(left.episodes.iter().all(|episode| (30..=31).contains(&episode.length)), "{left:?}");
    let policy = Constant(vec![0.0]);
    let mut actor = DeployedPolicy::new(&policy, Deploy::Mean);
    assert!(matches!(
        evaluate(&mut walks(1), &mut actor, None, 0, &Stream::new(3)),
        Err(RolloutError::NoEpisodes)
    ));
}
