//! Exports policies as ONNX models.

use std::path::Path;

use tutelage::choice::Deploy;
use tutelage::dispatch;
use tutelage_oracles::mlp::OutputHead;
use tutelage_runs::store::{Disk, OsDisk, StoreError};

use super::{Interface, onnx};
use crate::expert::robot_expert;
use crate::lab::{LabError, spec_of};
use crate::learner::{Learner, learner_of};
use crate::spec::RunSpec;

/// Writes the policy of a run after a round, by default the policy that the run returns, as an ONNX model.
///
/// The model takes raw states of the task; it contains the normalizer of a robot's expert. Its output `action` is the members'
/// mean or vote, and `members` are the members' actions. The result, and a property of the model, is how the run deploys them.
pub fn export_policy(run: &Path, round: Option<usize>, file: &Path) -> Result<Deploy, LabError> {
    let spec = spec_of(run)?;
    let bytes = dispatch!(spec.task.actions(), A => encode::<A>(run, &spec, round));
    OsDisk.replace(file, &bytes?).map_err(StoreError::io("write", file))?;
    Ok(spec.deploy)
}

fn encode<A: OutputHead>(
    run: &Path,
    spec: &RunSpec,
    round: Option<usize>,
) -> Result<Vec<u8>, LabError> {
    let Learner { envs, policy, .. } = learner_of::<A>(run, spec, round)?;
    let expert = spec.task.robot().map(|_| robot_expert(spec, run)).transpose()?;
    let names = [
        ("task", spec.task.to_string()),
        ("algorithm", spec.algorithm.spec_text()),
        ("class", spec.class.to_string()),
        ("seed", spec.seed.to_string()),
        ("deploy", spec.deploy.describe().to_owned()),
    ];
    let interface = Interface {
        observation: envs.spaces().states,
        columns: None,
        normaliser: expert.map(|expert| expert.normalizer().clone()),
        bounds: envs.bounds().clone(),
        names: names.map(|(key, value)| (key.to_owned(), value)).into(),
    };
    Ok(onnx(&policy, &interface))
}
