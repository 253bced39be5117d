//! Experts that ship and experts in files, for Gymnasium environments whose spaces fit.

use std::fmt;
use std::path::Path;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use tutelage::{Batch, Bounds, Expert, ExpertError, Rng, SpaceKind, Spaces, Stream};
use tutelage_envs::Normalizer;
use tutelage_lab::{BoxExpert, CastError, Task, load_expert};

use crate::arrays::{rows, to_array};
use crate::errors::{Kind, exception, raise};
use crate::shipped::{shipped, world};
use crate::worlds::action_space;
use tutelage_oracles::mlp::OutputHead;

/// An expert that ships or lies in a file, asked about states as the environment has them.
#[pyclass(unsendable)]
pub(crate) struct StoredExpert {
    mind: Mind,
    /// How many numbers an answer has.
    width: usize,
    /// What tells it from experts with the same mean action.
    noise: Vec<f32>,
    description: String,
}

enum Mind {
    Vectors(BoxExpert<f32>, Option<Normalizer>),
    Indices(BoxExpert<u32>),
}

#[pymethods]
impl StoredExpert {
    /// The expert of this name, or in this file, for environments with the spaces of `worlds`.
    #[new]
    fn new(py: Python<'_>, name: &str, worlds: &Bound<'_, PyAny>) -> PyResult<Self> {
        let wanted = Shape::of_worlds(worlds)?;
        let found = match name.parse::<Task>() {
            Ok(task) if task.robot().is_none() => Found::rule(py, task, worlds)?,
            _ => Found::network(py, name, &wanted, worlds)?,
        };
        if found.shape != wanted {
            let words = format!("it knows {}; {} has {wanted}", found.shape, of(worlds)?);
            return Err(raise(py, Kind::Spec, format!("expert = \"{name}\": {words}"), None));
        }
        let width = wanted.bounds.map_or(1, |bounds| bounds.width());
        let Found { mind, noise, description, .. } = found;
        Ok(Self { mind, width, noise, description })
    }

    /// What a run notes of it.
    #[getter]
    fn description(&self) -> &str {
        &self.description
    }

    /// The logarithm of the noise on each coordinate of its answers; nothing where it has none.
    #[getter]
    fn noise(&self) -> Vec<f32> {
        self.noise.clone()
    }

    /// Its own action in each state, without noise.
    fn mean(&mut self, py: Python<'_>, states: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let states = rows(states)?;
        match &mut self.mind {
            Mind::Vectors(expert, normaliser) => {
                let states = seen(states, normaliser.as_ref());
                answer(py, room(&states, self.width), |actions| expert.mean(&states, actions))
            }
            Mind::Indices(expert) => {
                answer(py, room(&states, self.width), |actions| expert.mean(&states, actions))
            }
        }
    }

    /// What it says in each state; the noise of a row comes from that row's seed alone.
    fn annotate(
        &mut self,
        py: Python<'_>,
        states: &Bound<'_, PyAny>,
        seeds: PyReadonlyArray1<'_, u32>,
    ) -> PyResult<Py<PyAny>> {
        let states = rows(states)?;
        let seeds = seeds.as_array();
        let mut rngs: Vec<Rng> = seeds.iter().map(|&seed| Stream::new(seed.into()).rng()).collect();
        match &mut self.mind {
            Mind::Vectors(expert, normaliser) => {
                let states = seen(states, normaliser.as_ref());
                answer(py, room(&states, self.width), |actions| {
                    expert.annotate(&states, &mut rngs, actions)
                })
            }
            Mind::Indices(expert) => answer(py, room(&states, self.width), |actions| {
                expert.annotate(&states, &mut rngs, actions)
            }),
        }
    }
}

/// The states as the expert sees them.
fn seen(mut states: Batch<f32>, normaliser: Option<&Normalizer>) -> Batch<f32> {
    if let Some(normaliser) = normaliser {
        (0..states.len()).for_each(|row| normaliser.apply(states.row_mut(row)));
    }
    states
}

/// Room for as many answers as there are states.
fn room<A: OutputHead>(states: &Batch<f32>, width: usize) -> Batch<A> {
    Batch::zeros(states.len(), width)
}

fn answer<A: OutputHead>(
    py: Python<'_>,
    mut actions: Batch<A>,
    ask: impl FnOnce(&mut Batch<A>) -> Result<(), ExpertError>,
) -> PyResult<Py<PyAny>> {
    ask(&mut actions).map_err(|error| raise(py, Kind::Expert, error.to_string(), None))?;
    Ok(to_array(py, actions.as_slice(), actions.width())?.unbind())
}

/// An expert, before it is known whether it fits.
struct Found {
    mind: Mind,
    shape: Shape,
    noise: Vec<f32>,
    description: String,
}

impl Found {
    /// The rule of a world, for that world alone: another of the same name and sizes may have other units.
    fn rule(py: Python<'_>, task: Task, worlds: &Bound<'_, PyAny>) -> PyResult<Self> {
        if shipped(worlds)?.is_none_or(|(found, _)| found != task) {
            let words = format!(
                "expert = \"{task}\": a rule that knows the task {task} and its units alone; {} is another",
                of(worlds)?
            );
            return Err(raise(py, Kind::Spec, words, None));
        }
        let mind = match task.actions() {
            SpaceKind::Continuous => world(task, 1).map(|(_, rule)| Mind::Vectors(rule, None)),
            SpaceKind::Discrete => world(task, 1).map(|(_, rule)| Mind::Indices(rule)),
        };
        let mind = mind.map_err(|error| exception(py, &error))?;
        Ok(Self {
            mind,
            shape: Shape::of(task),
            noise: vec![],
            description: format!("the rule of {task}"),
        })
    }

    /// The network of a robot: files do not say much about themselves, so the robot is the one whose spaces the environment has.
    fn network(
        py: Python<'_>,
        name: &str,
        wanted: &Shape,
        worlds: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let robot = Task::all().find(|task| task.robot().is_some() && Shape::of(*task) == *wanted);
        let expert = match load_expert(name, robot) {
            Err(CastError::Expert { .. }) if robot.is_none() => {
                let words = format!(
                    "files hold experts of the four robots, and {} has the spaces of none: {wanted}; a model of another \
                     environment is loaded with its own library and given as an object with .predict",
                    of(worlds)?
                );
                return Err(raise(py, Kind::Spec, format!("expert = \"{name}\": {words}"), None));
            }
            expert => expert.map_err(|error| exception(py, &error))?,
        };
        let mut shape = Shape::of(Task::of_robot(expert.robot()));
        shape.spaces.states = expert.time_feature().width(shape.spaces.states);
        let (normaliser, noise) = (expert.normalizer().clone(), expert.policy().log_std().to_vec());
        // A file may be moved; what it holds is known by its answers.
        let is_file = Path::new(name.split(":noise=").next().unwrap_or(name)).extension().is_some();
        let description = if is_file { "a file".into() } else { format!("the shipped {name}") };
        let mind = Mind::Vectors(Box::new(expert), Some(normaliser));
        Ok(Self { mind, shape, noise, description })
    }
}

fn of(worlds: &Bound<'_, PyAny>) -> PyResult<String> {
    worlds.getattr("name")?.extract()
}

/// What is seen, and what is done: indices, or vectors in a box.
struct Shape {
    spaces: Spaces,
    bounds: Option<Bounds>,
}

impl Shape {
    fn of(task: Task) -> Self {
        Self { spaces: task.shape().0, bounds: task.bounds() }
    }

    fn of_worlds(worlds: &Bound<'_, PyAny>) -> PyResult<Self> {
        let discrete: bool = worlds.getattr("discrete")?.extract()?;
        let (actions, bounds) = action_space(worlds)?;
        let spaces = Spaces { states: worlds.getattr("state_width")?.extract()?, actions };
        Ok(Self { spaces, bounds: (!discrete).then_some(bounds) })
    }
}

impl PartialEq for Shape {
    /// Whether a box clips is its owner's affair.
    fn eq(&self, other: &Self) -> bool {
        let ends = |shape: &Self| {
            shape.bounds.as_ref().map(|bounds| [bounds.low().to_vec(), bounds.high().to_vec()])
        };
        self.spaces == other.spaces && ends(self) == ends(other)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spaces { states, actions } = self.spaces;
        write!(f, "states of {states} numbers and ")?;
        match &self.bounds {
            None => write!(f, "one of {actions} actions"),
            Some(bounds) => {
                let mut ends: Vec<_> = bounds.low().iter().zip(bounds.high()).collect();
                ends.dedup();
                let ends: Vec<_> =
                    ends.iter().map(|(low, high)| format!("[{low}, {high}]")).collect();
                write!(f, "actions of {actions} numbers within {}", ends.join(", "))
            }
        }
    }
}
