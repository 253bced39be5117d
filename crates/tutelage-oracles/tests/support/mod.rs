//! Data for several tests.
#![allow(dead_code)] // each test uses its part

use rand::RngExt;
use tutelage::choice::{PerturbationSize, TrainOn};
use tutelage::cover::UniformBox;
use tutelage::oracle::{TrainingSets, TrainingSpec, View};
use tutelage::{Batch, Dataset, Inputs, Oracle, Spaces, Stream};
use tutelage_oracles::mlp::{MlpSettings, OutputHead, TrainingBudget};

pub(crate) const SPACES: Spaces = Spaces { states: 5, actions: 3 };

/// Returns states with coordinates of very different scales: one large, one tiny, one constant.
pub(crate) fn states(rows: usize) -> Batch<f32> {
    let mut rng = Stream::new(31).rng();
    let mut states = Batch::new(SPACES.states);
    for _ in 0..rows {
        let x: Vec<f32> = (0..4).map(|_| rng.random_range(-1.0..1.0)).collect();
        states.push(&[500.0 + 20.0 * x[0], 1e-3 * x[1], 7.0, x[2], 3.0 * x[3]]);
    }
    states
}

pub(crate) fn vectors(rows: usize) -> Dataset<f32, f32> {
    let (states, mut actions) = (states(rows), Batch::new(SPACES.actions));
    for s in states.rows() {
        actions.push(&[(s[0] - 500.0) / 25.0, 900.0 * s[1], s[3] * s[4] / 3.0]);
    }
    Dataset { states, actions }
}

pub(crate) fn indices(rows: usize) -> Dataset<f32, u32> {
    let (states, mut actions) = (states(rows), Batch::new(1));
    for s in states.rows() {
        actions.push(&[u32::from(s[0] > 500.0) + u32::from(s[1] > 0.0)]);
    }
    Dataset { states, actions }
}

/// Perturbation examples of this size, uniform on [-2, 2]ᵈ.
pub(crate) fn perturbed<A>(size: PerturbationSize) -> TrainingSpec<'static, f32, A> {
    let cover: &'static UniformBox = Box::leak(Box::new(UniformBox::new(-2.0, 2.0).unwrap()));
    let inputs = Inputs { cover: Some(cover), ..Inputs::none() };
    TrainingSpec { train_on: TrainOn::Perturbed(size), inputs, round: 1 }
}

/// Every kind of training set.
pub(crate) fn ways<A>() -> [TrainingSpec<'static, f32, A>; 3] {
    [TrainOn::Data.into(), TrainOn::Bootstrap.into(), perturbed(PerturbationSize::Poisson(40.0))]
}

pub(crate) fn settings(hidden: &[usize], iterations: usize) -> MlpSettings {
    MlpSettings { budget: TrainingBudget::Iterations(iterations), ..MlpSettings::new(hidden) }
}

pub(crate) fn fit<A: OutputHead, O: Oracle<State = f32, Action = A>>(
    oracle: &O,
    data: &Dataset<f32, A>,
    spec: impl Into<TrainingSpec<'static, f32, A>>,
    members: usize,
) -> O::Policy {
    let spec = spec.into();
    let sets = TrainingSets::new(data, spec, SPACES, members, Stream::new(5)).unwrap();
    oracle.fit(&sets, &Stream::new(6)).unwrap()
}

/// Returns the training set of the first member as a dataset.
pub(crate) fn written_out<A: OutputHead>(
    data: &Dataset<f32, A>,
    spec: TrainingSpec<'static, f32, A>,
) -> Dataset<f32, A> {
    let sets = TrainingSets::new(data, spec, SPACES, 1, Stream::new(5)).unwrap();
    let mut out = Dataset::empty(SPACES);
    match sets.view(0) {
        View::All => return data.clone(),
        View::Resampled(rows) => rows.iter().for_each(|&r| {
            out.states.push(data.states.row(r as usize));
            out.actions.push(data.actions.row(r as usize));
        }),
        View::Extended(q) => {
            out.extend(&data.states, &data.actions);
            for (i, &copies) in q.copies.iter().enumerate() {
                for _ in 0..copies {
                    out.states.push(q.states.row(i));
                    out.actions.push(q.actions.row(i));
                }
            }
        }
        other => panic!("{other:?}"),
    }
    out
}
