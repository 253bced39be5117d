//! The parts of a run, built from its spec.

use std::path::{Path, PathBuf};

use tutelage::cover::{Cover, CoverError, StoredStates, UniformBox};
use tutelage::env::LaneError;
use tutelage::oracle::DurableOracle;
use tutelage::suggest::did_you_mean;
use tutelage::{Batch, Dataset, EnvError};
use tutelage_oracles::mlp::{Ensemble, MlpSettingsError, OutputHead};
use tutelage_runs::store::{Fingerprint, History, RunDir, StoreError, read_history, read_spec};
use tutelage_tasks::experts::{ContentError, FileError, GaussianExpert};

use crate::expert::located;
use crate::kind::{oracle, teachers};
use crate::registry::{BoxEnvs, BoxExpert, Task, UnknownTask};
use crate::spec::{CoverSpec, RunSpec, SpecError};

/// The maximum number of environments that are stepped together.
const LANES: usize = 25;

/// An oracle that trains networks.
pub type BoxOracle<A> =
    Box<dyn DurableOracle<State = f32, Action = A, Policy = Ensemble<A>> + Send>;

/// The parts of a run.
pub struct RunParts<A: OutputHead> {
    /// The environments.
    pub envs: BoxEnvs<A>,
    /// The expert.
    pub expert: BoxExpert<A>,
    /// The oracle.
    pub oracle: BoxOracle<A>,
    /// The distribution of perturbation states d₀, if the algorithm uses perturbations.
    pub cover: Option<Box<dyn Cover<f32>>>,
    /// The rounds of a stored run, if the algorithm trains on one.
    pub stored: Option<Vec<Dataset<f32, A>>>,
    /// The fingerprints of the expert and of the least-squares solver.
    pub fingerprints: Vec<Fingerprint>,
}

/// Why the parts of a run cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// There is neither a shipped expert nor a file of this name.
    #[error(
        "unknown expert \"{name}\"{} Expected a file or one of {}",
        did_you_mean(.0.nearest), Task::names().join(", "), name = .0.name
    )]
    UnknownExpert(UnknownTask),
    /// The expert's file does not exist.
    #[error("expert \"{0}\": no such file")]
    NoFile(String),
    /// The noise of an expert is invalid.
    #[error("noise={0}: expected a number of at least 0, such as hopper:noise=0.3")]
    Noise(String),
    /// A small world has only one expert.
    #[error("expert \"{name}\": the expert of {task} is its own rule, \"{task}\"")]
    Rule {
        /// The expert.
        name: String,
        /// The task.
        task: Task,
    },
    /// The task's expert is a rule, not a network.
    #[error("the expert of {0} is a rule, not a network")]
    NoRobot(Task),
    /// The expert's file cannot be read.
    #[error("cannot read expert \"{name}\"")]
    Expert {
        /// The expert.
        name: String,
        /// The reason.
        source: Box<FileError>,
    },
    /// A shipped expert cannot be loaded.
    #[error("cannot load the shipped expert of {task}")]
    Shipped {
        /// The task.
        task: Task,
        /// The reason.
        source: Box<ContentError>,
    },
    /// The expert belongs to another task.
    #[error("expert \"{name}\" is an expert for {found}, not for {task}")]
    OtherTask {
        /// The expert.
        name: String,
        /// The expert's task.
        found: Task,
        /// The run's task.
        task: Task,
    },
    /// The environments cannot be created.
    #[error("cannot create the environments")]
    Env(#[from] EnvError),
    /// The environments do not fit together.
    #[error(transparent)]
    Lanes(#[from] LaneError),
    /// The training settings are invalid.
    #[error("invalid training settings")]
    Oracle(#[from] MlpSettingsError),
    /// d₀ is not a distribution.
    #[error(transparent)]
    Cover(#[from] CoverError),
    /// A stored run cannot be read.
    #[error("{field}: cannot read the stored run")]
    Stored {
        /// The field that names the run.
        field: &'static str,
        /// The reason.
        source: StoreError,
    },
    /// A stored run has another task or expert.
    #[error("{field}: {path} is a run of {found}, expected {expected}")]
    OtherRun {
        /// The field that names the run.
        field: &'static str,
        /// The stored run.
        path: PathBuf,
        /// Its task and expert.
        found: String,
        /// The task and expert of this run.
        expected: String,
    },
    /// The expert of a stored run has the same name, but other weights or another normalizer.
    #[error("{field}: {path} was labeled by a different version of expert \"{name}\"")]
    OtherExpert {
        /// The field that names the run.
        field: &'static str,
        /// The stored run.
        path: PathBuf,
        /// The expert of this run.
        name: String,
    },
    /// A stored run has no annotations.
    #[error("{field}: {path} has no finished round")]
    Unfinished {
        /// The field that names the run.
        field: &'static str,
        /// The stored run.
        path: PathBuf,
    },
    /// The spec of a stored run is invalid.
    #[error("{field}: the spec of {path} is invalid")]
    StoredSpec {
        /// The field that names the run.
        field: &'static str,
        /// The stored run.
        path: PathBuf,
        /// The reason.
        source: Box<SpecError>,
    },
}

impl<A: OutputHead> RunParts<A> {
    /// Builds the parts of a run.
    ///
    /// Relative paths of the spec are searched in the current directory, in the run directory `run` and in the directories
    /// above it.
    pub fn new(spec: &RunSpec, run: &Path) -> Result<Self, PartsError> {
        let (envs, expert, mut fingerprints) = teachers::<A>(spec, run)?;
        fingerprints.extend(spec.solver().map(solver_fingerprint));
        let cover = cover::<A>(spec, run, &fingerprints)?;
        let stored = stored_data(spec, run, &fingerprints)?;
        Ok(Self {
            envs,
            expert,
            oracle: oracle::<A>(&spec.class, spec.oracle)?,
            cover,
            stored,
            fingerprints,
        })
    }

    /// Records the inputs of a run in its directory, or checks that they have not changed.
    pub(crate) fn record_in(&self, dir: &mut RunDir<f32, A>) -> Result<(), StoreError> {
        self.fingerprints
            .iter()
            .try_for_each(|fingerprint| dir.record_input(fingerprint.clone()))?;
        if let Some(states) = self.cover.as_ref().and_then(|cover| cover.states()) {
            dir.record_rows("d0", states)?;
        }
        if let Some(Dataset { states, actions }) = self.stored.as_deref().and_then(joined) {
            dir.record_rows("data: states", &states)?;
            dir.record_rows("data: actions", &actions)?;
        }
        Ok(())
    }
}

/// Returns the number of environments that are stepped together for this number of episodes.
pub(crate) fn lanes_for(episodes: usize) -> usize {
    episodes.clamp(1, LANES)
}

/// Creates environments with the observations of a robot's expert: one per episode, up to a limit.
pub fn robot_envs(expert: &GaussianExpert, episodes: usize) -> Result<BoxEnvs<f32>, PartsError> {
    Ok(expert.robot().envs(expert.observation(), lanes_for(episodes))?)
}

/// Returns the fingerprint of a least-squares solver.
pub(crate) fn solver_fingerprint(solver: &str) -> Fingerprint {
    let letters: Vec<u32> = solver.chars().map(u32::from).collect();
    Fingerprint::values("least squares", &letters)
}

/// Returns d₀.
fn cover<A: OutputHead>(
    spec: &RunSpec,
    run: &Path,
    experts: &[Fingerprint],
) -> Result<Option<Box<dyn Cover<f32>>>, PartsError> {
    match &spec.d0 {
        None => Ok(None),
        Some(CoverSpec::Uniform { low, high }) => Ok(Some(Box::new(UniformBox::new(*low, *high)?))),
        Some(CoverSpec::Runs(runs)) => {
            let mut all = vec![];
            for path in runs {
                all.extend(annotations::<A>("d0", &located(path, run), spec, experts)?.0);
            }
            let states: Batch<f32> = joined(&all).ok_or(CoverError::Empty)?.states;
            Ok(Some(Box::new(StoredStates::new(states)?)))
        }
    }
}

/// Returns the rounds of the stored run that an offline algorithm trains on.
///
/// If the stored run has another number of states per round, its annotations are split into rounds of this run's number.
fn stored_data<A: OutputHead>(
    spec: &RunSpec,
    run: &Path,
    experts: &[Fingerprint],
) -> Result<Option<Vec<Dataset<f32, A>>>, PartsError> {
    let Some(path) = &spec.data else { return Ok(None) };
    let (rounds, theirs) = annotations::<A>("data", &located(path, run), spec, experts)?;
    if theirs.states_per_round == spec.states_per_round {
        return Ok(Some(rounds));
    }
    Ok(joined(&rounds).map(|data| data.rounds(spec.states_per_round)))
}

/// Returns D = D₁ ∪ D₂ ∪ …
fn joined<A: OutputHead>(rounds: &[Dataset<f32, A>]) -> Option<Dataset<f32, A>> {
    let (first, others) = rounds.split_first()?;
    let mut data = first.clone();
    others.iter().for_each(|round| data.append(round));
    Some(data)
}

/// Returns the annotated rounds and the spec of a stored run.
///
/// Its states must be comparable: of the same task and normalized by the same expert.
fn annotations<A: OutputHead>(
    field: &'static str,
    path: &Path,
    spec: &RunSpec,
    experts: &[Fingerprint],
) -> Result<(Vec<Dataset<f32, A>>, RunSpec), PartsError> {
    let stored = |source| PartsError::Stored { field, source };
    let text = read_spec(path).map_err(stored)?;
    let theirs = RunSpec::parse(&text).map_err(|source| PartsError::StoredSpec {
        field,
        path: path.into(),
        source: Box::new(source),
    })?;
    let describe = |spec: &RunSpec| format!("{} with expert \"{}\"", spec.task, spec.expert);
    let other = |theirs: &RunSpec| {
        let (found, expected) = (describe(theirs), describe(spec));
        PartsError::OtherRun { field, path: path.into(), found, expected }
    };
    if theirs.task != spec.task {
        return Err(other(&theirs));
    }
    let history: History<f32, A> = read_history(path).map_err(stored)?;
    let experts = experts.iter().filter(|fingerprint| fingerprint.name.starts_with("expert"));
    let noted: Vec<Option<bool>> = experts
        .map(|fingerprint| history.fingerprint(&fingerprint.name).map(|old| old == fingerprint))
        .collect();
    // Runs without a recorded expert are compared by its name.
    let is_noted = noted.first().is_some_and(Option::is_some);
    if !is_noted && theirs.expert != spec.expert {
        return Err(other(&theirs));
    }
    if noted.contains(&Some(false)) {
        let name = spec.expert.clone();
        return Err(PartsError::OtherExpert { field, path: path.into(), name });
    }
    let rounds = history.annotated_rounds();
    if rounds.iter().all(Dataset::is_empty) {
        return Err(PartsError::Unfinished { field, path: path.into() });
    }
    Ok((rounds, theirs))
}
