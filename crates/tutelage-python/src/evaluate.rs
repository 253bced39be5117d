//! Full episodes of a policy or an expert in Python's environments.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tutelage::actor::{DeployedPolicy, ExpertActor, RolloutError};
use tutelage::choice::{Deploy, ExpertActs};
use tutelage::evaluation::Evaluation;
use tutelage::{ActionSpace, Expert, Stream, VectorEnv};
use tutelage_lab::{BoxEnvs, LabError, Task};

use crate::errors::Mishap;
use crate::policy::{Acting, NativePolicy};
use crate::shipped::{index_envs, shipped, vector_envs};
use crate::teacher::Teacher;
use crate::trainer::Learned;
use crate::worlds::Worlds;
use tutelage_oracles::mlp::OutputHead;

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
    let mishap = Mishap::default();
    let stream = Stream::new(seed);
    let trial = Trial { mishap: &mishap, teacher, reference, deploy, episodes, stream };
    let discrete: bool = worlds.getattr("discrete")?.extract()?;
    let acting = policy.map(NativePolicy::acting);
    let evaluation = match discrete {
        false => {
            let policy = acting.and_then(|acting| match acting {
                Acting::Vectors(policy) => Some(policy),
                Acting::Indices(_) => None,
            });
            trial.play(py, Scene::of(worlds, &mishap)?, vector_envs, policy)
        }
        true => {
            let policy = acting.and_then(|acting| match acting {
                Acting::Indices(policy) => Some(policy),
                Acting::Vectors(_) => None,
            });
            trial.play(py, Scene::of(worlds, &mishap)?, index_envs, policy)
        }
    }?;
    described(py, &evaluation)
}

/// The environments of a `tutelage._worlds.Worlds`, or what makes them where it only names a task that ships.
enum Scene<A> {
    Python(Worlds<A>),
    Shipped(Task, usize),
}

impl<A: OutputHead> Scene<A> {
    fn of(worlds: &Bound<'_, PyAny>, mishap: &Mishap) -> PyResult<Self> {
        Ok(match shipped(worlds)? {
            None => Self::Python(Worlds::new(worlds, mishap.clone())?),
            Some((task, count)) => Self::Shipped(task, count),
        })
    }
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

struct Trial<'a, 'py> {
    mishap: &'a Mishap,
    teacher: Option<&'a Bound<'py, PyAny>>,
    reference: Option<&'a Bound<'py, PyAny>>,
    deploy: Deploy,
    episodes: usize,
    stream: Stream,
}

impl Trial<'_, '_> {
    fn play<A: OutputHead>(
        &self,
        py: Python<'_>,
        scene: Scene<A>,
        make: fn(Task, usize) -> Result<BoxEnvs<A>, LabError>,
        policy: Option<&Learned<A>>,
    ) -> PyResult<Evaluation> {
        let of = |object: &Bound<'_, PyAny>| Teacher::<A>::new(object, self.mishap.clone());
        let mut reference = self.reference.map(of).transpose()?;
        let mut teacher = self.teacher.map(of).transpose()?;
        let (deploy, episodes, stream) = (self.deploy, self.episodes, self.stream);
        let evaluation = py.detach(|| {
            let mut worlds: BoxEnvs<A> = match scene {
                Scene::Python(worlds) => Box::new(worlds),
                Scene::Shipped(task, count) => make(task, count)?,
            };
            let space =
                ActionSpace { size: worlds.spaces().actions, bounds: worlds.bounds().clone() };
            let reference =
                reference.as_mut().map(|x| x as &mut dyn Expert<State = f32, Action = A>);
            match (policy, &mut teacher) {
                (Some(policy), _) => {
                    let mut actor = DeployedPolicy::new(policy, deploy);
                    tutelage::evaluation::evaluate(
                        &mut worlds,
                        &mut actor,
                        reference,
                        episodes,
                        &stream,
                    )
                }
                (None, Some(teacher)) => {
                    let mut actor = ExpertActor::new(teacher, ExpertActs::Mean, &space);
                    tutelage::evaluation::evaluate(
                        &mut worlds,
                        &mut actor,
                        reference,
                        episodes,
                        &stream,
                    )
                }
                (None, None) => Err(RolloutError::NoEpisodes),
            }
            .map_err(LabError::from)
        });
        evaluation.map_err(|error| self.mishap.exception(py, &error))
    }
}
