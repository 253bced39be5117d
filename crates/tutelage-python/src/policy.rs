//! Learned policies as Python objects.

use std::any::Any;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensors, serialize};
use tutelage::{Batch, Bounds, Policy, PolicyError, dispatch};
use tutelage_files::check_safetensors_header;
use tutelage_oracles::mlp::{Ensemble, OutputHead, PolicyFileError};
use tutelage_spec::export::{Interface, onnx};
use tutelage_tasks::bullet::Normalizer;

use crate::arrays::{from_array, to_array, to_env_units};
use crate::errors::{self, OrRaise};
use crate::oracle::{ObservationView, RunPolicy};
use crate::python_envs::{EnvSpaces, action_kind};

/// A policy that maps flat observations to actions in the environment's units.
#[pyclass(frozen)]
pub(crate) struct NativePolicy {
    policy: Box<dyn AnyPolicy>,
    /// The width of an observation.
    states: usize,
    bounds: Bounds,
}

/// The tensor of a policy file that describes the task.
const TASK: &str = "task";

/// From this number of states on, a policy acts without the interpreter's lock.
const MANY_STATES: usize = 256;

/// Whose actions to return.
enum Members {
    /// The mean or the majority vote of all members.
    Mean,
    /// For each row, those of the given member.
    Of(Vec<u32>),
    /// Those of every member: row i·E + e is that of member e in state i.
    All,
}

/// A [`RunPolicy`] with actions of any type.
trait AnyPolicy: Any + Send + Sync {
    fn members(&self) -> usize;
    fn view(&self) -> &ObservationView;
    fn act(
        &self,
        py: Python<'_>,
        states: &Batch<f32>,
        members: Members,
        bounds: &Bounds,
    ) -> PyResult<Py<PyAny>>;
    fn to_safetensors(&self) -> Option<Result<Vec<u8>, PolicyFileError>>;
    fn to_onnx(&self, interface: &Interface) -> Option<Vec<u8>>;
}

impl<A: OutputHead> AnyPolicy for RunPolicy<A> {
    fn members(&self) -> usize {
        Policy::members(self)
    }

    fn view(&self) -> &ObservationView {
        &self.view
    }

    fn act(
        &self,
        py: Python<'_>,
        states: &Batch<f32>,
        members: Members,
        bounds: &Bounds,
    ) -> PyResult<Py<PyAny>> {
        let rows = if let Members::All = members { 0 } else { states.len() };
        let mut actions = Batch::<A>::zeros(rows, bounds.width().max(A::width(1)));
        let mut act = || -> Result<(), PolicyError> {
            match &members {
                Members::Mean => self.act_mean(states, &mut actions),
                Members::Of(members) => self.act_members(states, members, &mut actions),
                Members::All => self.act_each(states, &mut actions),
            }
        };
        if states.len() < MANY_STATES { act() } else { py.detach(act) }.or_raise()?;
        Ok(to_array(py, &to_env_units(bounds, actions))?.unbind())
    }

    fn to_safetensors(&self) -> Option<Result<Vec<u8>, PolicyFileError>> {
        Some(self.networks()?.to_safetensors())
    }

    fn to_onnx(&self, interface: &Interface) -> Option<Vec<u8>> {
        Some(onnx(self.networks()?, interface))
    }
}

impl NativePolicy {
    pub(crate) fn new<A: OutputHead>(policy: RunPolicy<A>, states: usize, bounds: Bounds) -> Self {
        Self { policy: Box::new(policy), states, bounds }
    }

    /// The policy of stored networks. Their widths must fit the spaces, since files may be damaged.
    pub(crate) fn from_bytes<A: OutputHead>(
        bytes: &[u8],
        spaces: &EnvSpaces,
        view: ObservationView,
    ) -> PyResult<Self> {
        let networks = Ensemble::<A>::from_safetensors(bytes).or_raise()?;
        let (states, columns) = (spaces.spaces.states, view.columns.iter().flatten());
        let expected = [view.width(states), spaces.spaces.actions];
        let layout = networks.network().layout();
        let found = [layout.inputs(), layout.outputs()];
        let fits = columns.into_iter().all(|&column| column < states)
            && view.normalizer.as_ref().is_none_or(|n| n.width() == expected[0])
            && found == expected;
        if !fits {
            let message = format!("its networks have the widths {found:?}, expected {expected:?}");
            return Err(errors::PolicyError::new_err(message));
        }
        Ok(Self::new(RunPolicy::from_networks(view, networks), states, spaces.bounds.clone()))
    }

    /// The policy, if its actions have this type.
    pub(crate) fn downcast<A: OutputHead>(&self) -> Option<&RunPolicy<A>> {
        (&*self.policy as &dyn Any).downcast_ref()
    }
}

#[pymethods]
impl NativePolicy {
    /// The task description in the bytes of a policy file.
    #[staticmethod]
    fn task(bytes: &[u8]) -> PyResult<String> {
        split_task(bytes).map(|(task, _)| task).or_raise()
    }

    /// The policy in the bytes of a policy file.
    #[new]
    #[pyo3(signature = (bytes, spaces, columns=None, normalizer=None))]
    fn load(
        bytes: &[u8],
        spaces: &Bound<'_, PyAny>,
        columns: Option<Vec<usize>>,
        normalizer: Option<(Vec<f64>, Vec<f64>)>,
    ) -> PyResult<Self> {
        let normalizer =
            normalizer.map(|(mean, var)| Normalizer::new(mean, var)).transpose().or_raise()?;
        let (_, networks) = split_task(bytes).or_raise()?;
        let (kind, spaces) = (action_kind(spaces)?, EnvSpaces::of(spaces)?);
        let view = ObservationView { columns, normalizer };
        dispatch!(kind, A => Self::from_bytes::<A>(&networks, &spaces, view))
    }

    /// E.
    #[getter]
    fn members(&self) -> usize {
        self.policy.members()
    }

    /// The mean and the variance that normalize observations before the networks see them.
    #[getter]
    fn normalizer(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let normalizer = self.policy.view().normalizer.as_ref()?;
        Some((normalizer.mean().to_vec(), normalizer.var().to_vec()))
    }

    /// The action in each state: the mean or vote of all members, or that of the member given for each row.
    #[pyo3(signature = (states, members=None))]
    fn actions(
        &self,
        py: Python<'_>,
        states: &Bound<'_, PyAny>,
        members: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<Py<PyAny>> {
        let members = members.map_or(Members::Mean, |of| Members::Of(of.as_array().to_vec()));
        self.policy.act(py, &from_array(states)?, members, &self.bounds)
    }

    /// Every member's action in every state: row i·E + e is that of member e in state i.
    fn all_actions(&self, py: Python<'_>, states: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.policy.act(py, &from_array(states)?, Members::All, &self.bounds)
    }

    /// The policy as a safetensors file that contains the task description.
    fn to_safetensors<'py>(&self, py: Python<'py>, task: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.policy.to_safetensors().ok_or_else(no_networks)?.or_raise()?;
        Ok(PyBytes::new(py, &with_task(&bytes, task).or_raise()?))
    }

    /// The policy as an ONNX model.
    fn to_onnx<'py>(
        &self,
        py: Python<'py>,
        names: Vec<(String, String)>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let ObservationView { columns, normalizer } = self.policy.view().clone();
        let bounds = self.bounds.clone();
        let interface =
            Interface { observation: self.states, columns, normaliser: normalizer, bounds, names };
        let bytes = self.policy.to_onnx(&interface).ok_or_else(no_networks)?;
        Ok(PyBytes::new(py, &bytes))
    }
}

fn no_networks() -> PyErr {
    let message = "the policy of an oracle in Python is stored by its own to_bytes";
    errors::PolicyError::new_err(message)
}

/// Adds the task description to a safetensors file.
fn with_task(bytes: &[u8], task: &str) -> Result<Vec<u8>, PolicyFileError> {
    let tensors = SafeTensors::deserialize(bytes)?;
    let (_, header) = SafeTensors::read_metadata(bytes)?;
    let mut views = tensors.tensors();
    views.push((TASK.into(), TensorView::new(Dtype::U8, vec![task.len()], task.as_bytes())?));
    Ok(serialize(views, header.metadata().clone())?)
}

/// The task description of a safetensors file, and the file without it.
fn split_task(bytes: &[u8]) -> Result<(String, Vec<u8>), PolicyFileError> {
    check_safetensors_header(bytes)?;
    let tensors = SafeTensors::deserialize(bytes)?;
    let (_, header) = SafeTensors::read_metadata(bytes)?;
    let task = String::from_utf8_lossy(tensors.tensor(TASK)?.data()).into_owned();
    let mut views = tensors.tensors();
    views.retain(|(name, _)| name != TASK);
    Ok((task, serialize(views, header.metadata().clone())?))
}
