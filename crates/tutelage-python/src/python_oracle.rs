//! Oracles that are written in Python.

use std::marker::PhantomData;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use rand::Rng as _;
use tutelage::oracle::{TrainingSets, View};
use tutelage::{Batch, Bounds, OracleError, Policy, PolicyError, Spaces, Stream};

use crate::arrays::{from_array, matrix, own, to_array};
use crate::errors::Mishap;
use tutelage_oracles::mlp::OutputHead;

/// An object with `fit(data, members, seed)` and `from_bytes(bytes)`.
pub(crate) struct PythonOracle {
    pub(crate) object: Py<PyAny>,
    pub(crate) description: String,
    pub(crate) bounds: Bounds,
    pub(crate) mishap: Mishap,
}

/// What it returns: an object with `act(obs, member)` and `to_bytes()`.
pub(crate) struct PythonPolicy<A> {
    object: Py<PyAny>,
    members: usize,
    size: usize,
    bounds: Bounds,
    mishap: Mishap,
    action: PhantomData<fn() -> A>,
}

impl PythonOracle {
    pub(crate) fn describe(&self) -> String {
        self.description.clone()
    }

    /// Trains all members in one call.
    pub(crate) fn fit<A: OutputHead>(
        &self,
        sets: &TrainingSets<'_, f32, A>,
        stream: &Stream,
    ) -> Result<PythonPolicy<A>, OracleError> {
        let (members, seed) = (sets.members(), stream.rng().next_u32());
        let object = Python::attach(|py| {
            let policy = self.training_data(py, sets).and_then(|data| {
                let policy = self.object.bind(py).call_method1("fit", (data, members, seed))?;
                Ok(policy.unbind())
            });
            policy.map_err(|error| OracleError::Other(self.mishap.keep(py, error).into()))
        })?;
        Ok(self.policy(object, members, sets.spaces()))
    }

    /// `tutelage._oracles.TrainingData`: D, and what each member is to train on.
    fn training_data<'py, A: OutputHead>(
        &self,
        py: Python<'py>,
        sets: &TrainingSets<'_, f32, A>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pair = |states: &Batch<f32>, actions: Batch<A>| {
            let actions = own(&self.bounds, actions);
            let width = actions.width();
            Ok::<_, PyErr>((
                matrix(py, states.as_slice(), states.width())?,
                to_array(py, actions.as_slice(), width)?,
            ))
        };
        let data = sets.data();
        let of_member = |e: usize| match sets.view(e) {
            View::Resampled(rows) => {
                let rows: Vec<usize> = rows.into_iter().map(|row| row as usize).collect();
                pair(&data.states.select(&rows), data.actions.select(&rows))
            }
            View::Extended(more) => {
                let (mut states, mut actions) = (data.states.clone(), data.actions.clone());
                for (row, &copies) in more.copies.iter().enumerate() {
                    for _ in 0..copies {
                        states.push(more.states.row(row));
                        actions.push(more.actions.row(row));
                    }
                }
                pair(&states, actions)
            }
            View::All | View::Costed(_) => pair(&data.states, data.actions.clone()),
        };
        let members: PyResult<Vec<_>> = (0..sets.members()).map(of_member).collect();
        let all = pair(&data.states, data.actions.clone())?;
        let training_data = py.import("tutelage._oracles")?.getattr("TrainingData")?;
        training_data.call1((all.0, all.1, PyList::new(py, members?)?))
    }

    pub(crate) fn read<A: OutputHead>(
        &self,
        bytes: &[u8],
        spaces: Spaces,
    ) -> Result<PythonPolicy<A>, OracleError> {
        let (count, bytes) = bytes.split_at_checked(4).ok_or_else(too_short)?;
        let members = u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize;
        let object = Python::attach(|py| {
            let policy = self.object.bind(py);
            let policy = policy.call_method1("from_bytes", (PyBytes::new(py, bytes),));
            let failed = |error| OracleError::Other(self.mishap.keep(py, error).into());
            policy.map(Bound::unbind).map_err(failed)
        })?;
        Ok(self.policy(object, members.max(1), spaces))
    }

    fn policy<A>(&self, object: Py<PyAny>, members: usize, spaces: Spaces) -> PythonPolicy<A> {
        PythonPolicy {
            object,
            members,
            size: spaces.actions,
            bounds: self.bounds.clone(),
            mishap: self.mishap.clone(),
            action: PhantomData,
        }
    }
}

fn too_short() -> OracleError {
    OracleError::Other("a stored policy of fewer than 4 bytes".into())
}

impl<A: OutputHead> PythonPolicy<A> {
    /// The number of members, then what the object says of itself.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, OracleError> {
        Python::attach(|py| {
            let bytes = self.object.bind(py).call_method0("to_bytes");
            let bytes = bytes.and_then(|bytes| bytes.extract::<Vec<u8>>());
            let bytes =
                bytes.map_err(|error| OracleError::Other(self.mishap.keep(py, error).into()))?;
            Ok([&(self.members as u32).to_le_bytes()[..], &bytes].concat())
        })
    }

    /// What one member does in these states, in [-1, 1]ⁿ where actions are vectors.
    fn act(&self, states: &Batch<f32>, member: u32) -> Result<Batch<A>, PolicyError> {
        let actions = Python::attach(|py| {
            let actions = matrix(py, states.as_slice(), states.width()).and_then(|states| {
                let checked = py.import("tutelage._oracles")?.getattr("act")?;
                let count = self.size;
                from_array(&checked.call1((self.object.bind(py), states, member, count))?)
            });
            actions.map_err(|error| PolicyError::Other(self.mishap.keep(py, error).into()))
        });
        let mut actions = actions?;
        PolicyError::check_rows("actions", states.len(), actions.len())?;
        PolicyError::check_width("actions", A::width(self.size), actions.width())?;
        if let Some((row, index, value)) = actions.misfit(self.size) {
            let allowed = A::allowed(self.size);
            let words = format!(
                "member {member} acted with {value} in row {row}, place {index}; allowed: {allowed}"
            );
            return Err(PolicyError::Other(words.into()));
        }
        A::to_unit(&self.bounds, &mut actions);
        A::clip(actions.as_mut_slice());
        Ok(actions)
    }
}

impl<A: OutputHead> Policy for PythonPolicy<A> {
    type State = f32;
    type Action = A;

    fn members(&self) -> usize {
        self.members
    }

    fn act_members(
        &self,
        states: &Batch<f32>,
        members: &[u32],
        actions: &mut Batch<A>,
    ) -> Result<(), PolicyError> {
        PolicyError::check_rows("members", states.len(), members.len())?;
        PolicyError::check_rows("actions", states.len(), actions.len())?;
        if let Some(&member) = members.iter().find(|&&member| member as usize >= self.members) {
            return Err(PolicyError::Member { member, members: self.members });
        }
        for member in 0..self.members as u32 {
            let rows: Vec<usize> = (0..members.len()).filter(|&i| members[i] == member).collect();
            if rows.is_empty() {
                continue;
            }
            let acted = self.act(&states.select(&rows), member)?;
            for (at, &row) in rows.iter().enumerate() {
                actions.row_mut(row).copy_from_slice(acted.row(at));
            }
        }
        Ok(())
    }
}
