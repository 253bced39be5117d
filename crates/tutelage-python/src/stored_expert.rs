//! Built-in experts and experts in files.

use std::path::Path;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use tutelage::{Batch, Rng, Stream, dispatch};
use tutelage_runs::error_text;
use tutelage_spec::{BoxExpert, Task, load_expert};
use tutelage_tasks::bullet::Normalizer;

use tutelage_oracles::mlp::OutputHead;

use crate::arrays::{from_array, to_array};
use crate::builtin::small_world;
use crate::errors::{ExpertError, OrRaise};

/// A built-in expert or one in a file. It takes states that are not normalized.
#[pyclass(unsendable)]
pub(crate) struct StoredExpert {
    expert: Box<dyn AnyExpert>,
    /// The task that it solves.
    #[pyo3(get)]
    task: &'static str,
    /// The width of the states that it expects.
    #[pyo3(get)]
    state_width: usize,
    /// The logarithm of the standard deviation of each action coordinate; empty without noise.
    #[pyo3(get)]
    noise: Vec<f32>,
    /// Its description in a run's log.
    #[pyo3(get)]
    description: String,
}

#[pymethods]
impl StoredExpert {
    /// The expert of this name or file. A file need not say which robot it is for: then it is for the robot `robot`.
    #[new]
    #[pyo3(signature = (name, robot))]
    fn new(name: &str, robot: Option<&str>) -> PyResult<Self> {
        match name.parse::<Task>() {
            Ok(task) if task.robot().is_none() => {
                dispatch!(task.actions(), A => Self::scripted::<A>(task))
            }
            _ => Self::network(name, robot),
        }
    }

    /// The mean action in each state.
    fn mean(&mut self, py: Python<'_>, states: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.expert.act(py, from_array(states)?, None)
    }

    /// Labels: actions with noise, which depends only on the row's seed.
    fn annotate(
        &mut self,
        py: Python<'_>,
        states: &Bound<'_, PyAny>,
        seeds: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Py<PyAny>> {
        let rng = |&seed: &u32| Stream::new(seed.into()).rng();
        self.expert.act(py, from_array(states)?, Some(seeds.as_array().iter().map(rng).collect()))
    }
}

impl StoredExpert {
    /// The scripted expert of a small world.
    fn scripted<A: OutputHead>(task: Task) -> PyResult<Self> {
        let (_, expert) = small_world::<A>(task, 1).or_raise()?;
        let width = task.bounds().map_or(1, |bounds| bounds.width());
        Ok(Self {
            expert: Box::new(Adapter { expert, normalizer: None, width }),
            task: task.name(),
            state_width: task.shape().0.states,
            noise: vec![],
            description: format!("the rule of {task}"),
        })
    }

    /// The network of a robot's expert.
    fn network(name: &str, robot: Option<&str>) -> PyResult<Self> {
        let robot = robot.map(str::parse).transpose().or_raise()?;
        let expert = load_expert(name, robot).or_raise()?;
        let task = Task::of_robot(expert.robot());
        let spaces = task.shape().0;
        let state_width = expert.time_feature().width(spaces.states);
        let (normalizer, noise) = (expert.normalizer().clone(), expert.policy().log_std().to_vec());
        // A file may be moved, so the description does not contain its path; the log identifies it by its actions.
        let is_file = Path::new(name.split(":noise=").next().unwrap_or(name)).extension().is_some();
        let description = if is_file { "a file".into() } else { format!("the shipped {name}") };
        let expert: BoxExpert<f32> = Box::new(expert);
        let adapter = Adapter { expert, normalizer: Some(normalizer), width: spaces.actions };
        let (expert, task) = (Box::new(adapter), task.name());
        Ok(Self { expert, task, state_width, noise, description })
    }
}

/// An expert with actions of any type.
trait AnyExpert {
    /// Labels with these generators, or mean actions without.
    fn act(
        &mut self,
        py: Python<'_>,
        states: Batch<f32>,
        rngs: Option<Vec<Rng>>,
    ) -> PyResult<Py<PyAny>>;
}

/// Normalizes states for an expert.
struct Adapter<A> {
    expert: BoxExpert<A>,
    normalizer: Option<Normalizer>,
    /// The width of an action.
    width: usize,
}

impl<A: OutputHead> AnyExpert for Adapter<A> {
    fn act(
        &mut self,
        py: Python<'_>,
        mut states: Batch<f32>,
        rngs: Option<Vec<Rng>>,
    ) -> PyResult<Py<PyAny>> {
        if let Some(normalizer) = &self.normalizer {
            (0..states.len()).for_each(|row| normalizer.apply(states.row_mut(row)));
        }
        let mut actions = Batch::zeros(states.len(), self.width);
        let acted = match rngs {
            Some(mut rngs) => self.expert.annotate(&states, &mut rngs, &mut actions),
            None => self.expert.mean(&states, &mut actions),
        };
        acted.map_err(|error| ExpertError::new_err(error_text(&error)))?;
        Ok(to_array(py, &actions)?.unbind())
    }
}
