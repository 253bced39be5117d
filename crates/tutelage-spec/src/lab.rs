//! Executes a spec in a run directory, or resumes it there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tutelage::actor::RolloutError;
use tutelage::choice::Deploy;
use tutelage::oracle::FitProgress;
use tutelage::{Inputs, OracleError, Participants, dispatch};
use tutelage_oracles::mlp::{Ensemble, OutputHead};
use tutelage_runs::store::{
    AnyHistory, History, OsDisk, RunDir, StoreError, read_spec, read_times,
};
use tutelage_runs::{Ending, Observer, RoundLine, RunError, Teacher, run, run_with_teacher};

use crate::parts::{PartsError, RunParts, solver_fingerprint};
use crate::spec::{RunSpec, SpecError};

/// Why a run cannot be executed or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// The spec is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The parts of the run cannot be built.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// The run directory cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored policy is invalid.
    #[error("{path} is not a policy of this run")]
    Policy {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: OracleError,
    },
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An evaluation failed.
    #[error(transparent)]
    Evaluate(#[from] RolloutError),
    /// The run belongs to a custom program, which alone has its environment.
    #[error("{0} is the run of a custom program, which alone can resume or evaluate it")]
    CustomProgram(PathBuf),
    /// The run was started with a least-squares solver whose results differ in the last bits.
    #[error(
        "{0} was started by a version with a different least-squares solver and cannot be resumed"
    )]
    OtherSolver(PathBuf),
    /// The returned round was drawn when the run started.
    #[error(
        "{path} returns the policy of one of its {rounds} rounds, drawn when it started, and cannot be extended"
    )]
    RandomRound {
        /// The run directory.
        path: PathBuf,
        /// The number of rounds.
        rounds: usize,
    },
    /// No round has finished.
    #[error("no round of this run has finished yet")]
    NoRound,
    /// The policy was not kept, or the run has not reached the round.
    #[error("{path} has no policy of round {round}; it has policies of rounds {kept:?}")]
    NoPolicy {
        /// The run directory.
        path: PathBuf,
        /// The requested round.
        round: usize,
        /// The rounds with policies.
        kept: Vec<usize>,
    },
}

/// The result of a run that finished or was stopped.
pub struct Report {
    /// How the run ended.
    pub ending: Ending,
    /// The whole history, including earlier sessions.
    pub history: AnyHistory,
}

impl Report {
    /// Returns one line per round.
    pub fn lines(&self, spec: &RunSpec, dir: &Path) -> Vec<RoundLine> {
        self.history.lines(spec.states_per_round, &read_times(dir))
    }
}

/// A run whose parts are built, so that most errors have been found before anything is written.
pub struct PreparedRun {
    spec: RunSpec,
    dir: PathBuf,
    learn: Box<Learn>,
}

type Learn = dyn FnOnce(&Path, &RunSpec, &mut dyn Observer) -> Result<Report, LabError> + Send;

impl PreparedRun {
    /// Builds the parts of a run in this directory. Nothing is written.
    pub fn new(spec: RunSpec, dir: &Path) -> Result<Self, PartsError> {
        let learn: Box<Learn> = dispatch!(spec.task.actions(), A => {
            let parts = RunParts::<A>::new(&spec, dir)?;
            Box::new(move |dir, spec, observer| learn(parts, dir, spec, observer))
        });
        Ok(Self { spec, dir: dir.into(), learn })
    }

    /// Returns the spec.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// Returns the run directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Starts the run, or resumes it if the directory holds it.
    pub fn learn(self, observer: &mut dyn Observer) -> Result<Report, LabError> {
        (self.learn)(&self.dir, &self.spec, observer)
    }
}

/// Executes a spec in a directory: starts the run, or resumes it from where an earlier process stopped.
///
/// A run can be resumed with another `keep`, which does not affect results, and with more `rounds`.
///
/// ```
/// use tutelage_spec::spec::RunSpec;
/// use tutelage_spec::{evaluate_run, learn_in, spec_of};
/// use tutelage_runs::Silent;
///
/// let folder = tempfile::tempdir()?;
/// let spec = RunSpec::parse("task = 'cart-pole'\nrounds = 2\nevaluation = { episodes = 2 }")?;
/// let report = learn_in(folder.path(), &spec, &mut Silent)?;
/// assert_eq!(report.history.annotations(), 2 * spec.states_per_round);
/// // The run is finished, so this only reads it.
/// learn_in(folder.path(), &spec, &mut Silent)?;
/// assert_eq!(spec_of(folder.path())?, spec);
/// assert!(evaluate_run(folder.path(), None, None, 5, 1)?.mean_reward() > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn_in(
    dir: &Path,
    spec: &RunSpec,
    observer: &mut dyn Observer,
) -> Result<Report, LabError> {
    PreparedRun::new(spec.clone(), dir)?.learn(observer)
}

fn learn<A: OutputHead>(
    mut parts: RunParts<A>,
    path: &Path,
    spec: &RunSpec,
    observer: &mut dyn Observer,
) -> Result<Report, LabError>
where
    AnyHistory: From<History<f32, A>>,
{
    let mut dir = open(&parts, path, spec)?;
    let RunParts { envs, expert, oracle, cover, stored, .. } = &mut parts;
    let inputs = Inputs { cover: cover.as_deref(), separator: None, stored: stored.as_deref() };
    let config = spec.config(inputs);
    let ending = run(Participants { envs, expert, oracle }, &config, &mut dir, observer)?;
    Ok(Report { ending, history: dir.history().clone().into() })
}

/// Executes a spec like [`learn_in`], but a teacher answers instead of the expert.
///
/// `teacher` creates the teacher when the run directory exists. `progress` receives the progress of training.
pub fn learn_taught<A, T, E>(
    path: &Path,
    spec: &RunSpec,
    progress: Arc<FitProgress>,
    observer: &mut dyn Observer,
    teacher: impl FnOnce(&RunDir<f32, A>) -> Result<T, E>,
) -> Result<(Ending, History<f32, A>), E>
where
    A: OutputHead,
    T: Teacher<f32, A, Ensemble<A>>,
    E: From<LabError>,
{
    let mut parts = RunParts::<A>::new(spec, path).map_err(LabError::from)?;
    let mut dir = open(&parts, path, spec)?;
    parts.oracle.report_to(progress);
    let mut teacher = teacher(&dir)?;
    let RunParts { envs, oracle, cover, stored, .. } = &mut parts;
    let inputs = Inputs { cover: cover.as_deref(), separator: None, stored: stored.as_deref() };
    let config = spec.config(inputs);
    let ending = run_with_teacher(envs, &mut teacher, oracle, &config, &mut dir, observer);
    Ok((ending.map_err(LabError::from)?, dir.history().clone()))
}

/// Opens the directory of a run, and records the inputs of the run there.
fn open<A: OutputHead>(
    parts: &RunParts<A>,
    path: &Path,
    spec: &RunSpec,
) -> Result<RunDir<f32, A>, LabError> {
    let (text, extended) = recorded_text(path, spec)?;
    let mut dir = RunDir::open(path, &text, Arc::new(OsDisk))?;
    check_solver(&dir, spec)?;
    parts.record_in(&mut dir)?;
    if extended {
        dir.extend(&spec.to_toml())?;
    }
    Ok(dir)
}

/// Returns the text with which the directory's run was started, if this spec may resume it, and whether the spec has more
/// rounds. Otherwise returns the text of the spec, which the store compares with the recorded one.
fn recorded_text(path: &Path, spec: &RunSpec) -> Result<(String, bool), LabError> {
    let text = match read_spec(path) {
        Err(StoreError::NoRun { .. }) => return Ok((spec.to_toml(), false)),
        text => text?,
    };
    match RunSpec::parse(&text) {
        Ok(recorded) if may_resume(&recorded, spec) => {
            let extended = recorded.rounds < spec.rounds;
            if extended && spec.deploy == Deploy::RandomRound {
                return Err(LabError::RandomRound { path: path.into(), rounds: recorded.rounds });
            }
            Ok((text, extended))
        }
        _ => Ok((spec.to_toml(), false)),
    }
}

/// Returns whether the specs differ only in `keep`, in additional rounds, and in relative paths.
fn may_resume(recorded: &RunSpec, spec: &RunSpec) -> bool {
    let mut expected = recorded.clone();
    expected.keep = spec.keep;
    expected.rounds = recorded.rounds.max(spec.rounds);
    expected == *spec || expected.with_absolute_paths() == spec.clone().with_absolute_paths()
}

/// Rejects an unfinished run without a recorded solver, which is from a version with another solver.
fn check_solver<A: OutputHead>(dir: &RunDir<f32, A>, spec: &RunSpec) -> Result<(), LabError> {
    let history = dir.history();
    let Some(solver) = spec.solver() else { return Ok(()) };
    let unfinished = history.has_started() && history.results.len() < spec.rounds;
    if unfinished && history.fingerprint(&solver_fingerprint(solver).name).is_none() {
        return Err(LabError::OtherSolver(dir.path().into()));
    }
    Ok(())
}

/// Reads the spec of a run.
pub fn spec_of(path: &Path) -> Result<RunSpec, LabError> {
    let text = read_spec(path)?;
    // Only the specs of custom programs have this field.
    if text.lines().any(|line| line.starts_with("train_on = ")) {
        return Err(LabError::CustomProgram(path.into()));
    }
    Ok(RunSpec::parse(&text)?)
}
