//! The laboratory's front door: learn what a spec says, in a folder, from wherever the folder is.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tutelage::{Acting, Actor, Evaluation, RolloutError, Setting, Stream, evaluate};
use tutelage_experts::GaussianExpert;
use tutelage_oracles::mlp::MlpPolicy;

use crate::bench::{Bench, BenchError, fingerprints, lanes, load_expert};
use crate::durable::{LoadError, load_policy};
use crate::report::Reporter;
use crate::run::{Ending, RunError, run};
use crate::spec::{RunSpec, SpecError};
use crate::store::{
    History, OsDisk, RunDir, StoreError, kept_policies, policy_path, read_history, read_spec,
};

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Who takes part.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The disk, or what is on it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A stored policy.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// An evaluation.
    #[error(transparent)]
    Evaluate(#[from] RolloutError),
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
    pub history: History<f32, f32>,
}

/// Learns what the spec says in this folder: from the beginning, or from wherever an earlier process got to.
///
/// `keep` may be another than the run began with, since it changes no result: from now on the one asked for holds. What
/// the folder says stays.
pub fn learn_in(
    path: &Path,
    spec: &RunSpec,
    reporter: &mut dyn Reporter,
) -> Result<Report, LabError> {
    let mut bench = Bench::new(spec)?;
    let mut dir = RunDir::open(path, &text_to_open(path, spec)?, Arc::new(OsDisk))?;
    for given in std::mem::take(&mut bench.given) {
        dir.give(given)?;
    }
    let Bench { lanes, expert, oracle, algorithm, .. } = &mut bench;
    let job = spec.job(algorithm);
    let ending = run(Setting { lanes, expert, oracle }, &job, &mut dir, reporter)?;
    Ok(Report { ending, history: dir.history().clone() })
}

/// The spec's text, or where a run was begun that differs in `keep` alone, that run's.
fn text_to_open(path: &Path, spec: &RunSpec) -> Result<String, LabError> {
    let text = match read_spec(path) {
        Err(StoreError::NoRun { .. }) => return Ok(spec.to_toml()),
        text => text?,
    };
    let same = |begun: RunSpec| RunSpec { keep: spec.keep, ..begun } == *spec;
    Ok(if RunSpec::parse(&text).is_ok_and(same) { text } else { spec.to_toml() })
}

/// The spec that a folder's run was begun with.
pub fn spec_of(path: &Path) -> Result<RunSpec, LabError> {
    Ok(RunSpec::parse(&read_spec(path)?)?)
}

/// What a run has learned, with the expert that it learned from.
pub struct Pupil {
    /// The expert, whose environment shows the states that the policy takes.
    pub expert: GaussianExpert,
    /// The policy.
    pub policy: MlpPolicy,
}

/// The policy that a run had after a round, by default its last (after round 0: before the first).
///
/// The expert must be the one that the run learned from, as far as the run has noted it.
pub fn pupil_of(path: &Path, round: Option<usize>) -> Result<Pupil, LabError> {
    let (spec, history) = (spec_of(path)?, read_history::<f32, f32>(path)?);
    let last = history.results.len();
    let file = policy_path(path, round.unwrap_or(last));
    if !file.is_file() {
        return Err(match round.unwrap_or(last) {
            0 if round.is_none() => LabError::NoRound,
            round => LabError::NoPolicy { path: path.into(), round, kept: kept_policies(path) },
        });
    }
    let expert = load_expert(&spec.expert, Some(spec.task))?;
    for given in fingerprints(&expert) {
        if let Some(noted) = history.noted(&given.name).filter(|noted| **noted != given) {
            return Err(StoreError::given(path, noted, &given).into());
        }
    }
    Ok(Pupil { expert, policy: load_policy(&file)? })
}

/// Full episodes of a run's policy, beside the expert's mean action.
pub fn evaluate_run(
    path: &Path,
    round: Option<usize>,
    acting: Acting,
    episodes: usize,
    seed: u64,
) -> Result<Evaluation, LabError> {
    let Pupil { mut expert, policy } = pupil_of(path, round)?;
    let mut lanes = lanes(&expert, episodes)?;
    let actor = Actor::policy(&policy, acting);
    Ok(evaluate(&mut lanes, actor, Some(&mut expert), episodes, &Stream::new(seed))?)
}

/// How many rounds of a run are annotated.
pub fn annotated_rounds(path: &Path) -> Result<usize, LabError> {
    let history = read_history::<f32, f32>(path)?;
    Ok(history.rounds.iter().filter(|round| round.is_complete()).count())
}
