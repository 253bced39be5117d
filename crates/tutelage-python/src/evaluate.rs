//! Full episodes of a policy or an expert in Python's environments.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tutelage::{
    ActionSpace, ByExpert, Deploy, Deployed, Envs, Evaluation, Expert, ExpertActs, RolloutError,
    Stream,
};

use crate::arrays::Spoken;
use crate::errors::Mishap;
use crate::policy::{Acting, NativePolicy};
use crate::teacher::Teacher;
use crate::worlds::Worlds;

/// Plays full episodes of a policy or of a teacher, and returns `rewards`, `lengths` and, beside an expert, `losses`.
#[pyfunction]
pub(crate) fn evaluate<'py>(
    py: Python<'py>,
    worlds: &Bound<'py, PyAny>,
    actor: &Bound<'py, PyAny>,
    reference: Option<&Bound<'py, PyAny>>,
    episodes: usize,
    seed: u64,
    random_member: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let deploy = if random_member { Deploy::UniformMember } else { Deploy::Mean };
    let policy = actor.cast::<NativePolicy>().ok().map(Bound::get);
    let teacher = policy.is_none().then_some(actor);
    let plan = Plan { worlds, teacher, reference, deploy, episodes, stream: Stream::new(seed) };
    let discrete: bool = worlds.getattr("discrete")?.extract()?;
    let evaluation = match (discrete, policy.map(NativePolicy::acting)) {
        (false, Some(Acting::Vectors(policy))) => plan.play::<f32>(py, Some(policy)),
        (true, Some(Acting::Indices(policy))) => plan.play::<u32>(py, Some(policy)),
        (false, _) => plan.play::<f32>(py, None),
        (true, _) => plan.play::<u32>(py, None),
    }?;
    described(py, &evaluation)
}

fn described<'py>(py: Python<'py>, evaluation: &Evaluation) -> PyResult<Bound<'py, PyDict>> {
    let episodes = &evaluation.episodes;
    let losses: Option<Vec<f64>> = episodes.iter().map(|episode| episode.imitation_loss).collect();
    let result = PyDict::new(py);
    result.set_item("rewards", PyArray1::from_iter(py, episodes.iter().map(|e| e.reward)))?;
    result
        .set_item("lengths", PyArray1::from_iter(py, episodes.iter().map(|e| e.length as i64)))?;
    result.set_item("losses", losses.map(|losses| PyArray1::from_vec(py, losses)))?;
    Ok(result)
}

struct Plan<'a, 'py> {
    worlds: &'a Bound<'py, PyAny>,
    teacher: Option<&'a Bound<'py, PyAny>>,
    reference: Option<&'a Bound<'py, PyAny>>,
    deploy: Deploy,
    episodes: usize,
    stream: Stream,
}

impl Plan<'_, '_> {
    fn play<A: Spoken>(
        &self,
        py: Python<'_>,
        policy: Option<&crate::trainer::Learned<A>>,
    ) -> PyResult<Evaluation> {
        let mishap = Mishap::default();
        let mut worlds = Worlds::<A>::new(self.worlds, mishap.clone())?;
        let of = |object: &Bound<'_, PyAny>| Teacher::<A>::new(object, mishap.clone());
        let mut reference = self.reference.map(of).transpose()?;
        let mut teacher = self.teacher.map(of).transpose()?;
        let (deploy, episodes, stream) = (self.deploy, self.episodes, self.stream);
        let evaluation = py.detach(|| {
            let space =
                ActionSpace { size: worlds.spaces().actions, bounds: worlds.bounds().clone() };
            let reference =
                reference.as_mut().map(|x| x as &mut dyn Expert<State = f32, Action = A>);
            match (policy, &mut teacher) {
                (Some(policy), _) => {
                    let mut actor = Deployed::new(policy, deploy);
                    tutelage::evaluate(&mut worlds, &mut actor, reference, episodes, &stream)
                }
                (None, Some(teacher)) => {
                    let mut actor = ByExpert::new(teacher, ExpertActs::Mean, &space);
                    tutelage::evaluate(&mut worlds, &mut actor, reference, episodes, &stream)
                }
                (None, None) => Err(RolloutError::NoEpisodes),
            }
        });
        evaluation.map_err(|error| mishap.exception(py, &error))
    }
}
