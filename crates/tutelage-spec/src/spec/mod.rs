//! What a run is.
//!
//! A [`SpecInput`] has the fields that were given by flags, a TOML file, Python or a program. [`SpecInput::complete`] makes it a
//! [`RunSpec`], in which unset fields have the task's defaults.

mod class;
mod cover;
mod error;
mod fields;
mod input;
mod value;

pub use class::{Class, ClassInput};
pub use cover::CoverSpec;
pub use error::{SpecError, parse_toml};
pub use fields::{EvaluationInput, EvaluationSpec, OracleInput, OracleSpec, RunSpec, SpecInput};
pub use tutelage_oracles::mlp::TrainingBudget;
pub use value::{TextValue, parse_value};

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tutelage::{Algorithm, Inputs, Schedule, SpaceKind, Stream};
use tutelage_oracles::LeastSquares;
use tutelage_runs::{Keep, RunConfig};

use crate::expert::with_absolute_path;
use crate::registry::Task;

impl RunSpec {
    /// Parses a TOML text. Unset fields get the task's defaults.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        SpecInput::parse(text)?.complete()
    }

    /// Returns the default spec of a task.
    pub fn of(task: Task) -> Result<Self, SpecError> {
        SpecInput { task: Some(task), ..SpecInput::default() }.complete()
    }

    /// Returns the complete spec as TOML. Equal specs have equal texts.
    ///
    /// # Panics
    ///
    /// If a program has set a seed above `i64::MAX`, which TOML cannot represent.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| panic!("seed = {}: {error}", self.seed))
    }

    /// Returns 16 hexadecimal digits that identify everything that affects the results, so not `keep`.
    pub fn hash(&self) -> String {
        let spec = Self { keep: Keep::All, ..self.clone() };
        let digest = Sha256::digest(spec.to_toml());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the least-squares solver, if policies are trained by least squares.
    pub fn solver(&self) -> Option<&'static str> {
        let affine = self.class == Class::Linear && self.task.actions() == SpaceKind::Continuous;
        affine.then_some(LeastSquares::SOLVER)
    }

    /// Returns a name for the run directory. Different specs have different names.
    pub fn folder(&self) -> String {
        let plain = |text: String| text.replace(['(', ':', ','], "-").replace(')', "");
        let (algorithm, class) = (plain(self.algorithm.spec_text()), plain(self.class.to_string()));
        format!("{}-{algorithm}-{class}-seed-{}-{}", self.task, self.seed, &self.hash()[..6])
    }

    /// Makes paths absolute, so that the run can be resumed from any directory.
    #[must_use]
    pub fn with_absolute_paths(self) -> Self {
        let d0 = self.d0.map(|d0| match d0 {
            CoverSpec::Runs(runs) => {
                CoverSpec::Runs(runs.iter().map(|run| absolute(run)).collect())
            }
            CoverSpec::Uniform { .. } => d0,
        });
        let data = self.data.map(|run| absolute(&run));
        Self { expert: with_absolute_path(&self.expert), d0, data, ..self }
    }
}

impl<T> RunSpec<T> {
    /// Returns what the runner does, with the inputs that the algorithm needs.
    pub fn config<'a, S, A>(&self, inputs: Inputs<'a, S, A>) -> RunConfig<'a, S, A> {
        let Self { rounds, states_per_round, seed, keep, .. } = *self;
        let schedule = Schedule { rounds, states_per_round, stream: Stream::new(seed) };
        let episodes = self.evaluation.episodes;
        RunConfig { algorithm: self.algorithm(), schedule, inputs, episodes, keep }
    }

    /// Returns the algorithm as its four choices.
    pub fn algorithm(&self) -> Algorithm {
        let algorithm = self.algorithm.algorithm(self.sampling, self.expert_acts);
        Algorithm { deploy: self.deploy, ..algorithm }
    }
}

/// Returns the absolute path of a file that exists; other paths are returned unchanged.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    match std::path::absolute(path) {
        Ok(absolute) if absolute.exists() => absolute,
        _ => path.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_texts_parse_to_the_same_spec() {
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
    fn hash_covers_what_affects_results() {
        let hash =
            |text: &str| RunSpec::parse(&format!("algorithm = 'bd-5'\n{text}")).unwrap().hash();
        let plain = hash("task = 'hopper'");
        // Figures share results by this hash: if it changes, all earlier results are lost.
        assert_eq!(plain, "c635e4eb389e620f");
        assert_eq!(plain, hash("task = 'HopperBulletEnv-v0'\nkeep = 'last'\nrounds = 20"));
        assert_ne!(plain, hash("task = 'hopper'\nseed = 2"));
        assert_ne!(plain, hash("task = 'hopper'\nrounds = 19"));
        assert_ne!(plain, hash("task = 'hopper'\noracle.learning_rate = 1e-3"));
    }

    #[test]
    fn folder_name_is_one_word() {
        let spec = RunSpec::parse("task = 'hopper'\nalgorithm = 'mp-25(15)'").unwrap();
        assert!(spec.folder().starts_with("hopper-mp-25-15-mlp-64-64-seed-1-"));
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
        assert!(spec.folder().chars().all(allowed));
    }
}
