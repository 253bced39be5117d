//! Oracles that are written in Python.

use std::marker::PhantomData;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use rand::Rng as _;
use tutelage::oracle::{TrainingSets, View};
use tutelage::space::check_rows;
use tutelage::{ActionSpace, Batch, Bounds, OracleError, Policy, PolicyError, Spaces, Stream};

use tutelage_oracles::mlp::OutputHead;

use crate::arrays::{from_array, to_array, to_env_units};
use crate::errors::PyErrorSlot;

/// A `tutelage.Oracle`: an object with `fit(data, members, seed)` and `from_bytes(bytes)`.
pub(crate) struct PythonOracle {
    pub(crate) object: Py<PyAny>,
    pub(crate) description: String,
    pub(crate) bounds: Bounds,
    pub(crate) errors: PyErrorSlot,
}

/// Its policy: an object with `act(obs, member)` and `to_bytes()`.
pub(crate) struct PythonPolicy<A> {
    object: Py<PyAny>,
    members: usize,
    space: ActionSpace,
    errors: PyErrorSlot,
    action: PhantomData<fn() -> A>,
}

/// Calls Python, and keeps an exception in the slot.
fn call<T>(
    errors: &PyErrorSlot,
    call: impl FnOnce(Python<'_>) -> PyResult<T>,
) -> Result<T, Box<dyn std::error::Error + Send + Sync>> {
    Python::attach(|py| call(py).map_err(|error| errors.keep(py, error).into()))
}

impl PythonOracle {
    /// Trains all members in one call.
    pub(crate) fn fit<A: OutputHead>(
        &self,
        sets: &TrainingSets<'_, f32, A>,
        stream: &Stream,
    ) -> Result<PythonPolicy<A>, OracleError> {
        let (members, seed) = (sets.members(), stream.rng().next_u32());
        let object = call(&self.errors, |py| {
            let data = self.training_data(py, sets)?;
            Ok(self.object.bind(py).call_method1("fit", (data, members, seed))?.unbind())
        });
        Ok(self.policy(object.map_err(OracleError::Other)?, members, sets.spaces()))
    }

    /// A `tutelage.TrainingData`: D, and the training set of each member.
    fn training_data<'py, A: OutputHead>(
        &self,
        py: Python<'py>,
        sets: &TrainingSets<'_, f32, A>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let pair = |states: &Batch<f32>, actions: Batch<A>| {
            let actions = to_env_units(&self.bounds, actions);
            Ok::<_, PyErr>((to_array(py, states)?, to_array(py, &actions)?))
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
        let (states, actions) = pair(&data.states, data.actions.clone())?;
        let training_data = py.import("tutelage._oracles")?.getattr("TrainingData")?;
        training_data.call1((states, actions, PyList::new(py, members?)?))
    }

    /// The policy of these bytes: the number of members, then the object's own bytes.
    pub(crate) fn decode<A: OutputHead>(
        &self,
        bytes: &[u8],
        spaces: Spaces,
    ) -> Result<PythonPolicy<A>, OracleError> {
        let Some((count, bytes)) = bytes.split_first_chunk::<4>() else {
            return Err(OracleError::Other("the stored policy has fewer than 4 bytes".into()));
        };
        let object = call(&self.errors, |py| {
            let bytes = PyBytes::new(py, bytes);
            Ok(self.object.bind(py).call_method1("from_bytes", (bytes,))?.unbind())
        });
        let members = u32::from_le_bytes(*count).max(1) as usize;
        Ok(self.policy(object.map_err(OracleError::Other)?, members, spaces))
    }

    fn policy<A>(&self, object: Py<PyAny>, members: usize, spaces: Spaces) -> PythonPolicy<A> {
        PythonPolicy {
            object,
            members,
            space: ActionSpace { size: spaces.actions, bounds: self.bounds.clone() },
            errors: self.errors.clone(),
            action: PhantomData,
        }
    }
}

impl<A: OutputHead> PythonPolicy<A> {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, OracleError> {
        let bytes: Vec<u8> =
            call(&self.errors, |py| self.object.bind(py).call_method0("to_bytes")?.extract())
                .map_err(OracleError::Other)?;
        Ok([&(self.members as u32).to_le_bytes()[..], &bytes].concat())
    }

    /// The actions of one member, in [-1, 1]ⁿ unless they are indices.
    fn act(&self, states: &Batch<f32>, member: u32) -> Result<Batch<A>, PolicyError> {
        let actions = call(&self.errors, |py| {
            let act = py.import("tutelage._oracles")?.getattr("act")?;
            from_array(&act.call1((
                &self.object,
                to_array(py, states)?,
                member,
                self.space.size,
            ))?)
        });
        let mut actions = actions.map_err(PolicyError::Other)?;
        check_rows(&actions, states.len(), self.space.size)
            .map_err(|error| PolicyError::Other(format!("member {member}: {error}").into()))?;
        A::to_unit(&self.space.bounds, &mut actions);
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
            for (row, action) in rows.into_iter().zip(acted.rows()) {
                actions.row_mut(row).copy_from_slice(action);
            }
        }
        Ok(())
    }
}
