//! Rust's errors as Python's exceptions: the words of the command line, the exception behind them kept as the cause.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;
use tutelage::actor::RolloutError;
use tutelage::lesson::LearnError;
use tutelage_lab::LabError;
use tutelage_lab::export::ExportError;
use tutelage_runs::store::StoreError;
use tutelage_runs::{RunError, error_text};

/// The exceptions of `tutelage.errors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Spec,
    Store,
    InUse,
    Env,
    Expert,
    Oracle,
    Policy,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Spec => "SpecError",
            Self::Store => "StoreError",
            Self::InUse => "FolderInUse",
            Self::Env => "EnvError",
            Self::Expert => "ExpertError",
            Self::Oracle => "OracleError",
            Self::Policy => "PolicyError",
        }
    }

    fn of_rollout(error: &RolloutError) -> Self {
        match error {
            RolloutError::Expert(_) => Self::Expert,
            RolloutError::InvalidActions { who, .. } if who.contains("expert") => Self::Expert,
            RolloutError::InvalidActions { .. } | RolloutError::Policy(_) => Self::Policy,
            RolloutError::NoEpisodes => Self::Spec,
            _ => Self::Env,
        }
    }
}

/// An error that knows which exception it becomes.
pub(crate) trait Becomes: std::error::Error {
    fn kind(&self) -> Kind;
}

impl Becomes for RunError {
    fn kind(&self) -> Kind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Policy { .. } => Kind::Policy,
            Self::Evaluate { source, .. } => Kind::of_rollout(source),
            Self::Learn(LearnError::Collect { source, .. }) => Kind::of_rollout(source),
            Self::Learn(LearnError::Annotate { .. } | LearnError::InvalidLabel { .. }) => {
                Kind::Expert
            }
            Self::Learn(LearnError::Train { .. }) => Kind::Oracle,
            _ => Kind::Spec,
        }
    }
}

impl Becomes for LabError {
    fn kind(&self) -> Kind {
        match self {
            Self::Store(error) => error.kind(),
            Self::NoRound | Self::NoPolicy { .. } | Self::OwnProgram { .. } => Kind::Store,
            Self::Policy { .. } => Kind::Policy,
            Self::Run(error) => error.kind(),
            Self::Evaluate(error) => Kind::of_rollout(error),
            _ => Kind::Spec,
        }
    }
}

macro_rules! becomes {
    ($($error:ty => $kind:ident),* $(,)?) => {
        $(impl Becomes for $error {
            fn kind(&self) -> Kind {
                Kind::$kind
            }
        })*
    };
}

becomes! {
    ExportError => Store,
    tutelage::space::BoundsError => Spec,
    tutelage::cover::CoverError => Spec,
    tutelage::EnvError => Env,
    tutelage::env::LaneError => Env,
    tutelage::OracleError => Oracle,
    tutelage::PolicyError => Policy,
    tutelage::data::ShapeError => Policy,
    tutelage_compare::CompareError => Spec,
    tutelage_compare::FindError => Store,
    tutelage_envs::NormalizerError => Policy,
    tutelage_envs::UnknownRobot => Spec,
    tutelage_lab::CastError => Spec,
    tutelage_lab::spec::SpecError => Spec,
    tutelage_oracles::mlp::MlpSettingsError => Spec,
    tutelage_oracles::mlp::PolicyFileError => Policy,
    tutelage_draw::render::RenderError => Env,
    tutelage_teach::PersonError => Expert,
    tutelage_teach::ServerError => Spec,
    tutelage_teach::TokenError => Store,
}

impl Becomes for StoreError {
    fn kind(&self) -> Kind {
        match self {
            Self::Locked { .. } => Kind::InUse,
            _ => Kind::Store,
        }
    }
}

impl Becomes for RolloutError {
    fn kind(&self) -> Kind {
        Kind::of_rollout(self)
    }
}

/// The exception that an error becomes.
pub(crate) fn exception(py: Python<'_>, error: &impl Becomes) -> PyErr {
    raise(py, error.kind(), error_text(error), None)
}

/// The exception of this kind with these words.
pub(crate) fn raise(py: Python<'_>, kind: Kind, words: String, cause: Option<PyErr>) -> PyErr {
    let made = py.import("tutelage.errors").and_then(|module| {
        let exception = module.getattr(kind.name())?.call1((words,))?;
        Ok(PyErr::from_value(exception))
    });
    let exception = made.unwrap_or_else(|error| error);
    if cause.is_some() {
        exception.set_cause(py, cause);
    }
    exception
}

/// What a Python object raised while a run was under way, kept until the run has ended.
#[derive(Clone, Default)]
pub(crate) struct Mishap(Arc<Mutex<Option<PyErr>>>);

impl Mishap {
    /// Keeps an exception, the first of several, and says it in words.
    pub(crate) fn keep(&self, py: Python<'_>, error: PyErr) -> String {
        let value = error.value(py).to_string();
        let words = match error.get_type(py).name() {
            Ok(name) if value.is_empty() => name.to_string(),
            Ok(name) => format!("{name}: {value}"),
            Err(_) => value,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        words
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The exception that an error becomes, caused by what was kept. Whoever wanted to leave the program leaves it, and what
    /// befell several environments at once is put down to none of them.
    pub(crate) fn exception(&self, py: Python<'_>, error: &impl Becomes) -> PyErr {
        match self.take() {
            Some(cause) if leaves(py, &cause) || befell_all(py, &cause) => cause,
            cause => raise(py, error.kind(), error_text(error), cause),
        }
    }
}

fn leaves(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py) || error.is_instance_of::<PySystemExit>(py)
}

/// Whether this is our exception already, and says that no single environment is to blame.
fn befell_all(py: Python<'_>, error: &PyErr) -> bool {
    let ours = py.import("tutelage.errors").and_then(|errors| errors.getattr("EnvError"));
    let is_ours = ours.is_ok_and(|ours| error.matches(py, ours).unwrap_or(false));
    is_ours && error.value(py).getattr("lane").is_ok_and(|lane| lane.is_none())
}
