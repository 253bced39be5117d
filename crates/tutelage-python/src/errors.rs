//! Rust errors as Python exceptions.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;
use tutelage::actor::RolloutError;
use tutelage::lesson::LearnError;
use tutelage_lab::LabError;
use tutelage_runs::store::StoreError;
use tutelage_runs::{RunError, error_text};

/// The exceptions of `tutelage.errors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    Spec,
    Store,
    InUse,
    Env,
    Expert,
    Oracle,
    Policy,
}

impl ErrorKind {
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
}

/// An error that maps to an exception.
pub(crate) trait ToPyErr: Error + 'static {
    fn kind(&self) -> ErrorKind;
}

impl ToPyErr for RolloutError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Expert(_) => ErrorKind::Expert,
            Self::InvalidActions { who, .. } if who.contains("expert") => ErrorKind::Expert,
            Self::InvalidActions { .. } | Self::Policy(_) => ErrorKind::Policy,
            Self::NoEpisodes => ErrorKind::Spec,
            _ => ErrorKind::Env,
        }
    }
}

impl ToPyErr for RunError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::Policy { .. } => ErrorKind::Policy,
            Self::Evaluate { source, .. } => source.kind(),
            Self::Learn(LearnError::Collect { source, .. }) => source.kind(),
            Self::Learn(LearnError::Annotate { .. } | LearnError::InvalidLabel { .. }) => {
                ErrorKind::Expert
            }
            Self::Learn(LearnError::Train { .. }) => ErrorKind::Oracle,
            _ => ErrorKind::Spec,
        }
    }
}

impl ToPyErr for LabError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Store(error) => error.kind(),
            Self::NoRound | Self::NoPolicy { .. } | Self::CustomProgram { .. } => ErrorKind::Store,
            Self::Policy { .. } => ErrorKind::Policy,
            Self::Run(error) => error.kind(),
            Self::Evaluate(error) => error.kind(),
            _ => ErrorKind::Spec,
        }
    }
}

impl ToPyErr for StoreError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Locked { .. } => ErrorKind::InUse,
            _ => ErrorKind::Store,
        }
    }
}

macro_rules! kinds {
    ($($error:ty => $kind:ident),* $(,)?) => {
        $(impl ToPyErr for $error {
            fn kind(&self) -> ErrorKind {
                ErrorKind::$kind
            }
        })*
    };
}

kinds! {
    tutelage::space::BoundsError => Spec,
    tutelage::cover::CoverError => Spec,
    tutelage::env::LaneError => Env,
    tutelage::PolicyError => Policy,
    tutelage::OracleError => Oracle,
    tutelage_compare::BadCost => Spec,
    tutelage_compare::CompareError => Spec,
    tutelage_compare::FindError => Store,
    tutelage_compare::SaveError => Store,
    tutelage_draw::render::RenderError => Env,
    tutelage_envs::NormalizerError => Policy,
    tutelage_envs::UnknownRobot => Spec,
    tutelage_lab::PartsError => Spec,
    tutelage_lab::UnknownTask => Spec,
    tutelage_lab::export::ExportError => Store,
    tutelage_lab::spec::SpecError => Spec,
    tutelage_oracles::mlp::MlpSettingsError => Spec,
    tutelage_oracles::mlp::PolicyFileError => Policy,
    tutelage_teach::PersonError => Expert,
    tutelage_teach::ServerError => Spec,
    tutelage_teach::TokenError => Store,
}

/// The exception of an error.
pub(crate) fn exception(py: Python<'_>, error: &impl ToPyErr) -> PyErr {
    raise(py, error.kind(), error_text(error), None)
}

/// An exception of this kind.
pub(crate) fn raise(
    py: Python<'_>,
    kind: ErrorKind,
    message: String,
    cause: Option<PyErr>,
) -> PyErr {
    let made = py.import("tutelage.errors").and_then(|module| {
        let exception = module.getattr(kind.name())?.call1((message,))?;
        Ok(PyErr::from_value(exception))
    });
    let exception = made.unwrap_or_else(|error| error);
    if cause.is_some() {
        exception.set_cause(py, cause);
    }
    exception
}

/// Holds the first exception that Python code raised during a run, until the run has ended.
#[derive(Clone, Default)]
pub(crate) struct PyErrorSlot(Arc<Mutex<Option<PyErr>>>);

impl PyErrorSlot {
    /// Keeps an exception, unless there is one already, and describes it.
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

    /// The exception of a run's result: that of its error, with the kept exception as the cause, or the kept one alone.
    pub(crate) fn finish<T>(&self, py: Python<'_>, result: Result<T, impl ToPyErr>) -> PyResult<T> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (result, kept) {
            (Ok(value), None) => Ok(value),
            (Ok(_), Some(kept)) => Err(kept),
            (Err(_), Some(kept)) if is_exit(py, &kept) || is_of_no_lane(py, &kept) => Err(kept),
            (Err(error), kept) => Err(raise(py, error.kind(), error_text(&error), kept)),
        }
    }
}

fn is_exit(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py) || error.is_instance_of::<PySystemExit>(py)
}

/// Whether this is an `EnvError` of a vector environment that does not say which of its environments failed.
fn is_of_no_lane(py: Python<'_>, error: &PyErr) -> bool {
    let class = py.import("tutelage.errors").and_then(|errors| errors.getattr("EnvError"));
    let is_env_error = class.is_ok_and(|class| error.matches(py, class).unwrap_or(false));
    is_env_error && error.value(py).getattr("lane").is_ok_and(|lane| lane.is_none())
}
