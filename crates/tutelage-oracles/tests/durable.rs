//! Oracles store and load their policies; policies of other classes are rejected.

#![allow(clippy::unwrap_used)] // a failed step fails the test

mod support;

use support::{SPACES, fit, indices, settings, vectors};
use tutelage::choice::TrainOn;
use tutelage::oracle::DurableOracle;
use tutelage::{OracleError, Spaces};
use tutelage_oracles::mlp::{Isa, Mlp, MlpClassifier, MlpOracle, MlpSettings, PolicyFileError};
use tutelage_oracles::{LeastSquares, Standardize};

fn oracle<A: tutelage_oracles::mlp::OutputHead>(
    hidden: &[usize],
    standardize: Standardize,
) -> Mlp<A> {
    Mlp::new(MlpSettings { standardize, ..settings(hidden, 5) }).unwrap()
}

fn comes_back<O: DurableOracle>(oracle: &O, policy: &O::Policy) -> Vec<u8>
where
    O::Policy: PartialEq + std::fmt::Debug,
{
    let bytes = oracle.encode(policy).unwrap();
    let back = oracle.decode(&bytes, SPACES).unwrap();
    assert_eq!(back, *policy);
    assert_eq!(oracle.encode(&back).unwrap(), bytes, "equal policies have equal bytes");
    bytes
}

#[test]
fn policies_round_trip_bit_for_bit() {
    for states in [Standardize::No, Standardize::Yes] {
        for hidden in [&[][..], &[6], &[6, 4]] {
            let networks: MlpOracle = oracle(hidden, states);
            comes_back(&networks, &fit(&networks, &vectors(40), TrainOn::Bootstrap, 3));
            let classifiers: MlpClassifier = oracle(hidden, states);
            comes_back(&classifiers, &fit(&classifiers, &indices(40), TrainOn::Bootstrap, 3));
        }
        let affine = LeastSquares { standardize: states };
        comes_back(&affine, &fit(&affine, &vectors(40), TrainOn::Bootstrap, 3));
    }
    let portable = oracle::<f32>(&[6], Standardize::No).with_isa(Isa::Portable);
    comes_back(&portable, &fit(&portable, &vectors(40), TrainOn::Data, 2));
}

fn refused<O: DurableOracle>(oracle: &O, bytes: &[u8], spaces: Spaces) -> PolicyFileError
where
    O::Policy: std::fmt::Debug,
{
    match oracle.decode(bytes, spaces).unwrap_err() {
        OracleError::Other(error) => *error.downcast::<PolicyFileError>().unwrap(),
        other => panic!("{other}"),
    }
}

/// Returns the property in which a policy differs from the oracle's class.
fn other_class<O: DurableOracle>(oracle: &O, bytes: &[u8], spaces: Spaces) -> &'static str
where
    O::Policy: std::fmt::Debug,
{
    match refused(oracle, bytes, spaces) {
        PolicyFileError::OtherClass { what, .. } => what,
        other => panic!("{other}"),
    }
}

#[test]
fn policies_of_other_classes_and_tasks_are_rejected() {
    let networks: MlpOracle = oracle(&[6, 4], Standardize::No);
    let bytes = comes_back(&networks, &fit(&networks, &vectors(40), TrainOn::Data, 2));
    let [states, actions] = [Spaces { states: 6, ..SPACES }, Spaces { actions: 2, ..SPACES }];
    assert_eq!(other_class(&networks, &bytes, states), "state width");
    assert_eq!(other_class(&networks, &bytes, actions), "output width");
    let wider = oracle::<f32>(&[6, 5], Standardize::No);
    assert_eq!(other_class(&wider, &bytes, SPACES), "hidden widths");
    assert_eq!(other_class(&LeastSquares::default(), &bytes, SPACES), "hidden widths");
    let error = refused(&oracle::<u32>(&[6, 4], Standardize::No), &bytes, SPACES);
    assert!(matches!(error, PolicyFileError::Field { field: "action", .. }), "{error}");

    let standardizing: MlpOracle = oracle(&[6, 4], Standardize::Yes);
    standardizing.decode(&bytes, SPACES).expect("the first round's policy has no statistics");
    let bytes = comes_back(&standardizing, &fit(&standardizing, &vectors(40), TrainOn::Data, 2));
    assert_eq!(other_class(&networks, &bytes, SPACES), "states");
}

/// Returns the offset of a tensor in the file.
fn start(bytes: &[u8], name: &str) -> usize {
    let file = safetensors::SafeTensors::deserialize(bytes).unwrap();
    file.tensor(name).unwrap().data().as_ptr() as usize - bytes.as_ptr() as usize
}

#[test]
fn invalid_numbers_are_rejected_with_their_position() {
    let standardizing: MlpOracle = oracle(&[6], Standardize::Yes);
    let bytes = comes_back(&standardizing, &fit(&standardizing, &vectors(40), TrainOn::Data, 2));
    let invalid = [("layer.0.weight", 7, f32::NAN), ("layer.1.bias", 1, f32::INFINITY)];
    let means = [("states.mean", 2, f32::NEG_INFINITY)];
    let scales = [0.0, -1.0, f32::NAN].map(|value| ("states.scale", 3, value));
    for (tensor, element, number) in invalid.into_iter().chain(means).chain(scales) {
        let (mut bytes, at) = (bytes.clone(), start(&bytes, tensor) + 4 * element);
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        match refused(&standardizing, &bytes, SPACES) {
            PolicyFileError::Value { name, index, .. } => {
                assert_eq!((name.as_str(), index), (tensor, element));
            }
            other => panic!("{other}"),
        }
    }
}
