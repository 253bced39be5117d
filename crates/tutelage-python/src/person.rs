//! A person as the teacher of a run in Python's environments, on the page of [`tutelage_teach`].

use std::path::PathBuf;
use std::time::Duration;

use numpy::{PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use tutelage::choice::{Drive, Gate};
use tutelage::env::LaneError;
use tutelage::{Batch, Bounds, Env, EnvError, Oracle, Rng, Spaces, Step, VectorEnv};
use tutelage_draw::render::Frame;
use tutelage_runs::store::RunDir;
use tutelage_runs::{Ending, RunConfig, RunError, run_with_teacher};
use tutelage_teach::{
    About, Axis, Classroom, Controls, Person, PersonConfig, Server, ServerConfig, Show, Token, View,
};

use crate::errors::{Mishap, exception};
use crate::reporter::Listener;
use crate::trainer::Trainer;
use crate::worlds::Worlds;
use tutelage_oracles::mlp::OutputHead;

/// A `tutelage._person.Seat`: where a person sits who teaches.
pub(crate) struct Seat<'py> {
    object: Bound<'py, PyAny>,
    wishes: Wishes,
}

/// What the person wants of the page.
#[derive(FromPyObject)]
struct Wishes {
    port: u16,
    token_file: Option<PathBuf>,
    again: usize,
    grace: f64,
    pace: f64,
    task: String,
    aim: String,
    algorithm: String,
    /// Names of the actions, or of their numbers.
    names: Vec<String>,
    /// What the least and the greatest value of each number mean.
    ends: Vec<(String, String)>,
    state_names: Vec<String>,
}

/// Everyone else who takes part.
pub(crate) struct School<'a, A: OutputHead> {
    pub(crate) worlds: &'a mut Worlds<A>,
    pub(crate) trainer: &'a mut Trainer<A>,
    pub(crate) job: &'a RunConfig<'a, f32, A>,
    pub(crate) mishap: &'a Mishap,
}

impl<'py> Seat<'py> {
    /// The seat, where the teacher is a person.
    pub(crate) fn at(teacher: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        match teacher.hasattr("stage")? {
            true => Ok(Some(Self { object: teacher.clone(), wishes: teacher.extract()? })),
            false => Ok(None),
        }
    }

    /// Teaches a run through a page; the page stays, in Python's hands, when the run has ended.
    pub(crate) fn teach<A: OutputHead>(
        &self,
        py: Python<'py>,
        school: School<'_, A>,
        dir: &mut RunDir<f32, A>,
        listener: &mut Listener,
    ) -> PyResult<Result<Ending, RunError>> {
        let School { worlds, trainer, job, mishap } = school;
        let folder = dir.path().to_owned();
        let room = Classroom::new(self.about(worlds, job, &folder));
        trainer.report_to(room.training());
        self.open(py, &room)?;
        let (wishes, seat, mishap) = (&self.wishes, self.object.clone().unbind(), mishap.clone());
        let ended = py.detach(|| {
            let config = PersonConfig {
                stage: Box::new(move || Pictured::<A>::of(&seat)),
                schedule: job.schedule,
                algorithm: job.algorithm,
                repeat_every: wishes.again,
                undo_time: Duration::try_from_secs_f64(wishes.grace).unwrap_or_default(),
                wants_stop: Box::new(move || is_interrupted(&mishap)),
            };
            let mut person = Person::new(&room, config, &folder)?;
            let mut observer = room.observer(listener, &folder);
            let ended = run_with_teacher(worlds, &mut person, &*trainer, job, dir, &mut observer);
            room.end(ended.as_ref().map(|ending| *ending).map_err(ToString::to_string));
            Ok(ended)
        });
        ended.map_err(|error: tutelage_teach::PersonError| exception(py, &error))
    }

    /// Serves the room's page, and gives the page to Python.
    fn open(&self, py: Python<'py>, room: &Classroom) -> PyResult<()> {
        let token = match &self.wishes.token_file {
            Some(file) => Token::kept_in(file),
            None => Token::random(),
        };
        let token = token.map_err(|error| exception(py, &error))?;
        let server = Server::start(ServerConfig::local(self.wishes.port, token), room.site())
            .map_err(|error| exception(py, &error))?;
        let url = server.url();
        self.object.call_method1("open", (Page { server: Some(server) }, url)).map(|_| ())
    }

    fn about<A: OutputHead>(
        &self,
        worlds: &Worlds<A>,
        job: &RunConfig<'_, f32, A>,
        folder: &std::path::Path,
    ) -> About {
        let Wishes { task, aim, algorithm, names, ends, state_names, pace, .. } = &self.wishes;
        let bounds = worlds.bounds();
        let axis = |i: usize| Axis {
            name: names[i].clone(),
            low_label: ends[i].0.clone(),
            high_label: ends[i].1.clone(),
            low: bounds.low()[i],
            high: bounds.high()[i],
        };
        About {
            task: task.clone(),
            aim: aim.clone(),
            algorithm: algorithm.clone(),
            rounds: job.schedule.rounds,
            folder: folder.display().to_string(),
            controls: match ends.is_empty() {
                true => Controls::Choice(names.clone()),
                false => Controls::Axes((0..names.len().min(ends.len())).map(axis).collect()),
            },
            state_names: state_names.clone(),
            pace: *pace,
            takes_over: job.algorithm.drive == Drive::Gated(Gate::Human),
        }
    }
}

/// Whether somebody pressed Ctrl-C, which is kept until the run has ended.
fn is_interrupted(mishap: &Mishap) -> bool {
    Python::attach(|py| py.check_signals().map_err(|error| mishap.keep(py, error)).is_err())
}

/// A page, for as long as Python holds it.
#[pyclass]
pub(crate) struct Page {
    server: Option<Server>,
}

#[pymethods]
impl Page {
    /// How many requests were refused.
    #[getter]
    fn refused(&self) -> u64 {
        self.server.as_ref().map_or(0, |server| server.refused().total())
    }

    fn close(&mut self, py: Python<'_>) {
        let server = self.server.take();
        py.detach(|| drop(server));
    }
}

/// An environment whose pictures Python draws.
struct Pictured<A> {
    worlds: Worlds<A>,
    object: Py<PyAny>,
}

impl<A: OutputHead> Pictured<A> {
    /// One more environment of a seat's task; nothing where it cannot be made.
    fn of(seat: &Py<PyAny>) -> Option<Box<dyn Show<Action = A>>> {
        let made = Python::attach(|py| -> PyResult<Self> {
            let object = seat.bind(py).call_method0("stage")?;
            // What goes wrong where somebody only looks is told on the page, and stops nothing.
            let worlds = Worlds::new(&object, Mishap::default())?;
            Ok(Self { worlds, object: object.unbind() })
        });
        made.ok().map(|made| Box::new(made) as Box<dyn Show<Action = A>>)
    }

    fn copy(&self, state: &mut [f32]) {
        state.copy_from_slice(self.worlds.state(0));
    }
}

fn of_one(error: LaneError) -> EnvError {
    match error {
        LaneError::Env { source, .. } => source,
        other => EnvError::Other(other.into()),
    }
}

impl<A: OutputHead> Env for Pictured<A> {
    type State = f32;
    type Action = A;

    fn spaces(&self) -> Spaces {
        self.worlds.spaces()
    }

    fn horizon(&self) -> usize {
        self.worlds.horizon()
    }

    fn bounds(&self) -> Bounds {
        self.worlds.bounds().clone()
    }

    fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        self.worlds.reset(0, rng).map_err(of_one)?;
        self.copy(state);
        Ok(())
    }

    fn step(&mut self, action: &[A], state: &mut [f32]) -> Result<Step, EnvError> {
        let mut actions = Batch::new(action.len());
        actions.push(action);
        self.worlds.step(&[0], &actions).map_err(of_one)?;
        self.copy(state);
        Ok(self.worlds.last_step(0))
    }
}

impl<A: OutputHead> Show for Pictured<A> {
    fn look(&self) -> View {
        let png = Python::attach(|py| -> PyResult<Option<Vec<u8>>> {
            let pixels = self.object.bind(py).call_method0("picture")?;
            let pixels: PyReadonlyArray3<'_, u8> = pixels.extract()?;
            let [height, width, _] = *pixels.shape() else { return Ok(None) };
            let frame = Frame::from_rgb(width, height, pixels.as_slice()?.to_vec());
            Ok(frame.map(|frame| frame.to_png()))
        });
        // A picture that cannot be drawn is an empty one: the question can still be answered by its numbers.
        View::Png(png.ok().flatten().unwrap_or_default())
    }
}
