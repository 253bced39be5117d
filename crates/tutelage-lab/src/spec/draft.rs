//! What was typed.

use serde::{Deserialize, Serialize};
use tutelage::algorithm::DEFAULT_ALGORITHM;
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::{AlgorithmName, Sampling, SpaceKind};
use tutelage_oracles::Standardize;
use tutelage_runs::Keep;

use super::error::{check_name, count, parse_toml};
use super::sampling::{
    deploy_name, expert_acts_name, keep_name, parse_deploy, parse_expert_acts, parse_keep,
    parse_sampling, sampling_name,
};
use super::{Choices, Class, CoverSpec, OracleSpec, RunSpec, SpecError};
use crate::cast::is_expert_name;
use crate::noise;
use crate::registry::{Defaults, Task, UnknownTask};

/// A spec as typed: anything may be missing or wrong.
///
/// A complete one is written in the same form; the order of the fields is part of the spec's hash.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// `hopper`, `cart-pole`, …
    pub task: Option<String>,
    /// A shipped expert, or a file; the task's own by default.
    pub expert: Option<String>,
    /// The usual one by default ([`DEFAULT_ALGORITHM`]).
    pub algorithm: Option<String>,
    /// `mlp:64,64`, `linear`, … or the paper's `realizable` (the default) and `nonrealizable`.
    pub class: Option<String>,
    /// N; the paper's for the task and class by default.
    pub rounds: Option<i64>,
    /// K; 50 by default.
    pub states_per_round: Option<i64>,
    /// `stride(20)` by default, or `independent`.
    pub sampling: Option<String>,
    /// `sampled` by default, or `mean`; for algorithms in which the expert drives.
    pub expert_acts: Option<String>,
    /// `uniform(-2,2)` by default, or `dagger:DIR,…`; for algorithms that perturb.
    pub d0: Option<String>,
    /// The run to train on; for algorithms that do not collect.
    pub data: Option<String>,
    /// `mean` by default, `member` or `random-round`.
    pub deploy: Option<String>,
    /// 1 by default.
    pub seed: Option<i64>,
    /// `all` by default, or `last`; a run may be continued with the other.
    pub keep: Option<String>,
    /// How the oracle trains.
    pub oracle: Option<OracleDraft>,
    /// How policies are evaluated.
    pub evaluation: Option<EvaluationDraft>,
}

/// An oracle as typed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OracleDraft {
    /// `epochs=2000` by default, or `iterations=N`.
    pub budget: Option<String>,
    /// 2.5e-4 by default.
    pub learning_rate: Option<f64>,
    /// 200 by default.
    pub batch: Option<i64>,
    /// `as-given` by default, or `standardised`: shifted and scaled by the statistics of D.
    pub states: Option<String>,
}

/// An evaluation as typed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationDraft {
    /// T; 25 by default.
    pub episodes: Option<i64>,
}

impl Draft {
    /// What a TOML text says.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        parse_toml(text).map_err(SpecError::Toml)
    }

    /// This draft, and where it says nothing, the other one.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let (oracle, evaluation) =
            (self.oracle.unwrap_or_default(), self.evaluation.unwrap_or_default());
        Self {
            task: self.task.or(other.task),
            expert: self.expert.or(other.expert),
            algorithm: self.algorithm.or(other.algorithm),
            class: self.class.or(other.class),
            rounds: self.rounds.or(other.rounds),
            states_per_round: self.states_per_round.or(other.states_per_round),
            sampling: self.sampling.or(other.sampling),
            expert_acts: self.expert_acts.or(other.expert_acts),
            d0: self.d0.or(other.d0),
            data: self.data.or(other.data),
            deploy: self.deploy.or(other.deploy),
            oracle: Some(oracle.or(other.oracle.unwrap_or_default())),
            evaluation: Some(EvaluationDraft {
                episodes: evaluation.episodes.or(other.evaluation.and_then(|e| e.episodes)),
            }),
            seed: self.seed.or(other.seed),
            keep: self.keep.or(other.keep),
        }
    }

    /// The same with paths that hold wherever the run is continued from.
    #[must_use]
    pub fn with_absolute_paths(self) -> Self {
        let absolute = |path: &str| match std::path::absolute(path) {
            Ok(path) if path.exists() => path.display().to_string(),
            _ => path.to_owned(),
        };
        let expert = self.expert.map(|name| match is_expert_name(&name) {
            true => name,
            false => {
                let (file, noise) = noise::split(&name);
                absolute(file) + noise
            }
        });
        let d0 = self.d0.map(|d0| match d0.strip_prefix("dagger:") {
            Some(runs) => {
                let runs: Vec<String> = runs.split(',').map(|run| absolute(run.trim())).collect();
                format!("dagger:{}", runs.join(","))
            }
            None => d0,
        });
        Self { expert, d0, data: self.data.map(|data| absolute(&data)), ..self }
    }

    /// The complete spec, or the first thing that is wrong.
    pub fn check(self) -> Result<RunSpec, SpecError> {
        check_name("task", self.task.as_deref())?;
        let task = parse_task(self.task.as_deref())?;
        let expert = self.expert.clone().unwrap_or_else(|| task.name().into());
        let choices = self.choices(task.defaults(), task.actions())?;
        Ok(RunSpec { task, expert, choices })
    }

    /// Refuses what the algorithm would ignore. It is for runs that begin: those that began before it was refused can be read.
    pub fn refuse_ignored(&self) -> Result<(), SpecError> {
        let algorithm = self.algorithm()?;
        match self.sampling.as_deref() {
            Some(text @ "independent") if algorithm.asks_where_expert_drove() => {
                let why = format!("{algorithm} asks where the expert drove; allowed is stride(N)");
                Err(pointless("sampling", text, why))
            }
            _ => Ok(()),
        }
    }

    /// All that a run does, wherever it takes place: what was left out is filled in with these defaults.
    pub fn choices(self, defaults: &Defaults, actions: SpaceKind) -> Result<Choices, SpecError> {
        let algorithm = self.algorithm()?;
        let class = match &self.class {
            None => Class::Mlp(defaults.realizable.to_vec()),
            Some(text) => Class::parse_for(text, defaults)?,
        };
        let rounds = match self.rounds {
            None => defaults.rounds_for(&class),
            Some(rounds) => count("rounds", rounds, 1..=10_000)?,
        };
        let stride = Sampling::Stride(defaults.stride);
        Ok(Choices {
            rounds,
            states_per_round: self.states_per_round.map_or(Ok(defaults.states_per_round), |k| {
                count("states_per_round", k, 1..=100_000)
            })?,
            sampling: self.sampling.as_deref().map_or(Ok(stride), parse_sampling)?,
            expert_acts: self.checked_expert_acts(&algorithm)?,
            d0: self.cover(&algorithm, defaults)?,
            data: self.stored_data(&algorithm)?,
            oracle: self.checked_oracle(&class, defaults, actions)?,
            deploy: self.deploy.as_deref().map_or(Ok(Deploy::Mean), parse_deploy)?,
            episodes: self
                .evaluation
                .and_then(|evaluation| evaluation.episodes)
                .map_or(Ok(defaults.episodes), |t| count("evaluation.episodes", t, 1..=10_000))?,
            seed: self.seed.map_or(Ok(1), |seed| {
                let allowed = format!("a whole number from 0 to {}", i64::MAX);
                u64::try_from(seed).map_err(|_| SpecError::range("seed", seed, allowed))
            })?,
            keep: self.keep.as_deref().map_or(Ok(Keep::All), parse_keep)?,
            algorithm,
            class,
        })
    }

    fn algorithm(&self) -> Result<AlgorithmName, SpecError> {
        check_name("algorithm", self.algorithm.as_deref())?;
        Ok(self.algorithm.as_deref().unwrap_or(DEFAULT_ALGORITHM).parse()?)
    }

    fn checked_expert_acts(&self, algorithm: &AlgorithmName) -> Result<ExpertActs, SpecError> {
        let text = self.expert_acts.as_deref().unwrap_or("sampled");
        match parse_expert_acts(text)? {
            ExpertActs::Mean if !algorithm.expert_drives() => {
                let why = match algorithm.needs_driver() {
                    true => format!("in {algorithm} the expert acts as it answers"),
                    false => format!("in {algorithm} no expert drives"),
                };
                Err(pointless("expert_acts", text, why))
            }
            // A complete spec always says `sampled`, whoever drives.
            acts => Ok(acts),
        }
    }

    fn cover(
        &self,
        algorithm: &AlgorithmName,
        defaults: &Defaults,
    ) -> Result<Option<CoverSpec>, SpecError> {
        let [low, high] = defaults.cover;
        match &self.d0 {
            None => Ok(algorithm.perturbs().then_some(CoverSpec::Uniform { low, high })),
            Some(text) if algorithm.perturbs() => text.parse().map(Some),
            Some(text) => Err(pointless("d0", text, format!("{algorithm} draws no perturbations"))),
        }
    }

    fn stored_data(
        &self,
        algorithm: &AlgorithmName,
    ) -> Result<Option<std::path::PathBuf>, SpecError> {
        match &self.data {
            Some(run) if algorithm.is_offline() => Ok(Some(run.into())),
            Some(run) => Err(pointless("data", run, format!("{algorithm} collects its own"))),
            None if algorithm.is_offline() => {
                let why = format!(
                    "{algorithm} trains on a stored run, as in `tutelage retrain DIR --algorithm {algorithm}`"
                );
                Err(SpecError::Missing { field: "data", why })
            }
            None => Ok(None),
        }
    }

    fn checked_oracle(
        &self,
        class: &Class,
        defaults: &Defaults,
        actions: SpaceKind,
    ) -> Result<Option<OracleSpec>, SpecError> {
        let draft = self.oracle.clone().unwrap_or_default();
        match (class, actions) {
            (Class::Mlp(_), _) | (Class::Linear, SpaceKind::Discrete) => {
                draft.check(defaults).map(Some)
            }
            (Class::Linear, SpaceKind::Continuous) => match draft.first_field() {
                None => Ok(None),
                Some((field, value)) => {
                    Err(pointless(field, &value, "least squares has nothing to choose".into()))
                }
            },
        }
    }
}

impl OracleDraft {
    fn or(self, other: Self) -> Self {
        Self {
            budget: self.budget.or(other.budget),
            learning_rate: self.learning_rate.or(other.learning_rate),
            batch: self.batch.or(other.batch),
            states: self.states.or(other.states),
        }
    }

    fn check(self, defaults: &Defaults) -> Result<OracleSpec, SpecError> {
        let default = OracleSpec::from(defaults);
        let learning_rate = self.learning_rate.unwrap_or(default.learning_rate);
        if !(learning_rate > 0.0 && learning_rate <= 1.0) {
            let allowed = "a number above 0 and up to 1";
            return Err(SpecError::range("oracle.learning_rate", learning_rate, allowed));
        }
        Ok(OracleSpec {
            budget: self.budget.as_deref().map_or(Ok(default.budget), str::parse)?,
            learning_rate,
            batch: self
                .batch
                .map_or(Ok(default.batch), |n| count("oracle.batch", n, 1..=100_000))?,
            states: self.states.as_deref().map_or(Ok(default.states), parse_states)?,
        })
    }

    fn first_field(&self) -> Option<(&'static str, String)> {
        let budget = self.budget.clone().map(|value| ("oracle.budget", value));
        let rate = self.learning_rate.map(|value| ("oracle.learning_rate", value.to_string()));
        let batch = self.batch.map(|value| ("oracle.batch", value.to_string()));
        let states = self.states.clone().map(|value| ("oracle.states", value));
        budget.or(rate).or(batch).or(states)
    }
}

impl From<&RunSpec> for Draft {
    fn from(spec: &RunSpec) -> Self {
        let number = |value: usize| i64::try_from(value).ok();
        Self {
            task: Some(spec.task.to_string()),
            expert: Some(spec.expert.clone()),
            algorithm: Some(spec.algorithm.spec_text()),
            class: Some(spec.class.to_string()),
            rounds: number(spec.rounds),
            states_per_round: number(spec.states_per_round),
            sampling: Some(sampling_name(spec.sampling)),
            expert_acts: Some(expert_acts_name(spec.expert_acts).into()),
            d0: spec.d0.as_ref().map(ToString::to_string),
            data: spec.data.as_ref().map(|run| run.display().to_string()),
            // Left out where it is the mean, as in all specs from before there was a choice.
            deploy: (spec.deploy != Deploy::Mean).then(|| deploy_name(spec.deploy).into()),
            seed: i64::try_from(spec.seed).ok(),
            keep: Some(keep_name(spec.keep).into()),
            oracle: spec.oracle.map(|oracle| OracleDraft {
                budget: Some(oracle.budget.to_string()),
                learning_rate: Some(oracle.learning_rate),
                batch: number(oracle.batch),
                states: (oracle.states == Standardize::Yes).then(|| "standardised".into()),
            }),
            evaluation: Some(EvaluationDraft { episodes: number(spec.episodes) }),
        }
    }
}

fn parse_task(text: Option<&str>) -> Result<Task, SpecError> {
    let names = Task::names().join(", ");
    let Some(text) = text else {
        let why = format!("one of {names}");
        return Err(SpecError::Missing { field: "task", why });
    };
    text.parse().map_err(|error: UnknownTask| SpecError::Unknown {
        field: "task",
        value: error.name,
        nearest: error.nearest.map(Into::into),
        allowed: names,
    })
}

fn parse_states(text: &str) -> Result<Standardize, SpecError> {
    match text {
        "as-given" => Ok(Standardize::No),
        "standardised" => Ok(Standardize::Yes),
        _ => Err(SpecError::unknown("oracle.states", text, &["as-given", "standardised"])),
    }
}

fn pointless(field: &'static str, value: &str, why: String) -> SpecError {
    SpecError::Pointless { field, value: format!("\"{value}\""), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        RunSpec::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_the_papers() {
        let spec = RunSpec::parse("task = 'hopper'").unwrap();
        assert_eq!((spec.rounds, spec.states_per_round, spec.episodes, spec.seed), (20, 50, 25, 1));
        assert_eq!(spec.sampling, Sampling::Stride(20));
        assert_eq!(spec.oracle, Some(OracleSpec::of(spec.task)));
        assert_eq!(spec.algorithm.to_string(), DEFAULT_ALGORITHM);
        assert_eq!((&spec.d0, &spec.data), (&None, &None));
        let linear = RunSpec::parse("task = 'ant'\nclass = 'linear'").unwrap();
        assert_eq!((linear.rounds, linear.oracle), (40, None));
    }

    #[test]
    fn a_person_gets_the_algorithm_in_which_no_expert_drives() {
        let spec = RunSpec::parse("task = 'drive'\nexpert = 'person'").unwrap();
        assert!(!spec.algorithm.needs_driver());
        let own = RunSpec::parse("task = 'drive'\nexpert = 'person'\nalgorithm = 'bc'").unwrap();
        assert_eq!(own.algorithm.to_string(), "bc", "unless it is asked for");
    }

    #[test]
    fn errors_name_the_field_the_value_and_what_is_allowed() {
        for (text, words) in [
            ("", ["task", "missing", "hopper"]),
            ("task = 'hoper'", ["task", "hoper", "did you mean `hopper`"]),
            ("task = 'ant'\nrounds = 0", ["rounds", "0", "1 to 10000"]),
            ("task = 'ant'\nrounds = -3", ["rounds", "-3", "1 to 10000"]),
            ("task = 'ant'\nstates_per_round = 0", ["states_per_round", "0", "1 to"]),
            ("task = 'ant'\nsampling = 'stride(0)'", ["sampling", "stride(0)", "1 to 1000"]),
            ("task = 'ant'\nexpert_acts = 'men'", ["expert_acts", "men", "did you mean `mean`"]),
            ("task = 'ant'\nevaluation.episodes = 0", ["evaluation.episodes", "0", "1 to"]),
            (
                "task = 'ant'\noracle.learning_rate = -1.0",
                ["oracle.learning_rate", "-1", "above 0"],
            ),
            (
                "task = 'ant'\noracle.learning_rate = nan",
                ["oracle.learning_rate", "NaN", "above 0"],
            ),
            ("task = 'ant'\noracle.batch = 0", ["oracle.batch", "0", "1 to"]),
            ("task = 'ant'\noracle.states = 'raw'", ["oracle.states", "raw", "standardised"]),
            ("task = 'ant'\nseed = -1", ["seed", "-1", "from 0"]),
            ("task = 'ant'\ndeploy = 'men'", ["deploy", "men", "did you mean `mean`"]),
            ("task = 'ant'\nkeep = 'lst'", ["keep", "lst", "did you mean `last`"]),
            ("task = 'ant'\nkeep = 'none'", ["keep", "none", "name. Allowed: all, last"]),
            ("task = 'humanoid'", ["task", "humanoid", "name. Allowed: hopper"]),
            (
                "task = 'ant'\nalgorithm = 'bd-5'\nexpert_acts = 'mean'",
                ["expert_acts", "bd-5", "no expert drives"],
            ),
            (
                "task = 'ant'\nalgorithm = 'bd-5'\nd0 = 'uniform(-2,2)'",
                ["d0", "bd-5", "no perturbations"],
            ),
            ("task = 'ant'\ndata = 'x'", ["data", "\"x\"", "collects its own"]),
            ("task = 'ant'\nalgorithm = 'supervised'", ["data", "missing", "retrain"]),
            (
                "task = 'ant'\nclass = 'linear'\noracle.batch = 9",
                ["oracle.batch", "9", "least squares"],
            ),
            ("task = 'ant'\nround = 9", ["round", "unknown field", "rounds"]),
            ("task = 'ant'\nrounds = 'many'", ["rounds", "many", "i64"]),
            ("task = ", ["task", "line 1", "TOML"]),
        ] {
            let error = error(text);
            for word in words {
                assert!(error.contains(word), "{text:?} should mention {word:?}: {error}");
            }
        }
    }

    #[test]
    fn texts_and_names_longer_than_any_are_refused_before_they_are_looked_at() {
        let names: String = (0..200_000).map(|i| format!("x{i} = 1\n")).collect();
        assert_eq!(error(&names), "2288890 bytes of TOML; allowed are at most 1048576");
        let name = "x".repeat(1 << 19);
        let begins = "\"xxxxxxxxxxxxxxxxxxxx…\", 524288 bytes: allowed is a name of at most 1000";
        for field in ["task", "algorithm", "class", "deploy", "keep", "oracle.states"] {
            let task = if field == "task" { "" } else { "task = 'ant'\n" };
            let error = error(&format!("{task}{field} = '{name}'"));
            assert!(error.starts_with(&format!("{field} = {begins}")), "{}", error.len());
        }
    }

    #[test]
    fn a_worlds_defaults_are_its_own_and_indices_take_every_class() {
        let spec = RunSpec::parse("task = 'cart-pole'\nclass = 'linear'").unwrap();
        assert!(spec.oracle.is_some(), "a linear softmax is trained like a network");
        let pendulum = RunSpec::parse("task = 'pendulum'\nalgorithm = 'mftpl-p(5)'").unwrap();
        let [low, high] = pendulum.task.defaults().cover;
        assert_eq!(pendulum.d0, Some(CoverSpec::Uniform { low, high }));
        assert_eq!(pendulum.rounds, pendulum.task.defaults().rounds[0]);
    }

    #[test]
    fn how_the_expert_acts_matters_where_it_drives() {
        let text = "task = 'ant'\nalgorithm = 'bc'\nexpert_acts = 'mean'";
        assert_eq!(RunSpec::parse(text).unwrap().expert_acts, ExpertActs::Mean);
        let complete = "task = 'ant'\nalgorithm = 'dagger'\nexpert_acts = 'sampled'";
        assert!(RunSpec::parse(complete).is_ok(), "every complete spec says so");
    }

    #[test]
    fn what_would_be_ignored_is_refused_in_runs_that_begin() {
        let draft = |algorithm: &str, sampling: &str| {
            let text = format!("task = 'ant'\nalgorithm = '{algorithm}'\nsampling = '{sampling}'");
            Draft::parse(&text).unwrap()
        };
        let gated = draft("hg-dagger(0.2)", "independent");
        let error = gated.refuse_ignored().unwrap_err().to_string();
        assert_eq!(
            error,
            "sampling = \"independent\": hg-dagger(0.2) asks where the expert drove; allowed is stride(N)"
        );
        assert!(gated.check().is_ok(), "such runs exist");
        assert_eq!(draft("hg-dagger(0.2)", "stride(5)").refuse_ignored(), Ok(()));
        assert_eq!(draft("dagger", "independent").refuse_ignored(), Ok(()));
    }

    #[test]
    fn flags_go_before_files() {
        let flags = Draft::parse("rounds = 3\noracle.batch = 7").unwrap();
        let file = Draft::parse("task = 'ant'\nrounds = 9\noracle.learning_rate = 1e-3\nseed = 4")
            .unwrap();
        let spec = flags.or(file).check().unwrap();
        assert_eq!((spec.rounds, spec.seed), (3, 4));
        let oracle = spec.oracle.unwrap();
        assert_eq!((oracle.batch, oracle.learning_rate), (7, 1e-3));
    }
}
