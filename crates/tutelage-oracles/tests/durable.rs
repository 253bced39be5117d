//! Oracles that store and load their own policies: what comes back acts the same, and nothing else comes back.

#![allow(clippy::unwrap_used)] // a failed step fails the test

mod support;

use support::{SPACES, fit, indices, settings, vectors};
use tutelage::{DurableOracle, OracleError, Spaces, TrainOn};
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
fn policies_come_back_bit_for_bit() {
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

fn refused<O: DurableOracle>(oracle: &O, bytes: &[u8], spaces: Spaces) -> String
where
    O::Policy: std::fmt::Debug,
{
    match oracle.decode(bytes, spaces).unwrap_err() {
        OracleError::Other(error) => error.downcast::<PolicyFileError>().unwrap().to_string(),
        other => panic!("{other}"),
    }
}

#[test]
fn policies_of_other_classes_and_tasks_are_refused_by_name() {
    let networks: MlpOracle = oracle(&[6, 4], Standardize::No);
    let bytes = comes_back(&networks, &fit(&networks, &vectors(40), TrainOn::Data, 2));
    let class = "a policy of another class: ";
    assert_eq!(
        refused(&networks, &bytes, Spaces { states: 6, ..SPACES }),
        format!("{class}state width 5; allowed 6")
    );
    assert_eq!(
        refused(&networks, &bytes, Spaces { actions: 2, ..SPACES }),
        format!("{class}output width 3; allowed 2")
    );
    assert_eq!(
        refused(&oracle::<f32>(&[6, 5], Standardize::No), &bytes, SPACES),
        format!("{class}hidden widths [6, 4]; allowed [6, 5]")
    );
    assert_eq!(
        refused(&LeastSquares::default(), &bytes, SPACES),
        format!("{class}hidden widths [6, 4]; allowed []")
    );
    assert_eq!(
        refused(&oracle::<u32>(&[6, 4], Standardize::No), &bytes, SPACES),
        "metadata field `action` is `vector`; expected index"
    );

    let standardising: MlpOracle = oracle(&[6, 4], Standardize::Yes);
    standardising.decode(&bytes, SPACES).expect("the first round's policy has no statistics");
    let bytes = comes_back(&standardising, &fit(&standardising, &vectors(40), TrainOn::Data, 2));
    assert_eq!(
        refused(&networks, &bytes, SPACES),
        format!("{class}states standardised; allowed as given")
    );
}

/// Where the numbers of a tensor begin in the file.
fn start(bytes: &[u8], name: &str) -> usize {
    let file = safetensors::SafeTensors::deserialize(bytes).unwrap();
    file.tensor(name).unwrap().data().as_ptr() as usize - bytes.as_ptr() as usize
}

#[test]
fn numbers_that_no_policy_has_are_refused_by_place() {
    let standardising: MlpOracle = oracle(&[6], Standardize::Yes);
    let bytes = comes_back(&standardising, &fit(&standardising, &vectors(40), TrainOn::Data, 2));
    let with = |name: &str, index: usize, value: f32| {
        let (mut bytes, at) = (bytes.clone(), start(&bytes, name) + 4 * index);
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        refused(&standardising, &bytes, SPACES)
    };
    assert_eq!(
        with("layer.0.weight", 7, f32::NAN),
        "tensor `layer.0.weight`, element 7: NaN is not finite"
    );
    assert_eq!(
        with("layer.1.bias", 1, f32::INFINITY),
        "tensor `layer.1.bias`, element 1: inf is not finite"
    );
    assert_eq!(
        with("states.mean", 2, f32::NEG_INFINITY),
        "tensor `states.mean`, element 2: -inf is not finite"
    );
    for value in ["0", "-1", "NaN"] {
        assert_eq!(
            with("states.scale", 3, value.parse().unwrap()),
            format!("tensor `states.scale`, element 3: {value} is not finite and positive")
        );
    }
}
