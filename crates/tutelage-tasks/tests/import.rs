//! Experts from foreign files and back.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use ndarray::Array2;
use ndarray_npy::NpzReader;
use tutelage::{Batch, Expert};
use tutelage_net::Network;
use tutelage_tasks::bullet::{Normalizer, Robot};
use tutelage_tasks::experts::{
    Card, ContentError, FileError, GaussianExpert, GaussianPolicy, TimeFeature,
};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn error(path: &Path, task: Option<Robot>, statistics: Option<&Path>) -> ContentError {
    match GaussianExpert::read(path, task, statistics).unwrap_err() {
        FileError::Content { error, .. } => error,
        other => panic!("{other}"),
    }
}

#[test]
fn stable_baselines3_agent_acts_as_in_python() {
    let (agent, statistics) = (data("trpo_tanh.zip"), data("trpo_tanh.pkl"));
    let mut expert = GaussianExpert::read(&agent, Some(Robot::Hopper), Some(&statistics)).unwrap();
    assert_eq!(expert.policy().network().layout().widths(), [15, 5, 4, 3]);
    let file = std::fs::File::open(data("trpo_tanh_expected.npz")).unwrap();
    let mut expected = NpzReader::new(file).unwrap();
    let states: Array2<f32> = expected.by_name("states").unwrap();
    let means: Array2<f32> = expected.by_name("means").unwrap();
    let std: ndarray::Array1<f32> = expected.by_name("std").unwrap();
    let mut batch = Batch::from_vec(15, states.iter().copied().collect()).unwrap();
    (0..batch.len()).for_each(|i| expert.normalizer().apply(batch.row_mut(i)));
    let mut actions = Batch::zeros(batch.len(), 3);
    expert.mean(&batch, &mut actions).unwrap();
    for (found, expected) in actions.as_slice().iter().zip(&means) {
        assert!((found - expected.clamp(-1.0, 1.0)).abs() < 1e-5, "{found} against {expected}");
    }
    for (found, expected) in expert.policy().log_std().iter().zip(&std) {
        assert!((found.exp() - expected).abs() < 1e-6);
    }
}

#[test]
fn unsuitable_agents_are_refused() {
    let (hopper, agent) = (Some(Robot::Hopper), data("trpo_tanh.zip"));
    let other = error(&agent, Some(Robot::Ant), None);
    assert!(
        matches!(other, ContentError::Shape { name, expected, .. } if name == "W0" && expected == [28, 5])
    );
    assert!(matches!(error(&agent, None, None), ContentError::NoTask));
    let relu = error(&data("ppo_relu.zip"), hopper, None);
    assert!(matches!(relu, ContentError::Unsupported { found, .. } if found.contains("ReLU")));
    let arrays = error(&data("trpo_tanh_expected.npz"), hopper, None);
    assert!(matches!(arrays, ContentError::Missing { name, .. } if name == "W0"));
    let statistics = data("make_sb3.py");
    let error = GaussianExpert::read(&agent, hopper, Some(&statistics)).unwrap_err();
    assert!(matches!(error, FileError::Content { path, .. } if path == statistics));
}

/// An untrained expert that sees the remaining time.
fn expert() -> GaussianExpert {
    let widths = [16, 7, 3];
    let mut rng = tutelage::Stream::new(2).rng();
    let network = Network::new(&widths).unwrap();
    let params = network.layout().orthogonal(1.4, 1.0, &mut rng);
    let policy = GaussianPolicy::new(network, params, vec![-1.0, -0.5, 0.1]);
    let normalizer = Normalizer::new(vec![0.1; 16], vec![0.7; 16]).unwrap();
    let card = Card { seed: Some(3), command: Some("by hand".into()), ..Card::default() };
    GaussianExpert::new(Robot::Hopper, policy, normalizer, TimeFeature::Included, card)
}

#[test]
fn experts_survive_both_formats() {
    let folder = tempfile::tempdir().unwrap();
    let expert = expert();
    for name in ["e.safetensors", "e.npz"] {
        let path = folder.path().join(name);
        expert.write(&path).unwrap();
        let read = GaussianExpert::read(&path, Some(Robot::Hopper), None).unwrap();
        assert_eq!(read.policy(), expert.policy());
        assert_eq!(read.normalizer(), expert.normalizer());
        assert_eq!(read.time_feature(), TimeFeature::Included);
        if name == "e.safetensors" {
            assert_eq!(read.card(), expert.card());
        }
    }
    let path = folder.path().join("e.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    expert.write(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "files depend on the expert alone");
    let other = error(&path, Some(Robot::Ant), None);
    let ContentError::Task { expected: Robot::Ant, found: Robot::Hopper } = other else {
        panic!("{other}");
    };
}

#[test]
fn foreign_missing_and_damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (hopper, at) = (Some(Robot::Hopper), |name: &str| folder.path().join(name));
    let missing = GaussianExpert::read(&at("none.npz"), None, None).unwrap_err();
    assert!(matches!(missing, FileError::Io { .. }));
    std::fs::write(at("some.txt"), b"").unwrap();
    let extension = error(&at("some.txt"), None, None);
    assert!(matches!(extension, ContentError::Unsupported { found, .. } if found == "`txt`"));
    for name in ["e.txt", "e.zip"] {
        let FileError::Content { error, .. } = expert().write(&at(name)).unwrap_err() else {
            panic!("{name}");
        };
        assert!(matches!(error, ContentError::Unsupported { .. }), "{error}");
    }
    for name in ["noise.safetensors", "noise.npz", "noise.zip"] {
        std::fs::write(at(name), b"These are not the weights you are looking for.").unwrap();
        assert!(matches!(error(&at(name), hopper, None), ContentError::Format { .. }), "{name}");
    }
    let path = at("e.safetensors");
    expert().write(&path).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    assert!(matches!(error(&path, None, None), ContentError::Format { .. }));
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(error(&path, None, None), ContentError::NotFinite { .. }));
}
