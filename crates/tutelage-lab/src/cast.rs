//! From a spec to everyone who takes part: environments, expert, oracle, and what the algorithm needs.

use std::path::{Path, PathBuf};

use tutelage::cover::{Cover, CoverError, StoredStates, UniformBox};
use tutelage::env::LaneError;
use tutelage::oracle::DurableOracle;
use tutelage::suggest::did_you_mean;
use tutelage::{Batch, Dataset, EnvError, Inputs};
use tutelage_experts::{ContentError, FileError, GaussianExpert, Shipped};
use tutelage_oracles::mlp::{Ensemble, MlpSettingsError, OutputHead};
use tutelage_runs::store::{Fingerprint, History, RunDir, StoreError, read_history, read_spec};

use crate::kind::{oracle, teachers};
use crate::noise;
use crate::registry::{BoxEnvs, BoxExpert, Task, UnknownTask};
use crate::spec::{CoverSpec, RunSpec, SpecError};

/// How many environments step together at most.
const LANES: usize = 25;

/// An oracle of any class whose policies are networks.
pub type BoxOracle<A> =
    Box<dyn DurableOracle<State = f32, Action = A, Policy = Ensemble<A>> + Send>;

/// Everyone who takes part in a run, and what the algorithm needs.
pub struct Cast<A: OutputHead> {
    /// Where the learner acts.
    pub envs: BoxEnvs<A>,
    /// Who annotates.
    pub expert: BoxExpert<A>,
    /// Who trains.
    pub oracle: BoxOracle<A>,
    /// d₀, where the algorithm perturbs.
    pub cover: Option<Box<dyn Cover<f32>>>,
    /// The rounds of an earlier run, where nobody drives.
    pub stored: Option<Vec<Dataset<f32, A>>>,
    /// What tells the expert, and the solver of least squares, from others.
    pub fingerprints: Vec<Fingerprint>,
}

/// Why a spec cannot be carried out here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CastError {
    /// There is no such expert, neither as a file nor shipped.
    #[error(
        "expert = \"{name}\": there is no such file, and no expert of this name{} `tutelage expert list` shows those that ship",
        did_you_mean(.0.nearest), name = .0.name
    )]
    NoExpert(UnknownTask),
    /// There is no such file.
    #[error("expert = \"{name}\": there is no such file")]
    NoFile {
        /// The expert asked for.
        name: String,
    },
    /// An invalid noise level.
    #[error("noise={text}: allowed is a number from 0 on, as in hopper:noise=0.3")]
    Noise {
        /// What was given.
        text: String,
    },
    /// A world's expert is a rule; there is only one.
    #[error("expert = \"{name}\": {task} is taught by its own rule, \"{task}\"")]
    Rule {
        /// The expert asked for.
        name: String,
        /// The task.
        task: Task,
    },
    /// A task that has no expert of this kind.
    #[error("{task} is no robot: its expert is a rule, not a network")]
    NoRobot {
        /// The task.
        task: Task,
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
        source: Box<ContentError>,
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
    SyncVectorEnv(#[from] LaneError),
    /// The oracle cannot be set so.
    #[error("oracle: {0}")]
    Oracle(#[from] MlpSettingsError),
    /// d₀ is not a distribution.
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
    /// A stored run's spec is invalid.
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

impl<A: OutputHead> Cast<A> {
    /// Brings everyone together. Paths in the spec that lead nowhere from here are looked for from the run's folder up.
    pub fn new(spec: &RunSpec, run: &Path) -> Result<Self, CastError> {
        let (envs, expert, mut fingerprints) = teachers::<A>(spec, run)?;
        fingerprints.extend(spec.solver().map(solver_note));
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

    /// Notes in a run's folder what it builds on, or checks that it is still the same.
    pub(crate) fn note_in(&self, dir: &mut RunDir<f32, A>) -> Result<(), StoreError> {
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

    /// What the algorithm needs.
    pub fn material(&self) -> Inputs<'_, f32, A> {
        Inputs { cover: self.cover.as_deref(), separator: None, stored: self.stored.as_deref() }
    }
}

/// How many environments are stepped together for so many episodes.
pub(crate) fn lanes_for(episodes: usize) -> usize {
    episodes.clamp(1, LANES)
}

/// As many environments as there are episodes, up to a limit, seen as a robot's expert sees them.
pub fn robot_envs(expert: &GaussianExpert, episodes: usize) -> Result<BoxEnvs<f32>, CastError> {
    Ok(expert.robot().envs(expert.observation(), lanes_for(episodes))?)
}

/// The shipped expert of a robot's name, or the expert in a file; either with another noise, as in `hopper:noise=0.3`.
///
/// ```
/// let expert = tutelage_lab::load_expert("hopper:noise=0.3", None)?;
/// assert_eq!(expert.robot(), tutelage_envs::Robot::Hopper);
/// let error = tutelage_lab::load_expert("hoper", None).unwrap_err();
/// assert!(error.to_string().contains("did you mean `hopper`?"));
/// # Ok::<(), tutelage_lab::CastError>(())
/// ```
pub fn load_expert(name: &str, task: Option<Task>) -> Result<GaussianExpert, CastError> {
    let (name, ending) = noise::split(name);
    let noise = noise::parse(ending)?;
    let expert = match Shipped::named(name) {
        Some(shipped) => {
            let task = Task::of_robot(shipped.task);
            let damaged = |source| CastError::Shipped { task, source: Box::new(source) };
            shipped.expert().map_err(damaged)?
        }
        None => read_expert(name, task)?,
    };
    let found = Task::of_robot(expert.robot());
    match task {
        Some(task) if task != found => Err(CastError::OtherTask { name: name.into(), found, task }),
        _ => Ok(match noise {
            Some(std) => expert.with_noise(std),
            None => expert,
        }),
    }
}

fn read_expert(name: &str, task: Option<Task>) -> Result<GaussianExpert, CastError> {
    let path = Path::new(name);
    match name.parse::<Task>() {
        Ok(task) => Err(CastError::NoRobot { task }),
        Err(unknown) if !path.exists() && path.extension().is_none() => {
            Err(CastError::NoExpert(unknown))
        }
        Err(_) if !path.exists() => Err(CastError::NoFile { name: name.into() }),
        Err(_) => GaussianExpert::read(path, task.and_then(Task::robot), None)
            .map_err(|source| CastError::Expert { name: name.into(), source: Box::new(source) }),
    }
}

/// What tells an expert from another of the same name: its weights and its noise.
pub fn fingerprint(expert: &GaussianExpert) -> Fingerprint {
    Fingerprint::values("expert", &[expert.policy().params(), expert.policy().log_std()].concat())
}

/// All that a run notes of its expert: also the statistics by which states are normalised.
pub(crate) fn fingerprints(expert: &GaussianExpert) -> [Fingerprint; 2] {
    let (mean, var) = (expert.normalizer().mean(), expert.normalizer().var());
    let words = |value: &f64| [value.to_bits() as u32, (value.to_bits() >> 32) as u32];
    let words: Vec<u32> = mean.iter().chain(var).flat_map(words).collect();
    [fingerprint(expert), Fingerprint::values("expert: normaliser", &words)]
}

/// What a run notes of its solver of least squares.
pub(crate) fn solver_note(solver: &str) -> Fingerprint {
    let letters: Vec<u32> = solver.chars().map(u32::from).collect();
    Fingerprint::values("least squares", &letters)
}

/// A path of a spec: where it leads nowhere from here, from the run's folder or one above it.
pub(crate) fn located(path: &Path, run: &Path) -> PathBuf {
    if path.is_absolute() || path.exists() {
        return path.into();
    }
    let run = run.canonicalize().unwrap_or_else(|_| run.into());
    let found = run.ancestors().map(|above| above.join(path)).find(|path| path.exists());
    found.unwrap_or_else(|| path.into())
}

/// Whether this names an expert that comes with the program: a robot's, or a world's scripted one.
pub(crate) fn is_expert_name(name: &str) -> bool {
    let (name, _) = noise::split(name);
    Shipped::named(name).is_some() || name.parse::<Task>().is_ok()
}

/// The expert of a spec: its name, or where its file is.
pub(crate) fn located_expert(spec: &RunSpec, run: &Path) -> String {
    match is_expert_name(&spec.expert) {
        true => spec.expert.clone(),
        false => {
            let (file, noise) = noise::split(&spec.expert);
            format!("{}{noise}", located(Path::new(file), run).display())
        }
    }
}

/// d₀.
fn cover<A: OutputHead>(
    spec: &RunSpec,
    run: &Path,
    experts: &[Fingerprint],
) -> Result<Option<Box<dyn Cover<f32>>>, CastError> {
    match &spec.d0 {
        None => Ok(None),
        Some(CoverSpec::Uniform { low, high }) => Ok(Some(Box::new(UniformBox::new(*low, *high)?))),
        Some(CoverSpec::Runs(runs)) => {
            let mut states: Option<Batch<f32>> = None;
            for path in runs {
                let (rounds, _) = annotations::<A>("d0", &located(path, run), spec, experts)?;
                for Dataset { states: more, .. } in rounds {
                    match &mut states {
                        None => states = Some(more),
                        Some(states) => states.extend(&more),
                    }
                }
            }
            let states = states.ok_or(CoverError::Empty)?;
            Ok(Some(Box::new(StoredStates::new(states)?)))
        }
    }
}

/// The rounds of the run that an offline algorithm trains on: as many as it takes, however many there are by now. If K differs
/// from the stored run's, the annotations are cut into rounds of K.
fn stored_data<A: OutputHead>(
    spec: &RunSpec,
    run: &Path,
    experts: &[Fingerprint],
) -> Result<Option<Vec<Dataset<f32, A>>>, CastError> {
    let Some(path) = &spec.data else { return Ok(None) };
    let (rounds, theirs) = annotations::<A>("data", &located(path, run), spec, experts)?;
    if theirs.states_per_round == spec.states_per_round {
        return Ok(Some(rounds));
    }
    Ok(joined(&rounds).map(|data| data.rounds(spec.states_per_round)))
}

/// D = D₁ ∪ D₂ ∪ …
fn joined<A: OutputHead>(rounds: &[Dataset<f32, A>]) -> Option<Dataset<f32, A>> {
    let (first, others) = rounds.split_first()?;
    let mut data = first.clone();
    others.iter().for_each(|round| data.append(round));
    Some(data)
}

/// All annotated rounds of a stored run that saw the same states, that is, of the same task, normalised by the same expert;
/// and its spec.
fn annotations<A: OutputHead>(
    field: &'static str,
    path: &Path,
    spec: &RunSpec,
    experts: &[Fingerprint],
) -> Result<(Vec<Dataset<f32, A>>, RunSpec), CastError> {
    let stored = |source| CastError::Stored { field, source };
    let text = read_spec(path).map_err(stored)?;
    let theirs = RunSpec::parse(&text).map_err(|source| CastError::StoredSpec {
        field,
        path: path.into(),
        source: Box::new(source),
    })?;
    let describe = |spec: &RunSpec| format!("{} with expert \"{}\"", spec.task, spec.expert);
    let other = |theirs: &RunSpec| {
        let (found, expected) = (describe(theirs), describe(spec));
        CastError::OtherRun { field, path: path.into(), found, expected }
    };
    if theirs.task != spec.task {
        return Err(other(&theirs));
    }
    let history: History<f32, A> = read_history(path).map_err(stored)?;
    let experts = experts.iter().filter(|fingerprint| fingerprint.name.starts_with("expert"));
    let noted: Vec<Option<bool>> = experts
        .map(|fingerprint| history.fingerprint(&fingerprint.name).map(|old| old == fingerprint))
        .collect();
    // A run that noted nothing of its expert goes by the name.
    let is_noted = noted.first().is_some_and(Option::is_some);
    if !is_noted && theirs.expert != spec.expert {
        return Err(other(&theirs));
    }
    if noted.contains(&Some(false)) {
        let name = spec.expert.clone();
        return Err(CastError::OtherExpert { field, path: path.into(), name });
    }
    let rounds = history.annotated_rounds();
    if rounds.iter().all(Dataset::is_empty) {
        return Err(CastError::Unfinished { field, path: path.into() });
    }
    Ok((rounds, theirs))
}
