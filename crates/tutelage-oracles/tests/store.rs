//! Stored policies round-trip, and invalid files are rejected.

#![allow(clippy::unwrap_used)] // a failed step fails the test

mod support;

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use support::{fit, settings, vectors};
use tutelage::choice::TrainOn;
use tutelage_oracles::LeastSquares;
use tutelage_oracles::mlp::{MlpClassifierPolicy, MlpOracle, MlpPolicy, PolicyFileError};

fn policy(hidden: &[usize]) -> MlpPolicy {
    let (data, train_on) = (vectors(30), TrainOn::Bootstrap);
    match hidden {
        [] => fit(&LeastSquares::default(), &data, train_on, 3),
        _ => fit(&MlpOracle::new(settings(hidden, 5)).unwrap(), &data, train_on, 3),
    }
}

#[test]
fn header_describes_the_policy() {
    let header = |hidden: &[usize]| {
        let bytes = policy(hidden).to_safetensors().unwrap();
        let (_, metadata) = safetensors::SafeTensors::read_metadata(&bytes).unwrap();
        metadata.metadata().as_ref().unwrap()["tutelage.policy"].clone()
    };
    assert_eq!(
        header(&[9, 4]),
        "version=1;class=mlp;action=vector;widths=5,9,4,3;activation=tanh;clip=-1,1;members=3"
    );
    assert_eq!(
        header(&[]),
        "version=1;class=linear;action=vector;widths=5,3;activation=none;clip=-1,1;members=3"
    );
}

#[test]
fn truncated_files_are_rejected() {
    let bytes = policy(&[4]).to_safetensors().unwrap();
    for cut in (0..bytes.len()).step_by(7) {
        assert!(
            matches!(MlpPolicy::from_safetensors(&bytes[..cut]), Err(PolicyFileError::Format(_))),
            "cut at {cut}"
        );
    }
    assert!(matches!(
        MlpPolicy::from_safetensors(b"PK\x03\x04 something else entirely"),
        Err(PolicyFileError::Format(_))
    ));
}

fn edited(from: &str, to: &str) -> Result<MlpPolicy, PolicyFileError> {
    let bytes = policy(&[4]).to_safetensors().unwrap();
    let header_len = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = std::str::from_utf8(&bytes[8..8 + header_len]).unwrap();
    assert!(header.contains(from), "{header}");
    let header = header.replace(from, to);
    let bytes =
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &bytes[8 + header_len..]]
            .concat();
    MlpPolicy::from_safetensors(&bytes)
}

#[test]
fn invalid_fields_are_reported() {
    let field = |result: Result<MlpPolicy, PolicyFileError>| match result.unwrap_err() {
        PolicyFileError::Field { field, .. } => field,
        other => panic!("{other}"),
    };
    assert_eq!(field(edited("version=1", "version=3")), "version");
    assert_eq!(field(edited("version=1", "version=2")), "states");
    assert_eq!(field(edited("members=3", "members=3;temper=2")), "tutelage.policy");
    assert_eq!(field(edited("members=3", "members=2;members=3")), "tutelage.policy");
    assert_eq!(field(edited("class=mlp", "class=linear")), "class");
    assert_eq!(field(edited("activation=tanh", "activation=relu")), "activation");
    assert_eq!(field(edited(";clip=-1,1", "")), "clip");
    assert_eq!(field(edited("members=3", "members=0")), "members");
    assert_eq!(field(edited("widths=5,4,3", "widths=5,x,3")), "widths");
    assert!(matches!(edited("widths=5,4,3", "widths=5,0,3"), Err(PolicyFileError::Widths(_))));
    assert!(matches!(
        edited("members=3", "members=4000000000"),
        Err(PolicyFileError::Tensor { .. })
    ));
    let more = "version=2;class=mlp;action=vector;widths=5,4,3;activation=tanh;clip=-1,1;members=3;states=standardised";
    let less = "version=1;class=mlp;action=vector;widths=5,4,3;activation=tanh;clip=-1,1;members=3";
    assert!(matches!(edited(less, more), Err(PolicyFileError::Format(_))));
    let error = edited("widths=5,4,3", "widths=5,3,3").unwrap_err();
    assert!(
        matches!(&error, PolicyFileError::Tensor { name, .. } if name == "layer.0.weight"),
        "{error}"
    );
}

#[test]
fn foreign_files_and_extra_tensors_are_rejected() {
    let zeros = [0u8; 8];
    let view = TensorView::new(Dtype::F32, vec![2], &zeros).unwrap();
    let foreign = serialize(
        [("w", view)],
        Some(HashMap::from([("made".to_owned(), "elsewhere".to_owned())])),
    )
    .unwrap();
    assert!(matches!(MlpPolicy::from_safetensors(&foreign), Err(PolicyFileError::Foreign)));

    let bytes = policy(&[4]).to_safetensors().unwrap();
    let entry = &SafeTensors::read_metadata(&bytes).unwrap().1.metadata().clone().unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let tensors = file.tensors().into_iter();
    let more = tensors
        .chain([("extra".to_owned(), TensorView::new(Dtype::F32, vec![2], &zeros).unwrap())]);
    let more = serialize(more, Some(entry.clone())).unwrap();
    assert!(matches!(
        MlpPolicy::from_safetensors(&more),
        Err(PolicyFileError::Count { found: 5, expected: 4 })
    ));

    let mut bytes = policy(&[4]).to_safetensors().unwrap();
    let error = MlpClassifierPolicy::from_safetensors(&bytes).unwrap_err();
    assert!(matches!(error, PolicyFileError::Field { field: "action", .. }), "{error}");

    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(matches!(MlpPolicy::from_safetensors(&bytes), Err(PolicyFileError::Value { .. })));
}
