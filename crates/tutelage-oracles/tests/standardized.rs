//! Standardization uses the statistics of D, stores them in the policy, and changes nothing else.

#![allow(clippy::unwrap_used)] // a failed step fails the test

mod support;

use support::{SPACES, fit, indices, settings, states, vectors, ways, written_out};
use tutelage::check::check_oracle;
use tutelage::choice::TrainOn;
use tutelage::{Batch, Dataset, Policy, Stream};
use tutelage_oracles::mlp::{
    Ensemble, Mlp, MlpClassifier, MlpOracle, MlpPolicy, MlpSettings, OutputHead,
};
use tutelage_oracles::{LeastSquares, Standardize, Standardizer};

fn by_hand(states: &Batch<f32>, statistics: &Standardizer) -> Batch<f32> {
    let mut standardized = states.clone();
    for i in 0..states.len() {
        for (j, x) in standardized.row_mut(i).iter_mut().enumerate() {
            *x = (*x - statistics.mean()[j]) / statistics.scale()[j];
        }
    }
    standardized
}

fn oracles<A: OutputHead>(hidden: &[usize], iterations: usize) -> [Mlp<A>; 2] {
    [Standardize::No, Standardize::Yes].map(|states| {
        Mlp::new(MlpSettings { standardize: states, ..settings(hidden, iterations) }).unwrap()
    })
}

/// Checks that standardizing equals training on states that were standardized before.
fn trains_like_standardized_data<A: OutputHead>(data: &Dataset<f32, A>) {
    let [plain, standardizing] = oracles::<A>(&[9], 30);
    let statistics = Standardizer::of(&data.states).unwrap();
    for spec in ways() {
        let policy = fit(&standardizing, data, spec, 2);
        assert_eq!(
            policy.standardizer(),
            Some(&statistics),
            "statistics of D for all training sets"
        );
        let mut before = written_out(data, spec);
        before.states = by_hand(&before.states, &statistics);
        let expected = fit(&plain, &before, TrainOn::Data, 1);
        assert_eq!(policy.parameters()[0], expected.parameters()[0], "{:?}", spec.train_on);
    }
}

#[test]
fn training_equals_training_on_standardized_states() {
    trains_like_standardized_data(&vectors(230));
    trains_like_standardized_data(&indices(230));
}

fn actions<A: OutputHead>(policy: &Ensemble<A>, states: &Batch<f32>) -> [Batch<A>; 3] {
    let rows = || Batch::zeros(states.len(), A::width(SPACES.actions));
    let [mut mean, mut some, mut each] = [rows(), rows(), rows()];
    let members: Vec<u32> = (0..states.len() as u32).map(|i| i % 3).collect();
    policy.act_mean(states, &mut mean).unwrap();
    policy.act_members(states, &members, &mut some).unwrap();
    policy.act_each(states, &mut each).unwrap();
    [mean, some, each]
}

/// Returns a policy with the same networks for states that are already standardized.
fn without_statistics<A: OutputHead>(policy: &Ensemble<A>) -> Ensemble<A> {
    let bytes = policy.to_safetensors().unwrap();
    let (length, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    let entry = metadata.metadata().as_ref().unwrap()["tutelage.policy"].clone();
    let entry = entry.replace("version=2", "version=1").replace(";states=standardised", "");
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let layers = file.tensors().into_iter().filter(|(name, _)| name.starts_with("layer"));
    let metadata = [("tutelage.policy".to_owned(), entry)].into();
    assert!(length > 0);
    Ensemble::from_safetensors(&safetensors::serialize(layers, Some(metadata)).unwrap()).unwrap()
}

fn acts_on_states_as_they_are<A: OutputHead>(data: &Dataset<f32, A>) {
    let policy = fit(&oracles::<A>(&[9], 30)[1], data, TrainOn::Bootstrap, 3);
    let bare = without_statistics(&policy);
    assert_eq!((bare.standardizer(), bare.parameters()), (None, policy.parameters()));
    for rows in [1, 7, 300] {
        let states = states(rows);
        let standardized = by_hand(&states, policy.standardizer().unwrap());
        assert_eq!(actions(&policy, &states), actions(&bare, &standardized));
    }
}

#[test]
fn policies_take_raw_states() {
    acts_on_states_as_they_are(&vectors(120));
    acts_on_states_as_they_are(&indices(120));
}

fn loss<A: OutputHead>(policy: &Ensemble<A>, data: &Dataset<f32, A>) -> f64 {
    let [mean, ..] = actions(policy, &data.states);
    let losses = mean.rows().zip(data.actions.rows()).map(|(a, y)| A::loss(a, y));
    losses.sum::<f64>() / data.len() as f64
}

#[test]
fn standardizing_helps_with_badly_scaled_states() {
    let [plain, standardizing] = oracles::<f32>(&[16], 800);
    let [plain, standardized] = [&plain, &standardizing]
        .map(|oracle| loss(&fit(oracle, &vectors(400), TrainOn::Data, 3), &vectors(400)));
    assert!(standardized < 0.3 * plain, "loss {standardized} against {plain}");
    let [plain, standardizing] = oracles::<u32>(&[16], 2500);
    let [plain, standardized] = [&plain, &standardizing]
        .map(|oracle| loss(&fit(oracle, &indices(400), TrainOn::Data, 3), &indices(400)));
    assert!(standardized < 0.3 * plain, "loss {standardized} against {plain}");
}

#[test]
fn without_data_there_are_no_statistics() {
    let policy = fit(&oracles(&[9], 30)[1], &Dataset::<f32, f32>::empty(SPACES), ways()[2], 3);
    assert_eq!(policy.standardizer(), None);
    let plain = fit(&oracles(&[9], 30)[0], &Dataset::<f32, f32>::empty(SPACES), ways()[2], 3);
    assert_eq!(policy.to_safetensors().unwrap(), plain.to_safetensors().unwrap());
}

#[test]
fn statistics_are_stored_with_the_policy() {
    let policy = fit(&oracles(&[4], 3)[1], &vectors(50), TrainOn::Bootstrap, 3);
    let bytes = policy.to_safetensors().unwrap();
    let back = MlpPolicy::from_safetensors(&bytes).unwrap();
    assert_eq!(back, policy);
    assert_eq!(actions(&back, &states(40)), actions(&policy, &states(40)));
    assert_eq!(back.to_safetensors().unwrap(), bytes);
    let (_, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
    assert_eq!(
        metadata.metadata().as_ref().unwrap()["tutelage.policy"],
        "version=2;class=mlp;action=vector;widths=5,4,3;activation=tanh;clip=-1,1;members=3;states=standardised"
    );
}

#[test]
fn least_squares_predictions_do_not_change() {
    // Without the constant coordinate, which shares weight with the intercept.
    let spaces = tutelage::Spaces { states: 4, actions: 3 };
    let mut data = Dataset::empty(spaces);
    for (s, a) in vectors(200).states.rows().zip(vectors(200).actions.rows()) {
        data.states.push(&[s[0], s[1], s[3], s[4]]);
        data.actions.push(a);
    }
    let act = |states| {
        let sets =
            tutelage::oracle::TrainingSets::new(&data, TrainOn::Data, spaces, 1, Stream::new(5))
                .unwrap();
        let policy =
            tutelage::Oracle::fit(&LeastSquares { standardize: states }, &sets, &Stream::new(6))
                .unwrap();
        let mut actions = Batch::zeros(data.len(), 3);
        policy.act_mean(&data.states, &mut actions).unwrap();
        (actions, policy)
    };
    let (plain, (standardized, policy)) = (act(Standardize::No).0, act(Standardize::Yes));
    let pairs = plain.as_slice().iter().zip(standardized.as_slice());
    let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart < 1e-3, "{apart}");
    let (weights, bias) = policy.network().layout().dense(&policy.parameters()[0], 0);
    assert!(weights.iter().chain(&bias).all(|w| w.abs() < 2.0), "weights of a like size");
}

#[test]
fn standardizing_oracles_pass_the_checks() {
    let [_, networks] = oracles::<f32>(&[6], 20);
    check_oracle(&networks, &vectors(90), SPACES, Stream::new(3)).unwrap();
    let [_, classifiers]: [MlpClassifier; 2] = oracles(&[6], 20);
    check_oracle(&classifiers, &indices(90), SPACES, Stream::new(3)).unwrap();
    let affine = LeastSquares { standardize: Standardize::Yes };
    check_oracle(&affine, &vectors(90), SPACES, Stream::new(3)).unwrap();
    let _: &MlpOracle = &networks;
}
