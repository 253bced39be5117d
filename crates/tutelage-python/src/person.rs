//! A person as the expert of a run in Python's environments, on the page of [`tutelage_teach`].

use std::path::{Path, PathBuf};
use std::time::Duration;

use numpy::{PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use tutelage::choice::{Drive, Gate};
use tutelage::env::LaneError;
use tutelage::{Batch, Bounds, Env, EnvError, Oracle, Rng, Spaces, Step, VectorEnv};
use tutelage_draw::render::{Drawing, Frame, Render};
use tutelage_runs::store::RunDir;
use tutelage_runs::{Ending, RunConfig, RunError, error_text, run_with_teacher};
use tutelage_teach::{
    About, Axis, Classroom, Controls, Person, PersonConfig, PersonError, Server, ServerConfig,
    Token,
};

use tutelage_oracles::mlp::OutputHead;

use crate::errors::{OrRaise, PyErrorSlot};
use crate::observer::PyObserver;
use crate::oracle::RunOracle;
use crate::python_envs::PyVectorEnv;

/// A `tutelage._person.PersonExpert`: a person who teaches on a page.
pub(crate) struct PersonTeacher<'py> {
    object: Bound<'py, PyAny>,
    settings: PageSettings,
}

/// The settings of the page.
#[derive(FromPyObject)]
struct PageSettings {
    port: u16,
    token_file: Option<PathBuf>,
    repeat_every: usize,
    undo_seconds: f64,
    step_seconds: f64,
    task: String,
    goal: String,
    algorithm: String,
    /// The names of the actions, or of their coordinates.
    action_names: Vec<String>,
    /// The meanings of the lowest and the highest value of each coordinate.
    bound_labels: Vec<(String, String)>,
    state_names: Vec<String>,
}

impl<'py> PersonTeacher<'py> {
    /// The person, if the expert is one.
    pub(crate) fn of(expert: &Bound<'py, PyAny>) -> PyResult<Option<Self>> {
        if !expert.hasattr("preview_env")? {
            return Ok(None);
        }
        Ok(Some(Self { object: expert.clone(), settings: expert.extract()? }))
    }

    /// Teaches a run through a page. The page stays open after the run, until Python closes it.
    pub(crate) fn teach<A: OutputHead>(
        &self,
        py: Python<'py>,
        envs: &mut PyVectorEnv<A>,
        oracle: &mut RunOracle<A>,
        config: &RunConfig<'_, f32, A>,
        dir: &mut RunDir<f32, A>,
        observer: &mut PyObserver,
    ) -> PyResult<Result<Ending, RunError>> {
        let folder = dir.path().to_owned();
        let room = Classroom::new(self.about(envs, config, &folder));
        oracle.report_to(room.training());
        self.open(&room)?;
        let (settings, object) = (&self.settings, self.object.clone().unbind());
        let errors = observer.errors().clone();
        let ended = py.detach(|| -> Result<_, PersonError> {
            let person = PersonConfig {
                stage: Box::new(move || PreviewEnv::<A>::open(&object)),
                schedule: config.schedule,
                algorithm: config.algorithm,
                repeat_every: settings.repeat_every,
                undo_time: Duration::try_from_secs_f64(settings.undo_seconds).unwrap_or_default(),
                wants_stop: Box::new(move || is_interrupted(&errors)),
            };
            let mut person = Person::new(&room, person, &folder)?;
            let mut observer = room.observer(observer, &folder);
            let ended = run_with_teacher(envs, &mut person, &*oracle, config, dir, &mut observer);
            room.end(ended.as_ref().map(|ending| *ending).map_err(|error| error_text(error)));
            Ok(ended)
        });
        ended.or_raise()
    }

    /// Serves the page, and passes it to Python.
    fn open(&self, room: &Classroom) -> PyResult<()> {
        let token = match &self.settings.token_file {
            Some(file) => Token::kept_in(file),
            None => Token::random(),
        };
        let config = ServerConfig::local(self.settings.port, token.or_raise()?);
        let server = Server::start(config, room.site()).or_raise()?;
        let url = server.url();
        self.object.call_method1("open", (Page { server: Some(server) }, url)).map(|_| ())
    }

    fn about<A: OutputHead>(
        &self,
        envs: &PyVectorEnv<A>,
        config: &RunConfig<'_, f32, A>,
        folder: &Path,
    ) -> About {
        let settings = &self.settings;
        let (bounds, names) = (envs.bounds(), &settings.action_names);
        let axes = settings.bound_labels.iter().zip(names).enumerate();
        let axis =
            |(i, ((low_label, high_label), name)): (usize, (&(String, String), &String))| Axis {
                name: name.clone(),
                low_label: low_label.clone(),
                high_label: high_label.clone(),
                low: bounds.low()[i],
                high: bounds.high()[i],
            };
        About {
            task: settings.task.clone(),
            aim: settings.goal.clone(),
            algorithm: settings.algorithm.clone(),
            rounds: config.schedule.rounds,
            folder: folder.display().to_string(),
            controls: match settings.bound_labels.is_empty() {
                true => Controls::Choice(names.clone()),
                false => Controls::Axes(axes.map(axis).collect()),
            },
            state_names: settings.state_names.clone(),
            pace: settings.step_seconds,
            takes_over: config.algorithm.drive == Drive::Gated(Gate::Human),
        }
    }
}

/// Whether Ctrl-C was pressed. The exception is kept until the run has ended.
fn is_interrupted(errors: &PyErrorSlot) -> bool {
    Python::attach(|py| py.check_signals().map_err(|error| errors.keep(py, error)).is_err())
}

/// A served page. It closes when Python drops it.
#[pyclass]
pub(crate) struct Page {
    server: Option<Server>,
}

#[pymethods]
impl Page {
    fn close(&mut self, py: Python<'_>) {
        let server = self.server.take();
        py.detach(|| drop(server));
    }
}

/// A separate environment that Python renders, for previews and clips.
struct PreviewEnv<A> {
    envs: PyVectorEnv<A>,
    object: Py<PyAny>,
}

impl<A: OutputHead> PreviewEnv<A> {
    /// Another environment of the task, or `None` if it cannot be made.
    fn open(expert: &Py<PyAny>) -> Option<Box<dyn Render<Action = A>>> {
        let made = Python::attach(|py| -> PyResult<Self> {
            let object = expert.bind(py).call_method0("preview_env")?;
            // An error in a preview appears on the page and does not stop the run.
            let envs = PyVectorEnv::new(&object, PyErrorSlot::default())?;
            Ok(Self { envs, object: object.unbind() })
        });
        made.ok().map(|made| Box::new(made) as Box<dyn Render<Action = A>>)
    }

    fn read<T>(&self, result: Result<T, LaneError>, state: &mut [f32]) -> Result<T, EnvError> {
        let value = result.map_err(|error| match error {
            LaneError::Env { source, .. } => source,
            other => EnvError::Other(other.into()),
        })?;
        state.copy_from_slice(self.envs.state(0));
        Ok(value)
    }
}

impl<A: OutputHead> Env for PreviewEnv<A> {
    type State = f32;
    type Action = A;

    fn spaces(&self) -> Spaces {
        self.envs.spaces()
    }

    fn horizon(&self) -> usize {
        self.envs.horizon()
    }

    fn bounds(&self) -> Bounds {
        self.envs.bounds().clone()
    }

    fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        let reset = self.envs.reset(0, rng);
        self.read(reset, state)
    }

    fn step(&mut self, action: &[A], state: &mut [f32]) -> Result<Step, EnvError> {
        let mut actions = Batch::new(action.len());
        actions.push(action);
        let stepped = self.envs.step(&[0], &actions).map(|()| self.envs.last_step(0));
        self.read(stepped, state)
    }
}

impl<A: OutputHead> Render for PreviewEnv<A> {
    fn render(&self) -> Drawing {
        let frame = Python::attach(|py| -> PyResult<Option<Frame>> {
            let pixels = self.object.bind(py).call_method0("image")?;
            let pixels: PyReadonlyArray3<'_, u8> = pixels.extract()?;
            let [height, width, _] = *pixels.shape() else { return Ok(None) };
            Ok(Frame::from_rgb(width, height, pixels.as_slice()?.to_vec()))
        });
        // Without an image, the question can still be answered from its numbers.
        Drawing::Frame(frame.ok().flatten().unwrap_or_default())
    }
}
