//! A learned policy as a Python object.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensorError, SafeTensors, serialize};
use tutelage::{Batch, Bounds, Policy, PolicyError};
use tutelage_envs::Normalizer;
use tutelage_files::check_safetensors_header;
use tutelage_lab::export::{Interface, onnx};
use tutelage_oracles::mlp::{Ensemble, OutputHead, PolicyFileError};

use crate::arrays::{own, rows, to_array};
use crate::errors::{Kind, exception, raise};
use crate::trainer::{Learned, Lens, Made};
use crate::worlds::action_space;

/// A policy that takes observations as flat rows of numbers and acts in the environment's own units.
#[pyclass(frozen)]
pub(crate) struct NativePolicy {
    acting: Acting,
    /// The width of an observation.
    states: usize,
    bounds: Bounds,
}

/// A policy whose actions are of either kind.
pub(crate) enum Acting {
    Vectors(Learned<f32>),
    Indices(Learned<u32>),
}

impl From<Learned<f32>> for Acting {
    fn from(learned: Learned<f32>) -> Self {
        Self::Vectors(learned)
    }
}

impl From<Learned<u32>> for Acting {
    fn from(learned: Learned<u32>) -> Self {
        Self::Indices(learned)
    }
}

/// The tensor that says what the policy is of; it is no part of the networks.
const TASK: &str = "task";

macro_rules! of_each {
    ($acting:expr, $learned:ident => $value:expr) => {
        match $acting {
            Acting::Vectors($learned) => $value,
            Acting::Indices($learned) => $value,
        }
    };
}

impl NativePolicy {
    pub(crate) fn new(acting: Acting, states: usize, bounds: Bounds) -> Self {
        Self { acting, states, bounds }
    }

    pub(crate) fn acting(&self) -> &Acting {
        &self.acting
    }

    fn mean<A: OutputHead>(
        &self,
        py: Python<'_>,
        learned: &Learned<A>,
        states: &Batch<f32>,
    ) -> PyResult<Py<PyAny>> {
        let mut actions = self.room(states.len());
        self.act(py, actions.len(), || learned.act_mean(states, &mut actions))?;
        self.spoken(py, actions)
    }

    fn of_members<A: OutputHead>(
        &self,
        py: Python<'_>,
        learned: &Learned<A>,
        states: &Batch<f32>,
        members: &[u32],
    ) -> PyResult<Py<PyAny>> {
        let mut actions = self.room(states.len());
        self.act(py, actions.len(), || learned.act_members(states, members, &mut actions))?;
        self.spoken(py, actions)
    }

    fn each<A: OutputHead>(
        &self,
        py: Python<'_>,
        learned: &Learned<A>,
        states: &Batch<f32>,
    ) -> PyResult<Py<PyAny>> {
        let mut actions = self.room(0);
        self.act(py, states.len(), || learned.act_each(states, &mut actions))?;
        self.spoken(py, actions)
    }

    fn room<A: OutputHead>(&self, rows: usize) -> Batch<A> {
        Batch::zeros(rows, self.bounds.width().max(A::width(1)))
    }

    /// Acts without the interpreter's lock where there is much to do.
    fn act(
        &self,
        py: Python<'_>,
        states: usize,
        act: impl FnOnce() -> Result<(), PolicyError> + Send,
    ) -> PyResult<()> {
        const MANY: usize = 256;
        let acted = if states < MANY { act() } else { py.detach(act) };
        acted.map_err(|error| exception(py, &error))
    }

    fn spoken<A: OutputHead>(&self, py: Python<'_>, actions: Batch<A>) -> PyResult<Py<PyAny>> {
        let actions = own(&self.bounds, actions);
        Ok(to_array(py, actions.as_slice(), actions.width())?.unbind())
    }

    /// Whether networks, lens and spaces fit together: a file may say anything.
    pub(crate) fn check(&self, py: Python<'_>, actions: usize) -> PyResult<()> {
        let (lens, widths) = of_each!(&self.acting, learned => {
            let layout = networks(py, learned)?.network().layout();
            (&learned.lens, [layout.inputs(), layout.outputs()])
        });
        let columns = lens.columns.iter().flatten();
        let fits = columns.into_iter().all(|&column| column < self.states)
            && lens.normaliser.as_ref().is_none_or(|n| n.width() == lens.width(self.states))
            && widths == [lens.width(self.states), actions];
        if fits {
            return Ok(());
        }
        let words = format!("its networks are of widths {widths:?}, which its spaces are not");
        Err(raise(py, Kind::Policy, words, None))
    }

    fn interface(&self, lens: &Lens, names: Vec<(String, String)>) -> Interface {
        Interface {
            observation: self.states,
            columns: lens.columns.clone(),
            normaliser: lens.normaliser.clone(),
            bounds: self.bounds.clone(),
            names,
        }
    }
}

#[pymethods]
impl NativePolicy {
    /// What a file says that its policy is of.
    #[staticmethod]
    fn read(py: Python<'_>, bytes: &[u8]) -> PyResult<String> {
        task_of(bytes).map_err(|error| exception(py, &error))
    }

    /// The policy in these bytes, for these spaces.
    #[new]
    #[pyo3(signature = (bytes, spaces, columns=None, normaliser=None))]
    fn load(
        py: Python<'_>,
        bytes: &[u8],
        spaces: &Bound<'_, PyAny>,
        columns: Option<Vec<usize>>,
        normaliser: Option<(Vec<f64>, Vec<f64>)>,
    ) -> PyResult<Self> {
        let normaliser = normaliser.map(|(mean, var)| Normalizer::new(mean, var)).transpose();
        let normaliser = normaliser.map_err(|error| exception(py, &error))?;
        let networks = networks_of(bytes).map_err(|error| exception(py, &error))?;
        let discrete: bool = spaces.getattr("discrete")?.extract()?;
        let states: usize = spaces.getattr("state_width")?.extract()?;
        let (size, bounds) = action_space(spaces)?;
        let lens = Lens { columns, normaliser };
        let policy = Self::new(acting(py, &networks, discrete, lens)?, states, bounds);
        policy.check(py, size)?;
        Ok(policy)
    }

    /// E.
    #[getter]
    fn members(&self) -> usize {
        of_each!(&self.acting, learned => learned.members())
    }

    /// Whether it is made of networks of ours, which can be stored and exported.
    #[getter]
    fn is_networks(&self) -> bool {
        of_each!(&self.acting, learned => matches!(learned.by, Made::Networks(_)))
    }

    /// The mean and the variance that observations are normalised by before the policy sees them.
    #[getter]
    fn normaliser(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let normaliser = of_each!(&self.acting, learned => learned.lens.normaliser.as_ref())?;
        Some((normaliser.mean().to_vec(), normaliser.var().to_vec()))
    }

    /// The action in each state: the members' mean or vote, or that of the member given for each row.
    #[pyo3(signature = (states, members=None))]
    fn actions(
        &self,
        py: Python<'_>,
        states: &Bound<'_, PyAny>,
        members: Option<PyReadonlyArray1<'_, u32>>,
    ) -> PyResult<Py<PyAny>> {
        let states = rows(states)?;
        match members {
            None => of_each!(&self.acting, learned => self.mean(py, learned, &states)),
            Some(members) => {
                let members = members.as_array().to_vec();
                of_each!(&self.acting, learned => self.of_members(py, learned, &states, &members))
            }
        }
    }

    /// Every member's action in every state: row i·E + e is member e's in state i.
    fn all_actions(&self, py: Python<'_>, states: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let states = rows(states)?;
        of_each!(&self.acting, learned => self.each(py, learned, &states))
    }

    /// The policy as a safetensors file that says what it is of.
    fn to_safetensors<'py>(&self, py: Python<'py>, task: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = of_each!(&self.acting, learned => stored(py, learned, task))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The policy as an ONNX model.
    fn to_onnx<'py>(
        &self,
        py: Python<'py>,
        names: Vec<(String, String)>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = of_each!(&self.acting, learned => {
            onnx(networks(py, learned)?, &self.interface(&learned.lens, names))
        });
        Ok(PyBytes::new(py, &bytes))
    }
}

/// The policy in these bytes, seen through a lens.
pub(crate) fn acting(py: Python<'_>, bytes: &[u8], discrete: bool, lens: Lens) -> PyResult<Acting> {
    fn learned<A: OutputHead>(py: Python<'_>, bytes: &[u8], lens: Lens) -> PyResult<Learned<A>> {
        let policy = Ensemble::from_safetensors(bytes).map_err(|error| exception(py, &error))?;
        Ok(Learned { lens, by: Made::Networks(policy) })
    }
    Ok(match discrete {
        false => Acting::Vectors(learned(py, bytes, lens)?),
        true => Acting::Indices(learned(py, bytes, lens)?),
    })
}

fn networks<'a, A>(py: Python<'_>, learned: &'a Learned<A>) -> PyResult<&'a Ensemble<A>> {
    match &learned.by {
        Made::Networks(policy) => Ok(policy),
        Made::Python(_) => {
            let words = "a policy of an oracle in Python is stored by its own to_bytes";
            Err(raise(py, Kind::Policy, words.into(), None))
        }
    }
}

fn stored<A: OutputHead>(py: Python<'_>, learned: &Learned<A>, task: &str) -> PyResult<Vec<u8>> {
    let bytes = networks(py, learned)?.to_safetensors();
    let bytes = bytes.map_err(|error| exception(py, &error))?;
    with_task(&bytes, task).map_err(|error| raise(py, Kind::Policy, error.to_string(), None))
}

/// The same file with a tensor of bytes that says what the policy is of.
fn with_task(bytes: &[u8], task: &str) -> Result<Vec<u8>, SafeTensorError> {
    let tensors = SafeTensors::deserialize(bytes)?;
    let (_, header) = SafeTensors::read_metadata(bytes)?;
    let mut views = tensors.tensors();
    views.push((TASK.into(), TensorView::new(Dtype::U8, vec![task.len()], task.as_bytes())?));
    serialize(views, header.metadata().clone())
}

/// What a file says that its policy is of.
fn task_of(bytes: &[u8]) -> Result<String, PolicyFileError> {
    check_safetensors_header(bytes)?;
    let tensors = SafeTensors::deserialize(bytes)?;
    Ok(String::from_utf8_lossy(tensors.tensor(TASK)?.data()).into_owned())
}

/// The file without what it says that its policy is of.
fn networks_of(bytes: &[u8]) -> Result<Vec<u8>, PolicyFileError> {
    check_safetensors_header(bytes)?;
    let tensors = SafeTensors::deserialize(bytes)?;
    let (_, header) = SafeTensors::read_metadata(bytes)?;
    let mut views = tensors.tensors();
    views.retain(|(name, _)| name != TASK);
    Ok(serialize(views, header.metadata().clone())?)
}
