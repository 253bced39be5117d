//! The MLP oracle and its policies.

#![allow(clippy::unwrap_used)] // a failed step fails the test

mod support;

use rand::RngExt;
use support::settings;
use tutelage::check::check_oracle;
use tutelage::choice::{PerturbationSize, TrainOn};
use tutelage::oracle::{FitProgress, TrainingSets, TrainingSpec};
use tutelage::space::SpaceError;
use tutelage::{Batch, Dataset, Oracle, OracleError, Policy, Spaces, Stream};
use tutelage_oracles::mlp::{
    MlpClassifier, MlpOracle, MlpPolicy, MlpSettings, MlpSettingsError, TrainingBudget,
    TrainingDiverged,
};
use tutelage_oracles::net::{AlignedVec, Isa};

const SPACES: Spaces = Spaces { states: 11, actions: 3 };

fn data(rows: usize) -> Dataset<f32, f32> {
    let mut rng = Stream::new(77).rng();
    let mut data = Dataset::empty(SPACES);
    for _ in 0..rows {
        let state: Vec<f32> = (0..SPACES.states).map(|_| rng.random_range(-2.0..2.0)).collect();
        data.actions.push(&[
            state[0] * 0.9,
            (state[1] * state[2]).sin(),
            state[3] - 0.5 * state[4],
        ]);
        data.states.push(&state);
    }
    data
}

fn oracle(hidden: &[usize], iterations: usize) -> MlpOracle {
    MlpOracle::new(settings(hidden, iterations)).unwrap()
}

fn fit(
    oracle: &MlpOracle,
    data: &Dataset<f32, f32>,
    spec: impl Into<TrainingSpec<'static, f32, f32>>,
    members: usize,
) -> MlpPolicy {
    let sets = TrainingSets::new(data, spec.into(), SPACES, members, Stream::new(5)).unwrap();
    oracle.fit(&sets, &Stream::new(6)).unwrap()
}

fn perturbed(count: usize) -> TrainingSpec<'static, f32, f32> {
    support::perturbed(PerturbationSize::Fixed(count))
}

fn same_bits(a: &[AlignedVec], b: &[AlignedVec]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits())))
}

#[test]
fn training_is_independent_of_threads_and_members() {
    let (data, oracle) = (data(450), oracle(&[64, 64], 60));
    for spec in [TrainOn::Bootstrap.into(), perturbed(15)] {
        let all = fit(&oracle, &data, spec, 5);
        for threads in [1, 2, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for members in [1, 2, 5] {
                let some = pool.install(|| fit(&oracle, &data, spec, members));
                assert!(
                    same_bits(some.parameters(), &all.parameters()[..members]),
                    "{threads} threads, {members} members"
                );
            }
        }
        assert!(
            !same_bits(&all.parameters()[..1], &all.parameters()[1..2]),
            "members differ from each other"
        );
    }
}

#[test]
fn passes_the_oracle_checks() {
    check_oracle(&oracle(&[12], 30), &data(230), SPACES, Stream::new(3)).unwrap();
    let mut indices = Dataset::<f32, u32>::empty(SPACES);
    for (i, state) in data(60).states.rows().enumerate() {
        indices.states.push(state);
        indices.actions.push(&[i as u32 % 3]);
    }
    let settings = MlpSettings { budget: TrainingBudget::Epochs(10), ..MlpSettings::new(&[8]) };
    check_oracle(&MlpClassifier::new(settings).unwrap(), &indices, SPACES, Stream::new(3)).unwrap();
}

#[test]
fn training_learns_with_every_instruction_set() {
    let d = data(600);
    let settings = MlpSettings { budget: TrainingBudget::Epochs(150), ..MlpSettings::new(&[32]) };
    let oracle = MlpOracle::new(settings).unwrap();
    let loss = |policy: &MlpPolicy| {
        let mut actions = Batch::zeros(d.len(), SPACES.actions);
        policy.act_mean(&d.states, &mut actions).unwrap();
        let clipped = d.actions.as_slice().iter().map(|a| a.clamp(-1.0, 1.0));
        clipped.zip(actions.as_slice()).map(|(y, a)| f64::from(y - a).powi(2)).sum::<f64>()
            / actions.as_slice().len() as f64
    };
    let fast = fit(&oracle, &d, TrainOn::Data, 1);
    let portable = fit(&oracle.clone().with_isa(Isa::Portable), &d, TrainOn::Data, 1);
    let start = fit(&oracle, &Dataset::empty(SPACES), TrainOn::Data, 1);
    assert!(loss(&fast) < 0.25 * loss(&start), "loss {} after {}", loss(&fast), loss(&start));
    let apart = fast.parameters()[0]
        .iter()
        .zip(&*portable.parameters()[0])
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    assert!(apart < 1e-4, "the two paths are {apart} apart");
}

#[test]
fn empty_data_gives_random_members() {
    let policy = fit(&oracle(&[8], 100), &Dataset::empty(SPACES), perturbed(50), 3);
    assert_eq!(policy.members(), 3);
    assert!(!same_bits(&policy.parameters()[..1], &policy.parameters()[1..2]));
    let biases = |p: &AlignedVec| p[policy.network().layout().layers()[0].bias.clone()].to_vec();
    assert!(
        policy.parameters().iter().all(|p| biases(p).iter().all(|b| *b == 0.0)),
        "initial biases are zero"
    );
}

#[test]
fn all_ways_of_acting_agree() {
    let policy = fit(&oracle(&[16, 8], 20), &data(50), TrainOn::Bootstrap, 7);
    for rows in [1, 5, 25, 300] {
        let states = data(rows).states;
        let mut all = Batch::new(SPACES.actions);
        policy.act_each(&states, &mut all).unwrap();
        let mut mean = Batch::zeros(rows, SPACES.actions);
        policy.act_mean(&states, &mut mean).unwrap();
        let members: Vec<u32> = (0..rows).map(|i| (i * 3 % 7) as u32).collect();
        let mut one = Batch::zeros(rows, SPACES.actions);
        policy.act_members(&states, &members, &mut one).unwrap();
        for (i, &member) in members.iter().enumerate() {
            assert_eq!(one.row(i), all.row(i * 7 + member as usize));
            for j in 0..SPACES.actions {
                let expected = (0..7).map(|e| f64::from(all.row(i * 7 + e)[j])).sum::<f64>() / 7.0;
                assert!((f64::from(mean.row(i)[j]) - expected).abs() < 1e-6);
            }
        }
        assert!(all.as_slice().iter().all(|a| a.abs() <= 1.0));
    }
}

#[test]
fn classifier_learns_quadrants() {
    let spaces = Spaces { states: 2, actions: 4 };
    let mut rng = Stream::new(8).rng();
    let mut d = Dataset::<f32, u32>::empty(spaces);
    for _ in 0..400 {
        let state = [rng.random_range(-1.0..1.0f32), rng.random_range(-1.0..1.0f32)];
        d.actions.push(&[u32::from(state[0] > 0.0) + 2 * u32::from(state[1] > 0.0)]);
        d.states.push(&state);
    }
    let mut settings =
        MlpSettings { budget: TrainingBudget::Iterations(600), ..MlpSettings::new(&[16]) };
    settings.adam.learning_rate = 1e-2;
    let sets = TrainingSets::new(&d, TrainOn::Bootstrap, spaces, 3, Stream::new(1)).unwrap();
    let policy = MlpClassifier::new(settings).unwrap().fit(&sets, &Stream::new(2)).unwrap();
    let mut actions = Batch::zeros(d.len(), 1);
    policy.act_mean(&d.states, &mut actions).unwrap();
    let right = actions.rows().zip(d.actions.rows()).filter(|(a, y)| a == y).count();
    assert!(right >= 380, "{right} of 400 right");
}

fn error(data: &Dataset<f32, f32>, spaces: Spaces, members: usize) -> OracleError {
    let sets = TrainingSets::new(data, TrainOn::Data, spaces, members, Stream::new(5)).unwrap();
    oracle(&[4], 3).fit(&sets, &Stream::new(6)).unwrap_err()
}

#[test]
fn invalid_rows_are_reported_with_their_position() {
    let invalid = |change: &dyn Fn(&mut Dataset<f32, f32>), spaces| {
        let mut bad = data(9);
        change(&mut bad);
        match error(&bad, spaces, 1) {
            OracleError::Data { what, source } => (what, source),
            other => panic!("{other}"),
        }
    };
    let (what, source) = invalid(&|bad| bad.states.row_mut(4)[7] = f32::NAN, SPACES);
    assert!(matches!((what, source), ("states", SpaceError::Value { row: 4, index: 7, .. })));
    let (what, source) = invalid(&|bad| bad.actions.row_mut(8)[2] = f32::INFINITY, SPACES);
    assert!(matches!((what, source), ("labels", SpaceError::Value { row: 8, index: 2, .. })));
    let wide = Spaces { states: 12, ..SPACES };
    let width = |found, expected| SpaceError::Width { found, expected };
    assert_eq!(invalid(&|_| {}, wide), ("states", width(11, 12)));
    let wide = Spaces { actions: 4, ..SPACES };
    assert_eq!(invalid(&|_| {}, wide), ("labels", width(3, 4)));
    let rows = SpaceError::Rows { found: 9, expected: 10 };
    assert_eq!(invalid(&|unpaired| unpaired.states.push(&[0.0; 11]), SPACES), ("labels", rows));
    assert!(matches!(error(&data(9), SPACES, 0), OracleError::NoMembers));
}

#[test]
fn invalid_labels_are_reported() {
    let mut d = Dataset::<f32, u32>::empty(SPACES);
    d.states.push(&[0.0; 11]);
    d.actions.push(&[3]);
    let sets = TrainingSets::new(&d, TrainOn::Data, SPACES, 1, Stream::new(5)).unwrap();
    let classifier = MlpClassifier::new(MlpSettings::new(&[4])).unwrap();
    let error = classifier.fit(&sets, &Stream::new(6)).unwrap_err();
    assert!(matches!(error, OracleError::Data { what: "labels", .. }), "{error}");
}

#[test]
fn invalid_settings_and_divergence_are_errors() {
    let with = |change: &dyn Fn(&mut MlpSettings)| {
        let mut settings = MlpSettings::new(&[4]);
        change(&mut settings);
        MlpOracle::new(settings)
    };
    assert_eq!(
        with(&|s| s.budget = TrainingBudget::Iterations(0)).unwrap_err(),
        MlpSettingsError::Budget(TrainingBudget::Iterations(0))
    );
    assert_eq!(
        with(&|s| s.budget = TrainingBudget::Epochs(0)).unwrap_err(),
        MlpSettingsError::Budget(TrainingBudget::Epochs(0))
    );
    assert_eq!(with(&|s| s.batch = 0).unwrap_err(), MlpSettingsError::Batch);
    assert_eq!(
        with(&|s| s.hidden = vec![3, 0]).unwrap_err(),
        MlpSettingsError::Hidden { index: 1, value: 0 }
    );
    assert!(matches!(
        with(&|s| s.adam.learning_rate = f64::NAN),
        Err(MlpSettingsError::Positive { name: "adam.learning_rate", .. })
    ));
    assert!(matches!(
        with(&|s| s.adam.beta2 = 1.0),
        Err(MlpSettingsError::Decay { name: "adam.beta2", .. })
    ));

    let wild = with(&|s| s.adam.learning_rate = 1e38).unwrap();
    let d = data(20);
    let sets = TrainingSets::new(&d, TrainOn::Data, SPACES, 1, Stream::new(5)).unwrap();
    let error = wild.fit(&sets, &Stream::new(6)).unwrap_err();
    let OracleError::Other(error) = error else { panic!("{error}") };
    assert_eq!(error.downcast_ref(), Some(&TrainingDiverged { member: 0 }));
}

#[test]
fn progress_reaches_one_and_does_not_change_results() {
    let (data, training) = (data(150), std::sync::Arc::new(FitProgress::default()));
    let mut watched = oracle(&[8], 330);
    let unwatched = fit(&watched, &data, TrainOn::Bootstrap, 3);
    watched.report_to(std::sync::Arc::clone(&training));
    assert_eq!(training.share(), None, "no progress before training");
    let shares = std::thread::scope(|scope| {
        let fitted = scope.spawn(|| fit(&watched, &data, TrainOn::Bootstrap, 3));
        let mut shares = Vec::new();
        while !fitted.is_finished() {
            shares.extend(training.share());
        }
        assert_eq!(fitted.join().unwrap(), unwatched);
        shares
    });
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "progress never decreases");
    assert_eq!(training.share(), Some(1.0), "all three members are trained");
    fit(&watched, &Dataset::empty(SPACES), TrainOn::Data, 1);
    assert_eq!(training.share(), None, "without data nothing is trained");
}
