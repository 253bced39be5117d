//! Runs belong to their experts.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tutelage::Stream;
use tutelage_runs::Silent;
use tutelage_runs::store::{StoreError, read_spec};
use tutelage_spec::spec::RunSpec;
use tutelage_spec::{
    LabError, Learner, PartsError, evaluate_run, fingerprint, learn_in, learner_of, load_expert,
    spec_of,
};
use tutelage_tasks::bullet::{Normalizer, Robot};
use tutelage_tasks::experts::{Card, GaussianExpert, GaussianPolicy, TimeFeature};

fn learner(path: &Path, round: Option<usize>) -> Result<Learner<f32>, LabError> {
    learner_of(path, &spec_of(path)?, round)
}

/// Writes an untrained expert: its episodes are short.
fn write_expert(path: &Path, seed: u64, variance: f64) {
    let widths = [Robot::Hopper.state_width(), 4, Robot::Hopper.action_width()];
    let policy = GaussianPolicy::random(&widths, -1.0, &mut Stream::new(seed).rng()).unwrap();
    let normalizer = Normalizer::new(vec![0.0; widths[0]], vec![variance; widths[0]]).unwrap();
    GaussianExpert::new(Robot::Hopper, policy, normalizer, TimeFeature::Omitted, Card::default())
        .write(path)
        .unwrap();
}

struct Lab(TempDir);

impl Lab {
    /// A folder with an expert and a run of two rounds.
    fn new() -> Self {
        let lab = Self(tempfile::tempdir().unwrap());
        write_expert(&lab.path("expert.safetensors"), 5, 1.0);
        lab.learn("run", "dagger", "").unwrap();
        lab
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn learn(&self, name: &str, algorithm: &str, more: &str) -> Result<(), LabError> {
        self.learn_from("expert.safetensors", name, algorithm, more)
    }

    fn learn_from(
        &self,
        expert: &str,
        name: &str,
        algorithm: &str,
        more: &str,
    ) -> Result<(), LabError> {
        let expert = self.path(expert);
        let text = format!(
            "task = 'hopper'\nexpert = '{}'\nalgorithm = '{algorithm}'\nclass = 'linear'\nrounds = 2\n\
             states_per_round = 4\nsampling = 'stride(2)'\nevaluation.episodes = 1\n{more}",
            expert.display()
        );
        learn_in(&self.path(name), &RunSpec::parse(&text).unwrap(), &mut Silent).map(|_| ())
    }

    fn on_run(&self, algorithm: &str) -> Result<(), LabError> {
        let more = match algorithm {
            "supervised" => format!("data = '{}'", self.path("run").display()),
            _ => format!("d0 = 'dagger:{}'", self.path("run").display()),
        };
        let name = format!("{algorithm} on the run");
        self.learn(&name, algorithm, &more)
    }
}

#[test]
fn runs_are_read_with_the_expert_that_labeled_them() {
    let lab = Lab::new();
    evaluate_run(&lab.path("run"), None, None, 1, 0).unwrap();
    for (seed, variance, noted) in [(6, 1.0, "expert"), (5, 2.0, "expert: normaliser")] {
        write_expert(&lab.path("expert.safetensors"), seed, variance);
        let error = learner(&lab.path("run"), None).err().unwrap();
        assert!(
            matches!(&error, LabError::Store(StoreError::Changed { name, .. }) if name == noted),
            "{error}"
        );
        assert!(matches!(lab.learn("run", "dagger", ""), Err(LabError::Store(_))));
    }
}

#[test]
fn stored_data_must_have_the_same_expert_under_any_name() {
    let lab = Lab::new();
    lab.on_run("supervised").unwrap();
    lab.on_run("mp-2(3)").unwrap();
    fs::copy(lab.path("expert.safetensors"), lab.path("renamed.safetensors")).unwrap();
    let data = format!("data = '{}'", lab.path("run").display());
    lab.learn_from("renamed.safetensors", "renamed", "supervised", &data).unwrap();
    fs::remove_dir_all(lab.path("supervised on the run")).unwrap();
    fs::remove_dir_all(lab.path("mp-2(3) on the run")).unwrap();
    for (seed, variance) in [(6, 1.0), (5, 2.0)] {
        write_expert(&lab.path("expert.safetensors"), seed, variance);
        for algorithm in ["supervised", "mp-2(3)"] {
            let error = lab.on_run(algorithm).unwrap_err();
            assert!(matches!(error, LabError::Parts(PartsError::OtherExpert { .. })), "{error}");
        }
    }
}

#[test]
fn errors_list_the_rounds_with_policies() {
    let lab = Lab::new();
    let kept = |run: &str, round| match learner(&lab.path(run), Some(round)) {
        Err(LabError::NoPolicy { kept, .. }) => kept,
        _ => panic!("round {round} of {run}"),
    };
    assert_eq!(kept("run", 3), [0, 1, 2]);
    assert!(learner(&lab.path("run"), Some(0)).is_ok());
    lab.learn("last", "dagger", "seed = 2\nkeep = 'last'").unwrap();
    for round in [0, 1, 3] {
        assert_eq!(kept("last", round), [2]);
    }
    assert!(learner(&lab.path("last"), None).is_ok());
}

#[test]
fn runs_can_be_resumed_with_another_keep() {
    let lab = Lab::new();
    let begun = read_spec(&lab.path("run")).unwrap();
    assert!(lab.path("run/policies/round-001.safetensors").is_file());
    lab.learn("run", "dagger", "keep = 'last'").unwrap();
    assert!(
        !lab.path("run/policies/round-001.safetensors").is_file(),
        "only the last policy is kept"
    );
    assert_eq!(read_spec(&lab.path("run")).unwrap(), begun, "the recorded spec stays");
    let error = lab.learn("run", "dagger", "keep = 'last'\nseed = 2").unwrap_err().to_string();
    assert!(error.contains("+ seed = 2"), "{error}");
}

#[test]
fn noise_of_an_expert_can_be_replaced() {
    let has_spread = |name: &str, std: f32| {
        let expert = load_expert(name, None).unwrap();
        expert.policy().log_std().iter().all(|log| (log.exp() - std).abs() < 1e-6)
    };
    assert!(has_spread("hopper:noise=0", 0.0) && has_spread("hopper:noise=0.5", 0.5));
    let own = load_expert("hopper", None).unwrap();
    let other = load_expert("hopper:noise=0.5", None).unwrap();
    assert_ne!(fingerprint(&own), fingerprint(&other), "runs distinguish them");
    assert_eq!(own.policy().params(), other.policy().params());
    assert!(load_expert("hoper:noise=0", None).err().unwrap().to_string().contains("`hopper`?"));
    assert!(load_expert("hopper:noise=loud", None).is_err());
    let lab = Lab::new();
    assert!(has_spread(&format!("{}:noise=0.25", lab.path("expert.safetensors").display()), 0.25));
    // The path becomes absolute, and the suffix stays.
    let text = "task = 'hopper'\nexpert = 'tests/experts.rs:noise=1'";
    let file = std::path::absolute("tests/experts.rs").unwrap();
    let expected = format!("{}:noise=1", file.display());
    assert_eq!(RunSpec::parse(text).unwrap().with_absolute_paths().expert, expected);
}

#[test]
fn missing_experts_are_reported() {
    let error = load_expert("hoper", None).err().unwrap();
    assert!(
        matches!(error, PartsError::UnknownExpert(unknown) if unknown.nearest == Some("hopper"))
    );
    for name in ["missing.npz", "missing.zip", "missing.safetensors", "missing.txt"] {
        let error = load_expert(name, None).err().unwrap();
        assert!(matches!(error, PartsError::NoFile(missing) if missing == name));
    }
}

#[test]
fn runs_of_custom_programs_are_recognized() {
    let dir = tempfile::tempdir().unwrap();
    let own = "task = \"cart\"\ndrive = \"Learner\"\ntrain_on = \"Data\"\n";
    fs::write(dir.path().join("spec.toml"), own).unwrap();
    assert!(matches!(spec_of(dir.path()), Err(LabError::CustomProgram(_))));
    fs::write(dir.path().join("spec.toml"), "task = 'hopper'\nround = 3").unwrap();
    assert!(matches!(spec_of(dir.path()), Err(LabError::Spec(_))));
}
