//! Rust errors as Python exceptions.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::import_exception;
use pyo3::prelude::*;
use tutelage::actor::RolloutError;
use tutelage::lesson::LearnError;
use tutelage_runs::{RunError, error_text, store};
use tutelage_spec::LabError;

import_exception!(tutelage.errors, EnvError);
import_exception!(tutelage.errors, ExpertError);
import_exception!(tutelage.errors, ExpertLeft);
import_exception!(tutelage.errors, FolderInUse);
import_exception!(tutelage.errors, OracleError);
import_exception!(tutelage.errors, PolicyError);
import_exception!(tutelage.errors, SpecError);
import_exception!(tutelage.errors, StoreError);

/// The constructor of an exception from its message.
type Constructor = fn(String) -> PyErr;

/// An error that maps to an exception.
pub(crate) trait ToPyErr: Error + 'static {
    fn constructor(&self) -> Constructor;

    fn to_py_err(&self) -> PyErr
    where
        Self: Sized,
    {
        self.constructor()(error_text(self))
    }
}

/// Raises the exception of an error.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: ToPyErr> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| error.to_py_err())
    }
}

impl ToPyErr for RolloutError {
    fn constructor(&self) -> Constructor {
        match self {
            Self::Expert(_) => ExpertError::new_err,
            Self::InvalidActions { who, .. } if who.contains("expert") => ExpertError::new_err,
            Self::InvalidActions { .. } | Self::Policy(_) => PolicyError::new_err,
            Self::NoEpisodes => SpecError::new_err,
            _ => EnvError::new_err,
        }
    }
}

impl ToPyErr for RunError {
    fn constructor(&self) -> Constructor {
        match self {
            Self::Store(error) => error.constructor(),
            Self::Policy { .. } => PolicyError::new_err,
            Self::Evaluate { source, .. } => source.constructor(),
            Self::Learn(LearnError::Collect { source, .. }) => source.constructor(),
            Self::Learn(LearnError::Annotate { .. } | LearnError::InvalidLabel { .. }) => {
                ExpertError::new_err
            }
            Self::Learn(LearnError::Train { .. }) => OracleError::new_err,
            _ => SpecError::new_err,
        }
    }
}

impl ToPyErr for LabError {
    fn constructor(&self) -> Constructor {
        match self {
            Self::Store(error) => error.constructor(),
            Self::NoRound | Self::NoPolicy { .. } | Self::CustomProgram(_) => StoreError::new_err,
            Self::Policy { .. } => PolicyError::new_err,
            Self::Run(error) => error.constructor(),
            Self::Evaluate(error) => error.constructor(),
            _ => SpecError::new_err,
        }
    }
}

impl ToPyErr for store::StoreError {
    fn constructor(&self) -> Constructor {
        match self {
            Self::Locked { .. } => FolderInUse::new_err,
            _ => StoreError::new_err,
        }
    }
}

macro_rules! exceptions {
    ($($error:ty => $exception:ident),* $(,)?) => {
        $(impl ToPyErr for $error {
            fn constructor(&self) -> Constructor {
                $exception::new_err
            }
        })*
    };
}

exceptions! {
    tutelage::space::BoundsError => SpecError,
    tutelage::cover::CoverError => SpecError,
    tutelage::env::LaneError => EnvError,
    tutelage::PolicyError => PolicyError,
    tutelage::OracleError => OracleError,
    tutelage_compare::BadCost => SpecError,
    tutelage_compare::CompareError => SpecError,
    tutelage_compare::FindError => StoreError,
    tutelage_compare::SaveError => StoreError,
    tutelage_draw::render::RenderError => EnvError,
    tutelage_tasks::bullet::NormalizerError => PolicyError,
    tutelage_tasks::bullet::UnknownRobot => SpecError,
    tutelage_spec::PartsError => SpecError,
    tutelage_spec::UnknownTask => SpecError,
    tutelage_spec::export::ExportError => StoreError,
    tutelage_spec::spec::SpecError => SpecError,
    tutelage_oracles::mlp::MlpSettingsError => SpecError,
    tutelage_oracles::mlp::PolicyFileError => PolicyError,
    tutelage_teach::PersonError => ExpertError,
    tutelage_teach::ServerError => SpecError,
    tutelage_teach::TokenError => StoreError,
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
            (result, None) => result.or_raise(),
            (Ok(_), Some(kept)) => Err(kept),
            (Err(_), Some(kept)) if is_exit(py, &kept) || is_of_no_lane(py, &kept) => Err(kept),
            (Err(error), kept) => {
                let exception = error.to_py_err();
                exception.set_cause(py, kept);
                Err(exception)
            }
        }
    }
}

fn is_exit(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py) || error.is_instance_of::<PySystemExit>(py)
}

/// Whether this is an `EnvError` of a vector environment that does not say which of its environments failed.
fn is_of_no_lane(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<EnvError>(py)
        && error.value(py).getattr("lane").is_ok_and(|lane| lane.is_none())
}
