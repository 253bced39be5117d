//! Evaluation of policies and experts.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tutelage::actor::{DeployedPolicy, ExpertActor, RolloutError};
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::{ActionSpace, Expert, Stream, VectorEnv, dispatch, evaluation};
use tutelage_spec::{BoxEnvs, LabError};

use crate::builtin::{builtin_envs, builtin_task};
use crate::errors::PyErrorSlot;
use crate::policy::NativePolicy;
use crate::python_envs::{PyVectorEnv, action_kind};
use crate::python_expert::PyExpert;

/// Plays full episodes of a policy or an expert; returns `rewards`, `lengths` and, if there is a `reference` expert, the
/// imitation `losses`.
#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    envs: &Bound<'py, PyAny>,
    actor: &Bound<'py, PyAny>,
    reference: Option<&Bound<'py, PyAny>>,
    episodes: usize,
    seed: u64,
    random_member: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let deploy = if random_member { Deploy::UniformMember } else { Deploy::Mean };
    let (errors, stream) = (PyErrorSlot::default(), Stream::new(seed));
    let policy = actor.cast::<NativePolicy>().ok().map(Bound::get);
    let builtin = builtin_task(envs)?;
    let evaluation = dispatch!(action_kind(envs)?, A => {
        let expert = |object| PyExpert::<A>::new(object, errors.clone());
        let mut acting = if policy.is_none() { Some(expert(actor)?) } else { None };
        let mut reference = reference.map(expert).transpose()?;
        let python = builtin.is_none().then(|| PyVectorEnv::<A>::new(envs, errors.clone()));
        let python = python.transpose()?;
        let evaluation = py.detach(|| -> Result<_, LabError> {
            let mut envs: BoxEnvs<A> = match (python, builtin) {
                (Some(envs), _) => Box::new(envs),
                (None, Some((task, count))) => builtin_envs(task, count)?,
                (None, None) => return Err(RolloutError::NoEpisodes.into()),
            };
            let space = ActionSpace { size: envs.spaces().actions, bounds: envs.bounds().clone() };
            let reference =
                reference.as_mut().map(|expert| expert as &mut dyn Expert<State = f32, Action = A>);
            let evaluation = match (policy.and_then(NativePolicy::downcast::<A>), &mut acting) {
                (Some(policy), _) => {
                    let mut actor = DeployedPolicy::new(policy, deploy);
                    evaluation::evaluate(&mut envs, &mut actor, reference, episodes, &stream)
                }
                (None, Some(expert)) => {
                    let mut actor = ExpertActor::new(expert, ExpertActs::Mean, &space);
                    evaluation::evaluate(&mut envs, &mut actor, reference, episodes, &stream)
                }
                (None, None) => Err(RolloutError::NoEpisodes),
            };
            Ok(evaluation?)
        });
        errors.finish(py, evaluation)?
    });
    let episodes = evaluation.episodes;
    let losses: Option<Vec<f64>> = episodes.iter().map(|episode| episode.imitation_loss).collect();
    let result = PyDict::new(py);
    result.set_item("rewards", PyArray1::from_iter(py, episodes.iter().map(|e| e.reward)))?;
    let lengths = episodes.iter().map(|episode| episode.length as i64);
    result.set_item("lengths", PyArray1::from_iter(py, lengths))?;
    result.set_item("losses", losses.map(|losses| PyArray1::from_vec(py, losses)))?;
    Ok(result)
}
