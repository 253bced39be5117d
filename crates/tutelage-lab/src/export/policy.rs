//! A run's policy for other programs.

use std::path::Path;

use tutelage::choice::Deploy;
use tutelage::dispatch;
use tutelage_oracles::mlp::OutputHead;
use tutelage_runs::store::{Disk, OsDisk, StoreError};

use super::{Interface, onnx};
use crate::cast::load_expert;
use crate::lab::{LabError, Learner, learner_of, spec_of};
use crate::spec::RunSpec;

/// Writes the policy that a run had after a round, by default the one that it returns, as an ONNX model that takes the task's
/// states as they are: where the expert's statistics normalise them, these are part of the model.
///
/// The model's `action` is the members' mean (or vote) and its `members` are what each would do. What comes back says how the
/// run deploys them, as do the model's properties.
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
    let normaliser = match spec.task.robot() {
        Some(_) => {
            let expert = crate::cast::located_expert(spec, run);
            Some(load_expert(&expert, Some(spec.task))?.normalizer().clone())
        }
        None => None,
    };
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
        normaliser,
        bounds: envs.bounds().clone(),
        names: names.map(|(key, value)| (key.to_owned(), value)).into(),
    };
    Ok(onnx(&policy, &interface))
}
