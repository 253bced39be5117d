//! What a run is: one TOML form, checked, complete, and the same for flags and files.
//!
//! A [`Draft`] is what was typed, in a file or as flags, with anything left out. [`Draft::check`] makes it a [`RunSpec`]:
//! every field known, every value allowed, what was left out filled in with the paper's setting for the task.

mod choices;
mod class;
mod cover;
mod draft;
mod error;
mod oracle;
mod sampling;

pub use choices::Choices;
pub use class::Class;
pub use cover::CoverSpec;
pub use draft::{Draft, EvaluationDraft, OracleDraft};
pub use error::{SpecError, check_name, parse_toml};
pub use oracle::{BudgetSpec, OracleSpec};
pub use sampling::{deploy_name, expert_acts_name, keep_name, sampling_name};

use std::ops::{Deref, DerefMut};

use sha2::{Digest, Sha256};
use tutelage::SpaceKind;
use tutelage_oracles::LeastSquares;
use tutelage_runs::Keep;

use crate::registry::Task;

/// A complete, checked run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSpec {
    /// Where the learner acts.
    pub task: Task,
    /// Who annotates: the name of a shipped expert, or a file.
    pub expert: String,
    /// Everything else; its fields are the spec's own (`spec.rounds`).
    pub choices: Choices,
}

impl Deref for RunSpec {
    type Target = Choices;

    fn deref(&self) -> &Choices {
        &self.choices
    }
}

impl DerefMut for RunSpec {
    fn deref_mut(&mut self) -> &mut Choices {
        &mut self.choices
    }
}

impl RunSpec {
    /// The spec of a TOML text; what it leaves out takes its default.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        Draft::parse(text)?.check()
    }

    /// The whole spec as TOML, the same text for the same spec.
    pub fn to_toml(&self) -> String {
        // Strings and numbers always have a TOML form.
        toml::to_string(&Draft::from(self)).unwrap_or_default()
    }

    /// 16 hexadecimal digits that stand for everything that can change the result (so not for `keep`).
    pub fn hash(&self) -> String {
        let mut spec = self.clone();
        spec.keep = Keep::All;
        let digest = Sha256::digest(spec.to_toml());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The solver of its least squares, where its policies are trained by them.
    pub fn solver(&self) -> Option<&'static str> {
        let affine = self.class == Class::Linear && self.task.actions() == SpaceKind::Continuous;
        affine.then_some(LeastSquares::SOLVER)
    }

    /// A name for the run's folder that no other spec has.
    pub fn folder(&self) -> String {
        let plain = |text: String| text.replace(['(', ':', ','], "-").replace(')', "");
        let (algorithm, class) = (plain(self.algorithm.spec_text()), plain(self.class.to_string()));
        format!("{}-{algorithm}-{class}-seed-{}-{}", self.task, self.seed, &self.hash()[..6])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_complete_text_parses_to_the_same_spec() {
        for text in [
            "task = 'hopper'",
            "task = 'ant'\nclass = 'linear'\nalgorithm = 'mp-25(15)'\nseed = 7",
            "task = 'walker2d'\nalgorithm = 'mftpl-p(2.5)'\nd0 = 'dagger:a,b'\nsampling = 'independent'",
            "task = 'half-cheetah'\nalgorithm = 'bagging-5'\ndata = 'runs/x'\nkeep = 'last'",
            "task = 'hopper'\nclass = 'mlp:8'\noracle.budget = 'iterations=500'\nevaluation.episodes = 3",
            "task = 'drive-5'\nalgorithm = 'ensemble-dagger-5(0.05,0.2)'\ndeploy = 'member'",
        ] {
            let spec = RunSpec::parse(text).unwrap();
            assert_eq!(RunSpec::parse(&spec.to_toml()), Ok(spec), "{text}");
        }
    }

    #[test]
    fn the_hash_is_frozen_and_sees_what_changes_the_result() {
        // Whatever is the usual algorithm.
        let hash =
            |text: &str| RunSpec::parse(&format!("algorithm = 'bd-5'\n{text}")).unwrap().hash();
        let plain = hash("task = 'hopper'");
        // Results are shared between figures by this hash: a change here disowns all earlier results.
        assert_eq!(plain, "c635e4eb389e620f");
        assert_eq!(plain, hash("task = 'HopperBulletEnv-v0'\nkeep = 'last'\nrounds = 20"));
        assert_ne!(plain, hash("task = 'hopper'\nseed = 2"));
        assert_ne!(plain, hash("task = 'hopper'\nrounds = 19"));
        assert_ne!(plain, hash("task = 'hopper'\noracle.learning_rate = 1e-3"));
    }

    #[test]
    fn the_folder_name_is_one_word() {
        let spec = RunSpec::parse("task = 'hopper'\nalgorithm = 'mp-25(15)'").unwrap();
        assert!(
            spec.folder().starts_with("hopper-mp-25-15-mlp-64-64-seed-1-"),
            "{}",
            spec.folder()
        );
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
        assert!(spec.folder().chars().all(allowed));
    }
}
