//! The policies of runs, and their evaluation.

use std::path::Path;

use tutelage::actor::{DeployedPolicy, ExpertActor, RolloutError};
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::evaluation::{Evaluation, evaluate};
use tutelage::oracle::DurableOracle;
use tutelage::{ActionSpace, Expert, Inputs, Stream, VectorEnv, dispatch};
use tutelage_oracles::mlp::{Ensemble, OutputHead};
use tutelage_runs::store::{StoreError, kept_policies, policy_path, read_history, read_policy};

use crate::kind::{oracle, teachers};
use crate::lab::{LabError, spec_of};
use crate::parts::PartsError;
use crate::registry::{BoxEnvs, BoxExpert};
use crate::spec::RunSpec;

/// The policy of a run, with the run's environments and expert.
pub struct Learner<A: OutputHead> {
    /// The environments.
    pub envs: BoxEnvs<A>,
    /// The expert.
    pub expert: BoxExpert<A>,
    /// The policy.
    pub policy: Ensemble<A>,
    /// How the run deploys the policy.
    pub deploy: Deploy,
}

/// Loads the policy of a run after a round, by default the policy that the run returns. Round 0 is the initial policy.
///
/// The expert must be the one that the run recorded.
pub fn learner_of<A: OutputHead>(
    path: &Path,
    spec: &RunSpec,
    round: Option<usize>,
) -> Result<Learner<A>, LabError> {
    let history = read_history::<f32, A>(path)?;
    let last = history.results.len();
    let returned = spec.config::<f32, A>(Inputs::none()).returned_round().min(last);
    let wanted = round.unwrap_or(returned);
    let file = policy_path(path, wanted);
    if !file.is_file() {
        return Err(match round {
            None if last == 0 => LabError::NoRound,
            _ => {
                let kept = kept_policies(path);
                LabError::NoPolicy { path: path.into(), round: wanted, kept }
            }
        });
    }
    let (envs, expert, fingerprints) = teachers::<A>(spec, path)?;
    for fingerprint in fingerprints {
        let recorded = history.fingerprint(&fingerprint.name);
        if let Some(recorded) = recorded.filter(|recorded| **recorded != fingerprint) {
            return Err(StoreError::changed(path, recorded, &fingerprint).into());
        }
    }
    let bytes = read_policy(path, &history, wanted)?;
    let oracle = oracle::<A>(&spec.class, spec.oracle).map_err(PartsError::from)?;
    let policy = oracle.decode(&bytes, envs.spaces());
    let policy = policy.map_err(|source| LabError::Policy { path: file, source })?;
    Ok(Learner { envs, expert, policy, deploy: spec.deploy })
}

/// Evaluates a run's policy on full episodes, compared with the expert's mean action. The run's choice of deployment can be
/// replaced.
pub fn evaluate_run(
    path: &Path,
    round: Option<usize>,
    deploy: Option<Deploy>,
    episodes: usize,
    seed: u64,
) -> Result<Evaluation, LabError> {
    let mut spec = spec_of(path)?;
    spec.evaluation.episodes = episodes;
    dispatch!(spec.task.actions(), A => {
        let Learner { mut envs, mut expert, policy, deploy: own } =
            learner_of::<A>(path, &spec, round)?;
        let mut actor = DeployedPolicy::new(&policy, deploy.unwrap_or(own));
        let has_mean = expert.has_mean(envs.spaces()).map_err(RolloutError::from)?;
        let reference = has_mean.then_some(&mut expert as &mut dyn Expert<State = f32, Action = A>);
        Ok(evaluate(&mut envs, &mut actor, reference, episodes, &Stream::new(seed))?)
    })
}

/// Evaluates the expert of a spec on full episodes.
pub fn evaluate_expert(
    spec: &RunSpec,
    acts: ExpertActs,
    stream: &Stream,
) -> Result<Evaluation, LabError> {
    dispatch!(spec.task.actions(), A => {
        let (mut envs, mut expert, _) = teachers::<A>(spec, Path::new("."))?;
        let space = ActionSpace { size: envs.spaces().actions, bounds: envs.bounds().clone() };
        let mut actor = ExpertActor::new(&mut expert, acts, &space);
        Ok(evaluate(&mut envs, &mut actor, None, spec.evaluation.episodes, stream)?)
    })
}
