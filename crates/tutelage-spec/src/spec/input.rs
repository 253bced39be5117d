//! From the fields that were given to a complete run.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::iter::once;
use std::path::PathBuf;

use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, IntoDeserializer};
use tutelage::algorithm::DEFAULT_ALGORITHM;
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::{AlgorithmName, Sampling, SpaceKind};
use tutelage_oracles::Standardize;
use tutelage_runs::Keep;

use super::error::parse_toml;
use super::{
    Class, ClassInput, CoverSpec, EvaluationInput, EvaluationSpec, OracleInput, OracleSpec,
    RunSpec, SpecError, SpecInput, TextValue, parse_value,
};
use crate::registry::{Defaults, Task};

impl SpecInput {
    /// Parses a TOML text.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let fields: BTreeMap<String, toml::Value> = parse_toml(text).map_err(SpecError::Toml)?;
        Self::read(fields)
    }

    /// Reads fields from the values of a data format such as TOML or JSON.
    pub fn read<'de, V, E>(fields: BTreeMap<String, V>) -> Result<Self, SpecError>
    where
        V: Clone + Display + Deserialize<'de> + IntoDeserializer<'de, E>,
        E: serde::de::Error,
    {
        let mut input = Self::default();
        for (name, value) in fields {
            match name.as_str() {
                "oracle" => {
                    for (field, value) in group(&name, value)? {
                        input.oracle =
                            input.oracle.or(one::<OracleInput, _, _>(&name, field, value)?);
                    }
                }
                "evaluation" => {
                    for (field, value) in group(&name, value)? {
                        let read = one::<EvaluationInput, _, _>(&name, field, value)?;
                        input.evaluation = input.evaluation.or(read);
                    }
                }
                _ => input = input.or(one(NO_GROUP, name, value)?),
            }
        }
        Ok(input)
    }

    /// Returns the complete spec. Unset fields get the task's defaults, which for the robots are the paper's settings.
    pub fn complete(self) -> Result<RunSpec, SpecError> {
        let task = self.task.ok_or_else(|| {
            let expected = format!("expected one of {}", Task::names().join(", "));
            SpecError::Missing { field: "task", expected }
        })?;
        self.complete_in(task, task.name(), task.defaults(), task.actions())
    }

    /// Returns the complete spec of a run in the caller's own environment.
    ///
    /// ```
    /// use tutelage_spec::spec::SpecInput;
    /// use tutelage::SpaceKind;
    /// use tutelage_spec::Defaults;
    ///
    /// let input = SpecInput::parse("algorithm = 'dagger'\nseed = 3")?;
    /// let spec = input.complete_in("cart", "brakes", &Defaults::CUSTOM, SpaceKind::Continuous)?;
    /// assert_eq!((spec.task, spec.rounds, spec.seed), ("cart", 20, 3));
    /// # Ok::<(), tutelage_spec::spec::SpecError>(())
    /// ```
    pub fn complete_in<T>(
        self,
        task: T,
        expert: &str,
        defaults: &Defaults,
        actions: SpaceKind,
    ) -> Result<RunSpec<T>, SpecError> {
        let algorithm = self.algorithm()?;
        let class = self.class.clone().unwrap_or(ClassInput::Realizable).of(defaults);
        Ok(RunSpec {
            rounds: self.rounds.unwrap_or_else(|| defaults.rounds_for(&class)),
            states_per_round: self.states_per_round.unwrap_or(defaults.states_per_round),
            sampling: self.sampling.unwrap_or(Sampling::Stride(defaults.stride)),
            expert_acts: self.expert_acts(&algorithm)?,
            d0: self.cover(&algorithm, defaults)?,
            data: self.stored_run(&algorithm)?,
            deploy: self.deploy.unwrap_or(Deploy::Mean),
            seed: self.seed(1)?,
            keep: self.keep.unwrap_or(Keep::All),
            oracle: self.oracle(&class, defaults, actions)?,
            evaluation: EvaluationSpec {
                episodes: self.evaluation.episodes.unwrap_or(defaults.episodes),
            },
            expert: self.expert.unwrap_or_else(|| expert.into()),
            task,
            algorithm,
            class,
        })
    }

    /// Rejects fields that the algorithm would ignore.
    ///
    /// This check is for new runs. Runs that were started before a version rejected such a field remain valid.
    pub fn check_new(&self) -> Result<(), SpecError> {
        let algorithm = self.algorithm()?;
        match self.sampling {
            Some(Sampling::Independent) if algorithm.asks_where_expert_drove() => {
                let reason =
                    format!("{algorithm} queries states in which the expert drove; use stride(N)");
                Err(SpecError::conflict("sampling", "independent", reason))
            }
            _ => Ok(()),
        }
    }

    fn algorithm(&self) -> Result<AlgorithmName, SpecError> {
        self.algorithm.map_or_else(|| parse_value("algorithm", DEFAULT_ALGORITHM), Ok)
    }

    fn expert_acts(&self, algorithm: &AlgorithmName) -> Result<ExpertActs, SpecError> {
        // Every complete spec says `sampled`, even if the expert never drives.
        let acts = self.expert_acts.unwrap_or(ExpertActs::Sampled);
        if acts == ExpertActs::Sampled || algorithm.expert_drives() {
            return Ok(acts);
        }
        let reason = match algorithm.needs_driver() {
            true => format!("in {algorithm} the expert takes the actions that it labels"),
            false => format!("in {algorithm} the expert does not drive"),
        };
        Err(SpecError::conflict("expert_acts", acts.text(), reason))
    }

    fn cover(
        &self,
        algorithm: &AlgorithmName,
        defaults: &Defaults,
    ) -> Result<Option<CoverSpec>, SpecError> {
        let [low, high] = defaults.cover;
        match &self.d0 {
            _ if algorithm.perturbs() => {
                Ok(Some(self.d0.clone().unwrap_or(CoverSpec::Uniform { low, high })))
            }
            Some(d0) => {
                let reason = format!("{algorithm} uses no perturbations");
                Err(SpecError::conflict("d0", d0.text(), reason))
            }
            None => Ok(None),
        }
    }

    fn stored_run(&self, algorithm: &AlgorithmName) -> Result<Option<PathBuf>, SpecError> {
        match &self.data {
            Some(run) if !algorithm.is_offline() => {
                let reason = format!("{algorithm} collects its own data");
                Err(SpecError::conflict("data", run.text(), reason))
            }
            None if algorithm.is_offline() => {
                let expected = format!("{algorithm} trains on a stored run");
                Err(SpecError::Missing { field: "data", expected })
            }
            data => Ok(data.clone()),
        }
    }

    fn seed(&self, default: u64) -> Result<u64, SpecError> {
        let seed = self.seed.unwrap_or(default);
        // TOML has no larger integers.
        i64::try_from(seed).map(|_| seed).map_err(|_| SpecError::Value {
            field: "seed".into(),
            value: seed.to_string(),
            problem: format!("expected at most {}", i64::MAX),
        })
    }

    fn oracle(
        &self,
        class: &Class,
        defaults: &Defaults,
        actions: SpaceKind,
    ) -> Result<Option<OracleSpec>, SpecError> {
        let OracleInput { budget, learning_rate, batch, states } = &self.oracle;
        if *class != Class::Linear || actions != SpaceKind::Continuous {
            return Ok(Some(OracleSpec {
                budget: budget.unwrap_or(defaults.budget),
                learning_rate: learning_rate.unwrap_or(defaults.learning_rate),
                batch: batch.unwrap_or(defaults.batch),
                states: states.unwrap_or(Standardize::No),
            }));
        }
        let set = [
            ("oracle.budget", budget.map(|budget| budget.text())),
            ("oracle.learning_rate", learning_rate.map(|rate| rate.to_string())),
            ("oracle.batch", batch.map(|batch| batch.to_string())),
            ("oracle.states", states.map(|states| states.text())),
        ];
        match set.into_iter().find_map(|(field, value)| Some((field, value?))) {
            None => Ok(None),
            Some((field, value)) => {
                Err(SpecError::conflict(field, value, "least squares has no settings"))
            }
        }
    }
}

const NO_GROUP: &str = "";

/// Reads a table of fields.
fn group<'de, V, E>(name: &str, value: V) -> Result<BTreeMap<String, V>, SpecError>
where
    V: Display + Deserialize<'de> + IntoDeserializer<'de, E>,
    E: serde::de::Error,
{
    let text = value.to_string();
    BTreeMap::deserialize(value.into_deserializer())
        .map_err(|error: E| SpecError::value(name, &text, error.to_string()))
}

/// Reads a single field.
fn one<'de, T, V, E>(group: &str, name: String, value: V) -> Result<T, SpecError>
where
    T: Deserialize<'de>,
    V: Display + IntoDeserializer<'de, E>,
    E: serde::de::Error,
{
    let text = value.to_string();
    let field = if group == NO_GROUP { name.clone() } else { format!("{group}.{name}") };
    let fields: MapDeserializer<'_, _, E> = MapDeserializer::new(once((name, value)));
    T::deserialize(fields).map_err(|error| SpecError::value(&field, &text, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::TrainingBudget;

    fn error(text: &str) -> SpecError {
        RunSpec::parse(text).unwrap_err()
    }

    #[test]
    fn defaults_are_the_papers() {
        let spec = RunSpec::parse("task = 'hopper'").unwrap();
        assert_eq!((spec.rounds, spec.states_per_round), (20, 50));
        assert_eq!((spec.evaluation.episodes, spec.seed), (25, 1));
        assert_eq!(spec.sampling, Sampling::Stride(20));
        let oracle = spec.oracle.unwrap();
        assert_eq!((oracle.budget, oracle.batch), (TrainingBudget::Epochs(2000), 200));
        assert_eq!(spec.algorithm.to_string(), DEFAULT_ALGORITHM);
        assert_eq!((&spec.d0, &spec.data), (&None, &None));
        let linear = RunSpec::parse("task = 'ant'\nclass = 'linear'").unwrap();
        assert_eq!((linear.rounds, linear.oracle), (40, None));
    }

    #[test]
    fn default_algorithm_for_a_person_needs_no_driver() {
        let spec = RunSpec::parse("task = 'drive'\nexpert = 'person'").unwrap();
        assert!(!spec.algorithm.needs_driver());
        let own = RunSpec::parse("task = 'drive'\nexpert = 'person'\nalgorithm = 'bc'").unwrap();
        assert_eq!(own.algorithm.to_string(), "bc");
    }

    #[test]
    fn invalid_values_name_field_and_value() {
        for (text, (field, value), word) in [
            ("task = 'hoper'", ("task", "\"hoper\""), "did you mean `hopper`"),
            ("task = 'humanoid'", ("task", "\"humanoid\""), "Expected hopper"),
            ("rounds = 0", ("rounds", "0"), "1 to 10000"),
            ("rounds = -3", ("rounds", "-3"), "1 to 10000"),
            ("rounds = 'many'", ("rounds", "\"many\""), "i64"),
            ("round = 9", ("round", "9"), "unknown field"),
            ("states_per_round = 0", ("states_per_round", "0"), "1 to"),
            ("sampling = 'stride(0)'", ("sampling", "\"stride(0)\""), "1 to 1000"),
            ("expert_acts = 'men'", ("expert_acts", "\"men\""), "did you mean `mean`"),
            ("evaluation.episodes = 0", ("evaluation.episodes", "0"), "1 to"),
            ("evaluation = 0", ("evaluation", "0"), "map"),
            ("oracle.learning_rate = -1.0", ("oracle.learning_rate", "-1.0"), "above 0"),
            ("oracle.learning_rate = nan", ("oracle.learning_rate", "nan"), "above 0"),
            ("oracle.batch = 0", ("oracle.batch", "0"), "1 to"),
            ("oracle.states = 'raw'", ("oracle.states", "\"raw\""), "standardised"),
            ("seed = -1", ("seed", "-1"), "from 0"),
            ("deploy = 'men'", ("deploy", "\"men\""), "did you mean `mean`"),
            ("keep = 'none'", ("keep", "\"none\""), "Expected all, last"),
            ("algorithm = 'dager'", ("algorithm", "\"dager\""), "did you mean `dagger`"),
        ] {
            let SpecError::Value { field: found, value: shown, problem } = error(text) else {
                panic!("{text}");
            };
            assert_eq!((found.as_str(), shown.as_str()), (field, value), "{text}");
            assert!(problem.contains(word), "{text}: {problem}");
        }
        assert!(matches!(error("task = "), SpecError::Toml(_)));
    }

    #[test]
    fn contradictions_name_the_field() {
        for (text, field) in [
            ("task = 'ant'\nalgorithm = 'bd-5'\nexpert_acts = 'mean'", "expert_acts"),
            ("task = 'ant'\nalgorithm = 'bd-5'\nd0 = 'uniform(-2,2)'", "d0"),
            ("task = 'ant'\ndata = 'x'", "data"),
            ("task = 'ant'\nclass = 'linear'\noracle.batch = 9", "oracle.batch"),
        ] {
            assert!(matches!(error(text), SpecError::Conflict { field: f, .. } if f == field));
        }
        for (text, field) in [("", "task"), ("task = 'ant'\nalgorithm = 'supervised'", "data")] {
            assert!(matches!(error(text), SpecError::Missing { field: f, .. } if f == field));
        }
    }

    #[test]
    fn excessive_texts_are_rejected() {
        let names: String = (0..200_000).map(|i| format!("x{i} = 1\n")).collect();
        let expected = "2288890 bytes of TOML; expected at most 1048576";
        assert_eq!(error(&names), SpecError::Toml(expected.into()));
        let name = "x".repeat(1 << 19);
        for field in ["task", "algorithm", "class", "deploy", "keep", "oracle.states"] {
            assert!(error(&format!("{field} = '{name}'")).to_string().len() < 2000, "{field}");
        }
    }

    #[test]
    fn small_worlds_have_their_own_defaults() {
        let spec = RunSpec::parse("task = 'cart-pole'\nclass = 'linear'").unwrap();
        assert!(spec.oracle.is_some(), "a linear softmax is trained like a network");
        let pendulum = RunSpec::parse("task = 'pendulum'\nalgorithm = 'mftpl-p(5)'").unwrap();
        let [low, high] = pendulum.task.defaults().cover;
        assert_eq!(pendulum.d0, Some(CoverSpec::Uniform { low, high }));
        assert_eq!(pendulum.rounds, pendulum.task.defaults().rounds);
    }

    #[test]
    fn complete_specs_always_say_how_the_expert_acts() {
        let text = "task = 'ant'\nalgorithm = 'bc'\nexpert_acts = 'mean'";
        assert_eq!(RunSpec::parse(text).unwrap().expert_acts, ExpertActs::Mean);
        let complete = "task = 'ant'\nalgorithm = 'dagger'\nexpert_acts = 'sampled'";
        assert!(RunSpec::parse(complete).is_ok());
    }

    #[test]
    fn new_runs_reject_fields_that_would_be_ignored() {
        let input = |algorithm: &str, sampling: &str| {
            let text = format!("task = 'ant'\nalgorithm = '{algorithm}'\nsampling = '{sampling}'");
            SpecInput::parse(&text).unwrap()
        };
        let gated = input("hg-dagger(0.2)", "independent");
        let error = gated.check_new().unwrap_err();
        assert!(matches!(error, SpecError::Conflict { field: "sampling", .. }));
        assert!(gated.complete().is_ok(), "such runs exist");
        assert_eq!(input("hg-dagger(0.2)", "stride(5)").check_new(), Ok(()));
        assert_eq!(input("dagger", "independent").check_new(), Ok(()));
    }

    #[test]
    fn set_fields_take_precedence() {
        let flags = SpecInput::parse("rounds = 3\noracle.batch = 7").unwrap();
        let file = "task = 'ant'\nrounds = 9\noracle.learning_rate = 1e-3\nseed = 4";
        assert!(flags.is_set("rounds") && flags.is_set("oracle.batch") && !flags.is_set("seed"));
        let spec = flags.or(SpecInput::parse(file).unwrap()).complete().unwrap();
        assert_eq!((spec.rounds, spec.seed), (3, 4));
        let oracle = spec.oracle.unwrap();
        assert_eq!((oracle.batch, oracle.learning_rate), (7, 1e-3));
    }

    #[test]
    fn complete_specs_can_be_inputs_again() {
        let text = "task = 'ant'\nalgorithm = 'mp-25(15)'\nclass = 'mlp:8'\noracle.states = 'yes'";
        let spec = RunSpec::parse(text).unwrap();
        assert_eq!(SpecInput::from(spec.clone()).complete(), Ok(spec));
    }
}
