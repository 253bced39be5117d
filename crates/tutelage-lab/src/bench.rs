//! From a spec to everyone who takes part: environments, expert, oracle, algorithm.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tutelage::{
    Acting, Algorithm, Batch, Cover, CoverError, Dataset, EnvError, LaneError, Lanes, Oracle,
    OracleError, StoredStates, Stream, TrainingSets, UniformBox, bagging, behavior_cloning,
    bootstrap_dagger, dagger, mftpl_p, mp, supervised,
};
use tutelage_envs::{Task, UnknownTask};
use tutelage_experts::{ExpertEnv, FileError, GaussianExpert, Problem};
use tutelage_oracles::LeastSquares;
use tutelage_oracles::mlp::{Budget, MlpOracle, MlpPolicy, MlpSettings, SettingsError};
use tutelage_oracles::net::AdamSettings;

use crate::durable::{Durable, PolicyError};
use crate::spec::{AlgorithmName, BudgetSpec, Class, CoverSpec, OracleSpec, RunSpec, SpecError};
use crate::store::{Given, History, StoreError, read_history, read_spec};

/// How many environments step together at most.
const LANES: usize = 25;

/// Everyone who takes part in a run.
pub struct Bench {
    /// Where the learner acts: the task as the expert sees it.
    pub lanes: Lanes<ExpertEnv>,
    /// Who annotates.
    pub expert: GaussianExpert,
    /// Who trains.
    pub oracle: ClassOracle,
    /// The three choices.
    pub algorithm: Algorithm<f32, f32>,
    /// The stored data that the algorithm builds on.
    pub given: Vec<Given>,
}

/// Why a spec cannot be carried out here.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// There is no such expert, neither as a file nor shipped.
    #[error("expert = \"{name}\": there is no such file, and {0}", name = .0.name)]
    NoExpert(UnknownTask),
    /// There is no such file.
    #[error("expert = \"{name}\": there is no such file")]
    NoFile {
        /// The expert asked for.
        name: String,
    },
    /// An expert's file cannot be read.
    #[error("expert = \"{name}\": {source}")]
    Expert {
        /// The expert asked for.
        name: String,
        /// Why it cannot be had.
        source: Box<FileError>,
    },
    /// A shipped expert does not load.
    #[error("the shipped expert for {task}: {source}")]
    Shipped {
        /// The task.
        task: Task,
        /// Why.
        source: Box<Problem>,
    },
    /// The expert is one for another task.
    #[error("expert = \"{name}\": an expert for {found}, not for {task}")]
    OtherTask {
        /// The expert asked for.
        name: String,
        /// Its task.
        found: Task,
        /// The run's.
        task: Task,
    },
    /// An environment could not be made.
    #[error("cannot make the environments: {0}")]
    Env(#[from] EnvError),
    /// The environments do not fit together.
    #[error(transparent)]
    Lanes(#[from] LaneError),
    /// The oracle cannot be set so.
    #[error("oracle: {0}")]
    Oracle(#[from] SettingsError),
    /// d₀ is no distribution.
    #[error(transparent)]
    Cover(#[from] CoverError),
    /// A stored run could not be read.
    #[error("{field}: {source}")]
    Stored {
        /// Which field names it.
        field: &'static str,
        /// Why.
        source: StoreError,
    },
    /// A stored run is of another task or expert.
    #[error("{field}: {path} is a run of {found}, this one is of {expected}")]
    OtherRun {
        /// Which field names it.
        field: &'static str,
        /// The stored run.
        path: PathBuf,
        /// Its task and expert.
        found: String,
        /// This run's.
        expected: String,
    },
    /// A stored run was annotated by another expert of the same name, or is normalised otherwise.
    #[error("{field}: {path} learned from another expert than \"{name}\" is now")]
    OtherExpert {
        /// Which field names it.
        field: &'static str,
        /// The stored run.
        path: PathBuf,
        /// This run's expert.
        name: String,
    },
    /// A stored run has no annotations.
    #[error("{field}: {path} has no finished round")]
    Unfinished {
        /// Which field names it.
        field: &'static str,
        /// The stored run.
        path: PathBuf,
    },
    /// A stored run's spec makes no sense.
    #[error("{field}: the spec of {path}: {source}")]
    StoredSpec {
        /// Which field names it.
        field: &'static str,
        /// The stored run.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<SpecError>,
    },
}

impl Bench {
    /// Brings everyone together.
    pub fn new(spec: &RunSpec) -> Result<Self, BenchError> {
        let expert = load_expert(&spec.expert, Some(spec.task))?;
        let mut given = fingerprints(&expert).to_vec();
        let algorithm = algorithm(spec, &expert, &mut given)?;
        Ok(Self {
            lanes: lanes(&expert, spec.episodes)?,
            oracle: ClassOracle::new(&spec.class, spec.oracle.unwrap_or_default())?,
            expert,
            algorithm,
            given,
        })
    }
}

/// As many environments as there are episodes, up to a limit, seen as the expert sees them.
pub fn lanes(expert: &GaussianExpert, episodes: usize) -> Result<Lanes<ExpertEnv>, BenchError> {
    let envs: Result<Vec<_>, _> = (0..episodes.clamp(1, LANES)).map(|_| expert.env()).collect();
    Ok(Lanes::new(envs?)?)
}

/// The shipped expert of a task's name, or the expert in a file.
pub fn load_expert(name: &str, task: Option<Task>) -> Result<GaussianExpert, BenchError> {
    let path = Path::new(name);
    let expert = match name.parse::<Task>() {
        Ok(task) => GaussianExpert::shipped(task)
            .map_err(|source| BenchError::Shipped { task, source: Box::new(source) })?,
        Err(unknown) if !path.exists() && path.extension().is_none() => {
            return Err(BenchError::NoExpert(unknown));
        }
        Err(_) if !path.exists() => return Err(BenchError::NoFile { name: name.into() }),
        Err(_) => GaussianExpert::read(path, task, None)
            .map_err(|source| BenchError::Expert { name: name.into(), source: Box::new(source) })?,
    };
    match task {
        Some(task) if task != expert.task() => {
            Err(BenchError::OtherTask { name: name.into(), found: expert.task(), task })
        }
        _ => Ok(expert),
    }
}

/// What tells an expert from another of the same name: its weights and its noise.
pub fn fingerprint(expert: &GaussianExpert) -> Given {
    Given::values("expert", &[expert.policy().params(), expert.policy().log_std()].concat())
}

/// All that a run notes of its expert: also the statistics by which states are normalised.
pub(crate) fn fingerprints(expert: &GaussianExpert) -> [Given; 2] {
    let (mean, var) = (expert.normaliser().mean(), expert.normaliser().var());
    let words = |value: &f64| [value.to_bits() as u32, (value.to_bits() >> 32) as u32];
    let words: Vec<u32> = mean.iter().chain(var).flat_map(words).collect();
    [fingerprint(expert), Given::values("expert: normaliser", &words)]
}

fn algorithm(
    spec: &RunSpec,
    expert: &GaussianExpert,
    given: &mut Vec<Given>,
) -> Result<Algorithm<f32, f32>, BenchError> {
    Ok(match spec.algorithm {
        AlgorithmName::BehaviorCloning => behavior_cloning(spec.expert_acts),
        AlgorithmName::Dagger => dagger(),
        AlgorithmName::BootstrapDagger { members } => bootstrap_dagger(members),
        AlgorithmName::Mp { members, x } => mp(members, x, cover(spec, expert, given)?),
        // Actions are vectors here, and vectors have a mean.
        AlgorithmName::MftplP { members, lambda } => {
            let cover = cover(spec, expert, given)?;
            Algorithm { deploy: Acting::Mean, ..mftpl_p(members, lambda, cover) }
        }
        AlgorithmName::Bagging { members } => bagging(members, stored_data(spec, expert, given)?),
        AlgorithmName::Supervised => supervised(stored_data(spec, expert, given)?),
    })
}

/// d₀.
fn cover(
    spec: &RunSpec,
    expert: &GaussianExpert,
    given: &mut Vec<Given>,
) -> Result<Arc<dyn Cover<f32>>, BenchError> {
    match spec.d0.clone().unwrap_or_default() {
        CoverSpec::Uniform { low, high } => Ok(Arc::new(UniformBox::new(low, high)?)),
        CoverSpec::Runs(runs) => {
            let mut states: Option<Batch<f32>> = None;
            for path in &runs {
                let data = annotations("d0", path, spec, expert)?;
                match &mut states {
                    None => states = Some(data.states),
                    Some(states) => states.extend(&data.states),
                }
            }
            let states = states.ok_or(CoverError::Empty)?;
            given.push(Given::of("d0", &states));
            Ok(Arc::new(StoredStates::new(states)?))
        }
    }
}

/// The annotations of the run that an offline algorithm trains on.
fn stored_data(
    spec: &RunSpec,
    expert: &GaussianExpert,
    given: &mut Vec<Given>,
) -> Result<Arc<Dataset<f32, f32>>, BenchError> {
    let path = spec.data.as_deref().unwrap_or(Path::new(""));
    let data = annotations("data", path, spec, expert)?;
    given.push(Given::of("data: states", &data.states));
    given.push(Given::of("data: actions", &data.actions));
    Ok(Arc::new(data))
}

/// All annotated rounds of a stored run that saw the same states: the same task, normalised by the same expert.
fn annotations(
    field: &'static str,
    path: &Path,
    spec: &RunSpec,
    expert: &GaussianExpert,
) -> Result<Dataset<f32, f32>, BenchError> {
    let stored = |source| BenchError::Stored { field, source };
    let text = read_spec(path).map_err(stored)?;
    let theirs = RunSpec::parse(&text).map_err(|source| BenchError::StoredSpec {
        field,
        path: path.into(),
        source: Box::new(source),
    })?;
    let history: History<f32, f32> = read_history(path).map_err(stored)?;
    let noted =
        fingerprints(expert).map(|given| history.noted(&given.name).map(|old| *old == given));
    // A run that noted nothing of its expert goes by the name.
    let same_name = noted[0].is_some() || theirs.expert == spec.expert;
    if theirs.task != spec.task || !same_name {
        let describe = |spec: &RunSpec| format!("{} with expert \"{}\"", spec.task, spec.expert);
        let (found, expected) = (describe(&theirs), describe(spec));
        return Err(BenchError::OtherRun { field, path: path.into(), found, expected });
    }
    if noted.contains(&Some(false)) {
        let name = spec.expert.clone();
        return Err(BenchError::OtherExpert { field, path: path.into(), name });
    }
    let data = history.data(usize::MAX).filter(|data| !data.is_empty());
    data.ok_or_else(|| BenchError::Unfinished { field, path: path.into() })
}

/// The oracle of a policy class; all of them make networks, an affine map being one without hidden layers.
#[derive(Clone, Debug)]
pub enum ClassOracle {
    /// Tanh networks by Adam.
    Mlp(MlpOracle),
    /// Affine maps by least squares.
    Linear(LeastSquares),
}

impl ClassOracle {
    /// The oracle that trains this class by this rule.
    pub fn new(class: &Class, rule: OracleSpec) -> Result<Self, SettingsError> {
        let Class::Mlp(hidden) = class else { return Ok(Self::Linear(LeastSquares::default())) };
        let budget = match rule.budget {
            BudgetSpec::Epochs(count) => Budget::Epochs(count),
            BudgetSpec::Iterations(count) => Budget::Iterations(count),
        };
        let adam = AdamSettings { learning_rate: rule.learning_rate, ..AdamSettings::default() };
        let settings = MlpSettings { budget, batch: rule.batch, adam, ..MlpSettings::new(hidden) };
        Ok(Self::Mlp(MlpOracle::new(settings)?))
    }
}

impl Oracle for ClassOracle {
    type State = f32;
    type Action = f32;
    type Policy = MlpPolicy;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, f32>,
        stream: &Stream,
    ) -> Result<MlpPolicy, OracleError> {
        match self {
            Self::Mlp(oracle) => oracle.fit(sets, stream),
            Self::Linear(oracle) => oracle.fit(sets, stream),
        }
    }
}

impl Durable for MlpPolicy {
    fn to_bytes(&self) -> Result<Vec<u8>, PolicyError> {
        Ok(self.to_safetensors()?)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, PolicyError> {
        Ok(Self::from_safetensors(bytes)?)
    }
}
