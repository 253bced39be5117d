//! Each of the three choices pinned down: these tests fail if one is swapped for another.

#![allow(clippy::unwrap_used)]

mod walk;

use std::sync::Arc;

use rand::RngExt;
use tutelage::*;
use walk::*;

/// "Trains" members that walk either way: each one's action is drawn from its stream and depends on its view of D.
struct Wandering;

impl Oracle for Wandering {
    type State = f32;
    type Action = f32;
    type Policy = Constant;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, f32>,
        stream: &Stream,
    ) -> Result<Constant, OracleError> {
        let states = &sets.data().states;
        let member = |e: usize| {
            let View::Resampled(rows) = sets.view(e) else { panic!("not a bootstrap") };
            let seen: f32 = rows.iter().map(|&row| states.row(row as usize)[0]).sum();
            stream.fork("member", e as u64).rng().random_range(-1.0..1.0) + 0.3 * seen.sin()
        };
        Ok(Constant((0..sets.members()).map(member).collect()))
    }
}

#[test]
fn data_grows_by_k_a_round_and_nothing_is_forgotten() {
    let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
    let mut expert = Rightwards { asked: 0, batch: usize::MAX };
    let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Leftwards };
    let mut before = Dataset::empty(SPACES);
    let mut watch = |event: Event<'_, f32, f32, Constant>| {
        if let Event::Trained { round, data, policy } = event {
            assert_eq!(data.len(), 6 * round);
            assert_eq!(data.slice(0, before.len()), before, "old examples stay");
            assert_eq!(policy.0[0], -1.0 - data.len() as f32, "the policy is trained on all of D");
            before = data.clone();
        }
        Ok(Flow::Continue)
    };
    learn(setting, &dagger(), &plan(Sampling::Stride(5)), Progress::none(SPACES), &mut watch)
        .unwrap();
    assert_eq!(expert.asked, 24, "each state is asked about once");
}

#[test]
fn the_states_are_those_of_whoever_drives() {
    for sampling in [Sampling::Stride(5), Sampling::Independent] {
        // The learner goes left, the expert right; a walker that moved t times is t to the left or right of its start.
        let side = |learned: &Learned<f32, f32, Constant>| {
            let rows: Vec<f32> =
                learned.data.states.rows().filter(|s| s[1] > 0.0).map(|s| s[0] / s[1]).collect();
            assert!(rows.len() > 20);
            (rows.iter().all(|x| *x < 0.0), rows.iter().all(|x| *x > 0.0))
        };
        assert_eq!(side(&run(&dagger(), sampling)), (true, false), "DAgger, {sampling:?}");
        assert_eq!(side(&run(&bootstrap_dagger(5), sampling)), (true, false), "BD-5, {sampling:?}");
        assert_eq!(
            side(&run(&behavior_cloning(ExpertActs::Sampled), sampling)),
            (false, true),
            "BC, {sampling:?}"
        );
        assert_eq!(
            side(&run(&behavior_cloning(ExpertActs::Mean), sampling)),
            (false, true),
            "BC, {sampling:?}"
        );
    }
}

#[test]
fn labels_are_the_experts_on_those_states() {
    for algorithm in [dagger(), behavior_cloning(ExpertActs::Sampled), bootstrap_dagger(3)] {
        let Dataset { states, actions } = run(&algorithm, Sampling::Stride(5)).data;
        for (state, action) in states.rows().zip(actions.rows()) {
            assert_eq!(action, &[label(state)], "{}", algorithm.name);
        }
    }
}

#[test]
fn a_stride_takes_every_nth_state_and_never_a_first_one() {
    let times: Vec<f32> =
        run(&dagger(), Sampling::Stride(5)).data.states.rows().map(|s| s[1]).collect();
    for round in times.chunks(6) {
        assert!((1.0..=5.0).contains(&round[0]), "the offset is 1 to 5: {round:?}");
        assert!(round.windows(2).all(|w| w[1] - w[0] == 5.0 || w[1] <= 5.0), "{round:?}");
    }
    let offsets: std::collections::HashSet<u32> = times.iter().map(|t| *t as u32 % 5).collect();
    assert!(offsets.len() > 1, "offsets are drawn anew: {times:?}");
}

#[test]
fn independent_times_are_uniform_over_the_horizon() {
    let mut lanes = Lanes::new((0..3).map(|_| Walk { at: 0.0, time: 0 }).collect()).unwrap();
    let mut expert = Rightwards { asked: 0, batch: usize::MAX };
    let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Leftwards };
    let plan = Plan { states_per_round: 2000, rounds: 1, ..plan(Sampling::Independent) };
    let mut go_on = |_: Event<'_, f32, f32, Constant>| Ok(Flow::Continue);
    let algorithm = behavior_cloning(ExpertActs::Sampled);
    let learned = learn(setting, &algorithm, &plan, Progress::none(SPACES), &mut go_on).unwrap();
    let mean = learned.data.states.rows().map(|s| f64::from(s[1])).sum::<f64>() / 2000.0;
    assert!((mean - 19.5).abs() < 1.0, "mean time {mean}, expected 19.5");
    assert!(learned.data.states.rows().any(|s| s[1] == 0.0), "a first state can be drawn");
}

/// All rounds of Bootstrap-DAgger with members that disagree.
fn wander(lanes: usize, seed: u64, sampling: Sampling) -> Learned<f32, f32, Constant> {
    let mut lanes = Lanes::new((0..lanes).map(|_| Walk { at: 0.0, time: 0 }).collect()).unwrap();
    let mut expert = Rightwards { asked: 0, batch: usize::MAX };
    let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Wandering };
    let mut go_on = |_: Event<'_, f32, f32, Constant>| Ok(Flow::Continue);
    let plan = Plan { stream: Stream::new(seed), ..plan(sampling) };
    learn(setting, &bootstrap_dagger(4), &plan, Progress::none(SPACES), &mut go_on).unwrap()
}

#[test]
fn draws_do_not_depend_on_the_number_of_lanes() {
    let (one, four) = (wander(1, 11, Sampling::Independent), wander(4, 11, Sampling::Independent));
    assert_eq!((&one.data, &one.last), (&four.data, &four.last));
    let members = &one.last.0;
    assert!(members.iter().any(|a| *a < 0.0) && members.iter().any(|a| *a > 0.0), "{members:?}");
    assert_ne!(one.data, wander(1, 12, Sampling::Independent).data);
}

#[test]
fn the_mean_and_the_random_member_act_as_their_names_say() {
    let policy = Constant(vec![-1.0, 2.0, 5.0]);
    let states = Batch::zeros(3000, 2);
    let mut rngs: Vec<Rng> = (0..3000).map(|i| Stream::new(1).fork("row", i).rng()).collect();
    let mut actions = Batch::zeros(3000, 1);
    let mut act = |acting| {
        Actor::<_, Rightwards>::policy(&policy, acting)
            .act(&states, &mut rngs, &mut actions)
            .unwrap();
        actions.as_slice().to_vec()
    };
    assert!(act(Acting::Mean).iter().all(|a| *a == 2.0));
    let drawn = act(Acting::UniformMember);
    for member in [-1.0, 2.0, 5.0] {
        let count = drawn.iter().filter(|a| **a == member).count();
        assert!((900..1100).contains(&count), "member {member}: {count} of 3000");
    }
}

#[test]
fn a_random_round_deploys_the_policy_that_drove_in_it() {
    let cover = Arc::new(UniformBox::new(-2.0, 2.0).unwrap());
    let mut rounds = std::collections::HashSet::new();
    for seed in 0..40 {
        let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
        let mut expert = Rightwards { asked: 0, batch: usize::MAX };
        let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Leftwards };
        let plan = Plan { stream: Stream::new(seed), ..plan(Sampling::Stride(5)) };
        let mut go_on = |_: Event<'_, f32, f32, Constant>| Ok(Flow::Continue);
        let algorithm = mftpl_p(2, 3.0, cover.clone());
        let learned =
            learn(setting, &algorithm, &plan, Progress::none(SPACES), &mut go_on).unwrap();
        let (round, policy) = learned.random_round.clone().unwrap();
        // π_n was trained on (n - 1)·K examples.
        assert_eq!(policy.0[0], -1.0 - 6.0 * (round - 1) as f32);
        assert_eq!(learned.deployed(), &policy);
        rounds.insert(round);
    }
    assert_eq!(rounds.len(), 4, "every round is drawn sometimes: {rounds:?}");
    assert!(run(&dagger(), Sampling::Stride(5)).random_round.is_none());
}

#[test]
fn stored_data_are_taken_in_order_and_nobody_is_asked() {
    let stored = Arc::new(run(&dagger(), Sampling::Stride(5)).data);
    for algorithm in [bagging(5, stored.clone()), supervised(stored.clone())] {
        let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
        let mut expert = Rightwards { asked: 0, batch: usize::MAX };
        let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Leftwards };
        let mut go_on = |_: Event<'_, f32, f32, Constant>| Ok(Flow::Continue);
        let plan = Plan { rounds: 3, ..plan(Sampling::Stride(5)) };
        let learned =
            learn(setting, &algorithm, &plan, Progress::none(SPACES), &mut go_on).unwrap();
        assert_eq!(learned.data, stored.slice(0, 18));
        assert_eq!(expert.asked, 0);
    }
}

#[test]
fn stopping_anywhere_and_going_on_changes_no_bit() {
    let algorithm = bootstrap_dagger(4);
    let start = |batch| {
        (Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap(), Rightwards { asked: 0, batch })
    };
    let whole = wander(1, 11, Sampling::Stride(5));
    // A person answers two at a time; stop after each event in turn and go on from what the observer had seen.
    for stop_after in 0.. {
        let (mut lanes, mut expert) = start(2);
        let (mut seen, mut open) = (0, None::<OpenRound<f32, f32>>);
        let mut data = Dataset::empty(SPACES);
        let mut record = |event: Event<'_, f32, f32, Constant>| {
            match event {
                Event::Collected { states, .. } => {
                    open = Some(OpenRound { states: states.clone(), labels: Batch::new(1) });
                }
                Event::Annotated { first, actions, .. } => {
                    let open = open.as_mut().unwrap();
                    assert_eq!(first, open.labels.len());
                    open.labels.extend(actions);
                }
                Event::Trained { data: all, .. } => (data, open) = (all.clone(), None),
                Event::Driving { .. } => {}
            }
            seen += 1;
            Ok(if seen > stop_after { Flow::Stop } else { Flow::Continue })
        };
        let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Wandering };
        let plan = plan(Sampling::Stride(5));
        let stopped =
            learn(setting, &algorithm, &plan, Progress::none(SPACES), &mut record).unwrap();
        if stopped.finished {
            assert_eq!(stopped.data, whole.data);
            assert!(stop_after > 15);
            break;
        }
        let asked_before = expert.asked;
        let (mut lanes, mut expert) = start(2);
        let setting = Setting { lanes: &mut lanes, expert: &mut expert, oracle: &Wandering };
        let progress = Progress { data, policy: None, open, random_round: None };
        let mut go_on = |_: Event<'_, f32, f32, Constant>| Ok(Flow::Continue);
        let resumed = learn(setting, &algorithm, &plan, progress, &mut go_on).unwrap();
        assert!(resumed.finished);
        assert_eq!(
            (resumed.data, resumed.last),
            (whole.data.clone(), whole.last.clone()),
            "{stop_after}"
        );
        assert_eq!(asked_before + expert.asked, 24, "no state is asked about twice");
    }
}

#[test]
fn evaluation_plays_full_episodes_and_averages_the_loss_per_trajectory() {
    let evaluate_with = |lanes: usize, policy: &Constant| {
        let mut lanes =
            Lanes::new((0..lanes).map(|_| Walk { at: 0.0, time: 0 }).collect()).unwrap();
        let mut expert = Rightwards { asked: 0, batch: usize::MAX };
        let actor = Actor::<_, Rightwards>::policy(policy, Acting::Mean);
        evaluate(&mut lanes, actor, Some(&mut expert), 7, &Stream::new(3)).unwrap()
    };
    let right = evaluate_with(3, &Constant(vec![0.5]));
    assert_eq!(
        right,
        evaluate_with(7, &Constant(vec![0.5])),
        "the number of lanes changes nothing"
    );
    assert_eq!(right.episodes.len(), 7);
    assert!(right.episodes.iter().all(|episode| episode.length == HORIZON));
    // Expert labels are clipped to 1, the action is 0.5: a loss of 1/4 everywhere.
    assert!((right.imitation_loss().unwrap() - 0.25).abs() < 1e-12);
    // 1 + … + 40 = 820, plus 40 times the start.
    assert!((right.mean_reward() - 820.0).abs() < 10.0);
    let left = evaluate_with(3, &Constant(vec![-1.0]));
    assert!(left.episodes.iter().all(|episode| (30..=31).contains(&episode.length)), "{left:?}");
    let mut lanes = Lanes::new(vec![Walk { at: 0.0, time: 0 }]).unwrap();
    let policy = Constant(vec![0.0]);
    let actor = Actor::<_, Rightwards>::policy(&policy, Acting::Mean);
    assert!(matches!(
        evaluate(&mut lanes, actor, None, 0, &Stream::new(3)),
        Err(RolloutError::NoEpisodes)
    ));
}
