//! Experts from foreign files and back.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use ndarray::Array2;
use ndarray_npy::NpzReader;
use tutelage::{Batch, Expert};
use tutelage_envs::{Normalizer, Robot};
use tutelage_experts::{Card, GaussianExpert, GaussianPolicy, TimeFeature};
use tutelage_net::Network;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn error(path: &Path, task: Option<Robot>, statistics: Option<&Path>) -> String {
    GaussianExpert::read(path, task, statistics).map(drop).expect_err("an error").to_string()
}

#[test]
fn a_stable_baselines3_agent_acts_as_it_did_there() {
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
fn an_agent_that_is_not_for_the_task_is_refused_with_the_layer() {
    let message = error(&data("trpo_tanh.zip"), Some(Robot::Ant), None);
    assert!(message.ends_with("W0 has shape [15, 5], but ant takes [28, 5]"), "{message}");
    let message = error(&data("trpo_tanh.zip"), None, None);
    assert!(message.contains("does not say which task it is for"), "{message}");
    let message = error(&data("ppo_relu.zip"), Some(Robot::Hopper), None);
    assert!(message.contains("activation") && message.contains("ReLU"), "{message}");
    let message = error(&data("trpo_tanh_expected.npz"), Some(Robot::Hopper), None);
    assert!(message.contains("has no array W0"), "{message}");
    let message = error(&data("trpo_tanh.zip"), Some(Robot::Hopper), Some(&data("make_sb3.py")));
    assert!(message.contains("make_sb3.py: not a pickled VecNormalize"), "{message}");
}

/// An untrained expert with a time_feature.
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
fn an_expert_survives_both_formats() {
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
    assert_eq!(
        std::fs::read(&path).unwrap(),
        bytes,
        "an expert's file is a function of the expert"
    );
    let message = error(&path, Some(Robot::Ant), None);
    assert!(message.ends_with("an expert for hopper, not for ant"), "{message}");
}

#[test]
fn foreign_missing_and_damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert!(error(&at("none.npz"), Some(Robot::Hopper), None).contains("No such file"));
    assert!(error(&at("none.npz"), None, None).contains("No such file"));
    std::fs::write(at("some.txt"), b"").unwrap();
    assert!(error(&at("some.txt"), None, None).contains("extension is `txt`"));
    for name in ["e.txt", "e.zip"] {
        let message = expert().write(&at(name)).unwrap_err().to_string();
        assert!(message.ends_with("only .safetensors or .npz is supported"), "{message}");
    }
    for name in ["noise.safetensors", "noise.npz", "noise.zip"] {
        std::fs::write(at(name), b"These are not the weights you are looking for.").unwrap();
        assert!(error(&at(name), Some(Robot::Hopper), None).contains(": not a"), "{name}");
    }
    let path = at("e.safetensors");
    expert().write(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
    assert!(error(&path, None, None).contains("not a safetensors file"));
    let mut bytes = bytes;
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(&path, &bytes).unwrap();
    let message = error(&path, None, None);
    assert!(message.contains("is NaN, but must be finite"), "{message}");
}
