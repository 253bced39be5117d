//! The laboratory's front door: learn what a spec says, in a folder, from wherever the folder is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tutelage::actor::{DeployedPolicy, ExpertActor, RolloutError};
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::evaluation::{Evaluation, evaluate};
use tutelage::{ActionSpace, Expert, OracleError, Participants, Stream, VectorEnv, dispatch};
use tutelage_oracles::mlp::{Ensemble, OutputHead};
use tutelage_runs::store::{
    AnyHistory, History, OsDisk, RunDir, StoreError, kept_policies, policy_path, read_any,
    read_history, read_policy, read_spec, read_times,
};
use tutelage_runs::{Ending, Observer, RoundLine, RunError, Teacher, run, run_with_teacher};

use crate::cast::{Cast, CastError, solver_note};
use crate::kind::{oracle, teachers};
use crate::registry::{BoxEnvs, BoxExpert};
use crate::spec::{Draft, RunSpec, SpecError};

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Who takes part.
    #[error(transparent)]
    Cast(#[from] CastError),
    /// The disk, or what is on it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored policy.
    #[error("{path}: {source}")]
    Policy {
        /// The file.
        path: PathBuf,
        /// Why it is no policy of this run.
        source: OracleError,
    },
    /// The run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An evaluation.
    #[error(transparent)]
    Evaluate(#[from] RolloutError),
    /// The run is a program's own: only that program knows its environment.
    #[error(
        "{path} is the run of a program of its own; go on with that program. `tutelage show` reads it, `tutelage export` its annotations and curves"
    )]
    OwnProgram {
        /// The run.
        path: PathBuf,
    },
    /// The run trained with another solver of least squares; continuing it would mix the results of two.
    #[error(
        "{path} was begun by a version whose least-squares solver had other last bits; `tutelage show`, `evaluate` and `export` read it, \
         `tutelage learn` begins it anew in another folder"
    )]
    OtherSolver {
        /// The run.
        path: PathBuf,
    },
    /// The run returns the policy of a random round, which was drawn when it began.
    #[error(
        "{path} returns the policy of one of its {rounds} rounds, which was drawn when it began, so it cannot be extended; \
         `tutelage learn` begins a longer run in another folder"
    )]
    RandomRound {
        /// The run.
        path: PathBuf,
        /// Its rounds.
        rounds: usize,
    },
    /// No round of the run has ended yet.
    #[error("no round of this run has ended yet")]
    NoRound,
    /// The run has not kept this policy, or not come so far.
    #[error("{path} has no policy of round {round}; it has {}", list(kept))]
    NoPolicy {
        /// The run.
        path: PathBuf,
        /// The round asked for.
        round: usize,
        /// The rounds whose policies there are.
        kept: Vec<usize>,
    },
}

/// Rounds in words.
fn list(rounds: &[usize]) -> String {
    match rounds {
        [] => "none".into(),
        [only] => format!("that of round {only}"),
        [first, .., last] if last - first + 1 == rounds.len() => {
            format!("those of rounds {first} to {last}")
        }
        _ => {
            let rounds: Vec<String> = rounds.iter().map(usize::to_string).collect();
            format!("those of rounds {}", rounds.join(", "))
        }
    }
}

/// A run that ended or was stopped, and what it came to.
pub struct Report {
    /// How it ended.
    pub ending: Ending,
    /// Everything that happened, also before it was last interrupted.
    pub history: AnyHistory,
}

impl Report {
    /// A line for every round.
    pub fn lines(&self, spec: &RunSpec, dir: &Path) -> Vec<RoundLine> {
        self.history.lines(spec.states_per_round, &read_times(dir))
    }
}

/// Learns what the spec says in this folder: from the beginning, or from wherever an earlier process got to.
///
/// `keep` may differ from the value the run began with, since it changes no result, and `rounds` may be more: then the run
/// goes on from where it ended.
///
/// ```
/// use tutelage_lab::spec::RunSpec;
/// use tutelage_lab::{evaluate_run, learn_in, spec_of};
/// use tutelage_runs::Silent;
///
/// let folder = tempfile::tempdir()?;
/// let spec = RunSpec::parse("task = 'cart-pole'\nrounds = 2\nevaluation = { episodes = 2 }")?;
/// let report = learn_in(folder.path(), &spec, &mut Silent)?;
/// assert_eq!(report.history.annotations(), 2 * spec.states_per_round);
/// // The same again returns what is done; anything else about it is in the folder.
/// learn_in(folder.path(), &spec, &mut Silent)?;
/// assert_eq!(spec_of(folder.path())?, spec);
/// assert!(evaluate_run(folder.path(), None, None, 5, 1)?.mean_reward() > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn_in(
    path: &Path,
    spec: &RunSpec,
    reporter: &mut dyn Observer,
) -> Result<Report, LabError> {
    dispatch!(spec.task.actions(), A => {
        let (ending, history) = learn_as::<A>(path, spec, reporter)?;
        Ok(Report { ending, history: history.into() })
    })
}

/// Whether everyone whom a spec names can take part: its expert, the runs that it builds on. Nothing is begun.
pub fn check_cast(spec: &RunSpec) -> Result<(), LabError> {
    dispatch!(spec.task.actions(), A => drop(Cast::<A>::new(spec, Path::new("."))?));
    Ok(())
}

fn learn_as<A: OutputHead>(
    path: &Path,
    spec: &RunSpec,
    reporter: &mut dyn Observer,
) -> Result<(Ending, History<f32, A>), LabError> {
    let (mut cast, mut dir) = open::<A>(path, spec)?;
    let Cast { envs, expert, oracle, cover, stored, .. } = &mut cast;
    let inputs =
        tutelage::Inputs { cover: cover.as_deref(), separator: None, stored: stored.as_deref() };
    let participants = Participants { envs, expert, oracle };
    let ending = run(participants, &spec.job(inputs), &mut dir, reporter)?;
    Ok((ending, dir.history().clone()))
}

/// [`learn_in`] with somebody else in the expert's place: `teacher` makes them, once the run's folder is there. How far training
/// has come is told on the way.
pub fn learn_taught<A, T, E>(
    path: &Path,
    spec: &RunSpec,
    training: Arc<tutelage::oracle::FitProgress>,
    reporter: &mut dyn Observer,
    teacher: impl FnOnce(&RunDir<f32, A>) -> Result<T, E>,
) -> Result<(Ending, History<f32, A>), E>
where
    A: OutputHead,
    T: Teacher<f32, A, Ensemble<A>>,
    E: From<LabError>,
{
    let (mut cast, mut dir) = open::<A>(path, spec)?;
    cast.oracle.report_to(training);
    let mut teacher = teacher(&dir)?;
    let Cast { envs, oracle, cover, stored, .. } = &mut cast;
    let inputs =
        tutelage::Inputs { cover: cover.as_deref(), separator: None, stored: stored.as_deref() };
    let job = spec.job(inputs);
    let ending = run_with_teacher(envs, &mut teacher, oracle, &job, &mut dir, reporter);
    Ok((ending.map_err(LabError::from)?, dir.history().clone()))
}

/// Everyone who takes part, and the folder of a run, begun or to be continued.
fn open<A: OutputHead>(path: &Path, spec: &RunSpec) -> Result<(Cast<A>, RunDir<f32, A>), LabError> {
    let cast = Cast::<A>::new(spec, path)?;
    let begun = begun_as(path, spec)?;
    let mut dir = RunDir::open(path, &begun, Arc::new(OsDisk))?;
    refuse_another_solver(&dir, spec)?;
    cast.note_in(&mut dir)?;
    if extends(&begun, spec) {
        dir.extend(&spec.to_toml())?;
    }
    Ok((cast, dir))
}

/// A run that is under way and did not note its solver had one from before solvers were noted.
fn refuse_another_solver<A: OutputHead>(
    dir: &RunDir<f32, A>,
    spec: &RunSpec,
) -> Result<(), LabError> {
    let history = dir.history();
    let Some(solver) = spec.solver() else { return Ok(()) };
    let is_under_way = history.has_started() && history.results.len() < spec.rounds;
    match is_under_way && history.fingerprint(&solver_note(solver).name).is_none() {
        true => Err(LabError::OtherSolver { path: dir.path().into() }),
        false => Ok(()),
    }
}

/// The text of the run already in the folder if this spec may continue it; otherwise this spec's own.
fn begun_as(path: &Path, spec: &RunSpec) -> Result<String, LabError> {
    let text = match read_spec(path) {
        Err(StoreError::NoRun { .. }) => return Ok(spec.to_toml()),
        text => text?,
    };
    let Ok(begun) = RunSpec::parse(&text) else { return Ok(spec.to_toml()) };
    let rounds = begun.rounds;
    if !continues(begun, spec).unwrap_or(false) {
        return Ok(spec.to_toml());
    }
    match spec.deploy {
        Deploy::RandomRound if rounds < spec.rounds => {
            Err(LabError::RandomRound { path: path.into(), rounds })
        }
        _ => Ok(text),
    }
}

/// Whether the specs differ in nothing but which policies are kept, how many rounds are still to come, and how paths are
/// written.
fn continues(mut begun: RunSpec, spec: &RunSpec) -> Result<bool, SpecError> {
    begun.keep = spec.keep;
    begun.rounds = begun.rounds.max(spec.rounds);
    Ok(begun == *spec || placed(&begun)? == placed(spec)?)
}

/// A spec whose paths do not depend on where one stands.
fn placed(spec: &RunSpec) -> Result<RunSpec, SpecError> {
    Draft::from(spec).with_absolute_paths().check()
}

/// Whether this spec asks for more rounds than the run was begun with.
fn extends(begun: &str, spec: &RunSpec) -> bool {
    RunSpec::parse(begun).is_ok_and(|begun| begun.rounds < spec.rounds)
}

/// The spec that a folder's run was begun with.
pub fn spec_of(path: &Path) -> Result<RunSpec, LabError> {
    let text = read_spec(path)?;
    // What `RunConfig::spec` writes names its choices one by one.
    match RunSpec::parse(&text) {
        Err(SpecError::Toml(_)) if text.lines().any(|line| line.starts_with("train_on = ")) => {
            Err(LabError::OwnProgram { path: path.into() })
        }
        spec => Ok(spec?),
    }
}

/// What a run has learned, with the environments and the expert that it learned from.
pub struct Learner<A: OutputHead> {
    /// Where it acts.
    pub envs: BoxEnvs<A>,
    /// Who taught it.
    pub expert: BoxExpert<A>,
    /// The policy.
    pub policy: Ensemble<A>,
    /// How the run deploys it.
    pub deploy: Deploy,
}

/// The policy that a run had after a round, by default the one that it returns (after round 0: before the first).
///
/// The expert must be the one that the run learned from, as far as the run has noted it.
pub fn learner_of<A: OutputHead>(
    path: &Path,
    spec: &RunSpec,
    round: Option<usize>,
) -> Result<Learner<A>, LabError> {
    let history = read_history::<f32, A>(path)?;
    let last = history.results.len();
    let job = spec.job::<f32, A>(tutelage::Inputs::none());
    let returned = job.returned_round().min(last);
    let round_wanted = round.unwrap_or(returned);
    let file = policy_path(path, round_wanted);
    if !file.is_file() {
        return Err(match round {
            None if last == 0 => LabError::NoRound,
            _ => LabError::NoPolicy {
                path: path.into(),
                round: round_wanted,
                kept: kept_policies(path),
            },
        });
    }
    let (envs, expert, fingerprints) = teachers::<A>(spec, path)?;
    for fingerprint in fingerprints {
        if let Some(noted) =
            history.fingerprint(&fingerprint.name).filter(|noted| **noted != fingerprint)
        {
            return Err(StoreError::changed(path, noted, &fingerprint).into());
        }
    }
    let bytes = read_policy(path, &history, round_wanted)?;
    let oracle = oracle::<A>(&spec.class, spec.oracle).map_err(CastError::from)?;
    let policy = tutelage::oracle::DurableOracle::decode(&oracle, &bytes, envs.spaces());
    let policy = policy.map_err(|source| LabError::Policy { path: file, source })?;
    Ok(Learner { envs, expert, policy, deploy: spec.deploy })
}

/// Full episodes of a run's policy, beside the expert's mean action; acting as the run deploys it, or otherwise.
pub fn evaluate_run(
    path: &Path,
    round: Option<usize>,
    deploy: Option<Deploy>,
    episodes: usize,
    seed: u64,
) -> Result<Evaluation, LabError> {
    let mut spec = spec_of(path)?;
    spec.episodes = episodes;
    dispatch!(spec.task.actions(), A => evaluate_as::<A>(path, &spec, round, deploy, seed))
}

fn evaluate_as<A: OutputHead>(
    path: &Path,
    spec: &RunSpec,
    round: Option<usize>,
    deploy: Option<Deploy>,
    seed: u64,
) -> Result<Evaluation, LabError> {
    let mut learner = learner_of::<A>(path, spec, round)?;
    let mut actor = DeployedPolicy::new(&learner.policy, deploy.unwrap_or(learner.deploy));
    let has_mean = learner.expert.has_mean(learner.envs.spaces()).map_err(RolloutError::from)?;
    let expert = &mut learner.expert as &mut dyn Expert<State = f32, Action = A>;
    let reference = has_mean.then_some(expert);
    Ok(evaluate(&mut learner.envs, &mut actor, reference, spec.episodes, &Stream::new(seed))?)
}

/// Full episodes of a world's own expert.
pub fn evaluate_expert(
    spec: &RunSpec,
    acts: ExpertActs,
    stream: &Stream,
) -> Result<Evaluation, LabError> {
    dispatch!(spec.task.actions(), A => expert_as::<A>(spec, acts, stream))
}

fn expert_as<A: OutputHead>(
    spec: &RunSpec,
    acts: ExpertActs,
    stream: &Stream,
) -> Result<Evaluation, LabError> {
    let (mut envs, mut expert, _) = teachers::<A>(spec, Path::new("."))?;
    let space = ActionSpace { size: envs.spaces().actions, bounds: envs.bounds().clone() };
    let mut actor = ExpertActor::new(&mut expert, acts, &space);
    Ok(evaluate(&mut envs, &mut actor, None, spec.episodes, stream)?)
}

/// How many answers each annotated round of a run has.
pub fn round_sizes(path: &Path) -> Result<Vec<usize>, LabError> {
    Ok(read_any(path)?.round_sizes())
}
