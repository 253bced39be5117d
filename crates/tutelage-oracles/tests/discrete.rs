//! Softmax networks for discrete actions.

#![allow(clippy::unwrap_used)] // a failed step fails the test

mod support;

use support::{SPACES, fit, indices, settings, states, vectors, ways, written_out};
use tutelage::check::check_oracle;
use tutelage::choice::{PerturbationSize, TrainOn};
use tutelage::cover::Weighted;
use tutelage::oracle::{TrainingSets, TrainingSpec, View};
use tutelage::{Batch, Dataset, Inputs, Oracle, OracleError, Policy, PolicyError, Stream};
use tutelage_oracles::mlp::{Mlp, MlpClassifier, MlpClassifierPolicy, OutputHead};

fn classifier(hidden: &[usize], iterations: usize) -> MlpClassifier {
    MlpClassifier::new(settings(hidden, iterations)).unwrap()
}

/// D ∪ Q with Q of Poisson size over listed states, so that examples repeat.
fn with_copies<A>() -> TrainingSpec<'static, f32, A> {
    let cover = Box::leak(Box::new(Weighted::new(states(4), vec![0.25; 4]).unwrap()));
    let inputs = Inputs { cover: Some(cover), ..Inputs::none() };
    TrainingSpec { train_on: TrainOn::Perturbed(PerturbationSize::Poisson(60.0)), inputs, round: 1 }
}

fn trains_like_copied_rows<A: OutputHead>(data: &Dataset<f32, A>) {
    let oracle = Mlp::<A>::new(settings(&[7], 30)).unwrap();
    for spec in ways().into_iter().chain([with_copies()]) {
        let by_view = fit(&oracle, data, spec, 1);
        let by_rows = fit(&oracle, &written_out(data, spec), TrainOn::Data, 1);
        assert_eq!(by_view, by_rows, "{:?}", spec.train_on);
    }
}

#[test]
fn views_train_like_their_copied_rows() {
    let data = indices(150);
    trains_like_copied_rows(&vectors(150));
    trains_like_copied_rows(&data);
    let sets = TrainingSets::new(&data, with_copies(), SPACES, 1, Stream::new(5)).unwrap();
    let View::Extended(q) = sets.view(0) else { panic!("not a perturbation") };
    assert!(q.copies.iter().any(|n| *n > 1), "the test is about copies: {:?}", q.copies);
}

#[test]
fn no_hidden_layers_give_linear_softmax() {
    // The largest of three projections: linear, so the class can represent it.
    let spaces = tutelage::Spaces { states: 3, actions: 3 };
    let mut data = Dataset::<f32, u32>::empty(spaces);
    for i in 0..300u32 {
        let state =
            [(i % 7) as f32 / 3.0 - 1.0, (i % 11) as f32 / 5.0 - 1.0, (i % 5) as f32 / 2.0 - 1.0];
        let best = (1..3).fold(0, |best, j| if state[j] > state[best] { j } else { best });
        data.states.push(&state);
        data.actions.push(&[best as u32]);
    }
    let mut rule = settings(&[], 1500);
    rule.adam.learning_rate = 2e-2;
    let oracle = MlpClassifier::new(rule).unwrap();
    let sets = TrainingSets::new(&data, TrainOn::Data, spaces, 1, Stream::new(5)).unwrap();
    let policy = oracle.fit(&sets, &Stream::new(6)).unwrap();
    assert_eq!(policy.network().layout().widths(), [3, 3]);
    let mut actions = Batch::zeros(data.len(), 1);
    policy.act_mean(&data.states, &mut actions).unwrap();
    let right = actions.rows().zip(data.actions.rows()).filter(|(a, y)| a == y).count();
    assert!(right >= 290, "{right} of 300 right");
    check_oracle(&classifier(&[], 20), &indices(60), SPACES, Stream::new(3)).unwrap();
}

#[test]
fn random_costs_are_unsupported() {
    let separator = states(6);
    let inputs = Inputs { separator: Some(&separator), ..Inputs::none() };
    let spec = TrainingSpec { train_on: TrainOn::RandomCosts { scale: 1.0 }, inputs, round: 1 };
    for data in [Dataset::empty(SPACES), indices(20)] {
        let sets = TrainingSets::new(&data, spec, SPACES, 2, Stream::new(5)).unwrap();
        let error = classifier(&[4], 3).fit(&sets, &Stream::new(6)).unwrap_err();
        assert!(matches!(error, OracleError::Unsupported(_)), "{error}");
    }
}

#[test]
fn without_data_members_are_random_and_differ() {
    for spec in ways().into_iter().chain([with_copies()]) {
        let policy = fit(&classifier(&[6], 50), &Dataset::empty(SPACES), spec, 3);
        assert_ne!(policy.parameters()[0], policy.parameters()[1]);
    }
}

fn trained() -> MlpClassifierPolicy {
    fit(&classifier(&[8], 60), &indices(80), TrainOn::Bootstrap, 4)
}

#[test]
fn members_take_the_argmax_and_the_ensemble_votes() {
    let (policy, states) = (trained(), states(70));
    let mut probabilities = Batch::new(3);
    policy.probabilities(&states, &mut probabilities).unwrap();
    let mut each = Batch::new(1);
    policy.act_each(&states, &mut each).unwrap();
    assert_eq!((probabilities.len(), each.len()), (280, 280));
    for (p, action) in probabilities.rows().zip(each.rows()) {
        assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(p.iter().all(|other| *other <= p[action[0] as usize]));
    }
    let mut vote = Batch::zeros(70, 1);
    policy.act_mean(&states, &mut vote).unwrap();
    for (i, vote) in vote.rows().enumerate() {
        let votes = |a: u32| (0..4).filter(|e| each.row(4 * i + e)[0] == a).count();
        let most = (0..3).map(votes).max().unwrap();
        assert_eq!(vote[0], (0..3).find(|&a| votes(a) == most).unwrap());
    }
    for e in 0..4u32 {
        let mut one = Batch::zeros(70, 1);
        policy.act_members(&states, &[e; 70], &mut one).unwrap();
        assert!((0..70).all(|i| one.row(i) == each.row(4 * i + e as usize)));
    }
}

#[test]
fn probabilities_are_the_softmax_of_the_outputs() {
    let (policy, states) = (trained(), states(3));
    let (mut outputs, mut probabilities) = (Batch::new(3), Batch::new(3));
    policy.outputs(&states, &mut outputs).unwrap();
    policy.probabilities(&states, &mut probabilities).unwrap();
    for (z, p) in outputs.rows().zip(probabilities.rows()) {
        let sum: f64 = z.iter().map(|z| f64::from(*z).exp()).sum();
        for (z, p) in z.iter().zip(p) {
            assert!((f64::from(*z).exp() / sum - f64::from(*p)).abs() < 1e-6);
        }
    }
}

#[test]
fn wrong_widths_are_errors() {
    let (policy, states) = (trained(), states(2));
    let mut one = Batch::<u32>::zeros(1, 1);
    let mut wide = Batch::<u32>::zeros(2, 3);
    let mut numbers = Batch::<f32>::zeros(2, 2);
    let mut fits = Batch::<u32>::zeros(2, 1);
    let rows = |result: Result<(), PolicyError>| match result.unwrap_err() {
        PolicyError::Rows { what, states: 2, found: 1 } => what,
        other => panic!("{other}"),
    };
    assert_eq!(rows(policy.act_mean(&states, &mut one)), "actions");
    assert_eq!(rows(policy.act_members(&states, &[0, 1], &mut one)), "actions");
    assert_eq!(rows(policy.act_members(&states, &[0], &mut fits)), "members");
    let width = |result: Result<(), PolicyError>| match result.unwrap_err() {
        PolicyError::Width { what, .. } => what,
        other => panic!("{other}"),
    };
    assert_eq!(width(policy.act_each(&states, &mut wide)), "actions");
    assert_eq!(width(policy.act_each(&Batch::zeros(2, 4), &mut fits)), "states");
    assert_eq!(width(policy.probabilities(&states, &mut numbers)), "outputs");
    assert!(matches!(
        policy.act_members(&states, &[0, 4], &mut fits),
        Err(PolicyError::Member { member: 4, members: 4 })
    ));
}
