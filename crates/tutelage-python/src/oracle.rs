//! Oracles and policies that see a part of the state.

use std::sync::Arc;

use pyo3::prelude::*;
use tutelage::oracle::{DurableOracle, FitProgress, TrainingSets};
use tutelage::{Batch, Dataset, Oracle, OracleError, Policy, PolicyError, Spaces, Stream};
use tutelage_oracles::mlp::{Ensemble, OutputHead};
use tutelage_spec::BoxOracle;
use tutelage_tasks::bullet::Normalizer;

use crate::errors::PyErrorSlot;
use crate::python_envs::EnvSpaces;
use crate::python_oracle::{PythonOracle, PythonPolicy};

/// What the learner observes of a state: some columns, normalized with given statistics.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObservationView {
    pub(crate) columns: Option<Vec<usize>>,
    pub(crate) normalizer: Option<Normalizer>,
}

impl ObservationView {
    /// The width of an observation, given that of a state.
    pub(crate) fn width(&self, states: usize) -> usize {
        self.columns.as_ref().map_or(states, Vec::len)
    }

    fn is_identity(&self) -> bool {
        self.columns.is_none() && self.normalizer.is_none()
    }

    fn observe(&self, states: &Batch<f32>) -> Batch<f32> {
        let mut observed = match &self.columns {
            None => states.clone(),
            Some(columns) => {
                let mut observed = Batch::zeros(states.len(), columns.len());
                for (i, state) in states.rows().enumerate() {
                    let values = observed.row_mut(i).iter_mut().zip(columns);
                    values.for_each(|(value, &column)| *value = state[column]);
                }
                observed
            }
        };
        if let Some(normalizer) = &self.normalizer {
            (0..observed.len()).for_each(|i| normalizer.apply(observed.row_mut(i)));
        }
        observed
    }
}

/// An oracle that trains on observations.
pub(crate) struct RunOracle<A: OutputHead> {
    pub(crate) view: ObservationView,
    kind: OracleKind<A>,
}

enum OracleKind<A: OutputHead> {
    Networks(BoxOracle<A>),
    Python(PythonOracle),
}

/// A policy of a [`RunOracle`].
pub(crate) struct RunPolicy<A> {
    pub(crate) view: ObservationView,
    kind: PolicyKind<A>,
}

enum PolicyKind<A> {
    Networks(Ensemble<A>),
    Python(PythonPolicy<A>),
}

impl<A: OutputHead> RunOracle<A> {
    pub(crate) fn networks(oracle: BoxOracle<A>) -> Self {
        Self { view: ObservationView::default(), kind: OracleKind::Networks(oracle) }
    }

    pub(crate) fn python(
        object: Py<PyAny>,
        description: String,
        envs: &Bound<'_, PyAny>,
        errors: PyErrorSlot,
    ) -> PyResult<Self> {
        let bounds = EnvSpaces::of(envs)?.bounds;
        let oracle = PythonOracle { object, description, bounds, errors };
        Ok(Self { view: ObservationView::default(), kind: OracleKind::Python(oracle) })
    }

    fn fit_observed(
        &self,
        sets: &TrainingSets<'_, f32, A>,
        stream: &Stream,
    ) -> Result<RunPolicy<A>, OracleError> {
        Ok(self.policy(match &self.kind {
            OracleKind::Networks(oracle) => PolicyKind::Networks(oracle.fit(sets, stream)?),
            OracleKind::Python(oracle) => PolicyKind::Python(oracle.fit(sets, stream)?),
        }))
    }

    fn policy(&self, kind: PolicyKind<A>) -> RunPolicy<A> {
        RunPolicy { view: self.view.clone(), kind }
    }
}

impl<A: OutputHead> Oracle for RunOracle<A> {
    type State = f32;
    type Action = A;
    type Policy = RunPolicy<A>;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, A>,
        stream: &Stream,
    ) -> Result<RunPolicy<A>, OracleError> {
        if self.view.is_identity() {
            return self.fit_observed(sets, stream);
        }
        let data = Dataset {
            states: self.view.observe(&sets.data().states),
            actions: sets.data().actions.clone(),
        };
        let spaces = Spaces { states: self.view.width(sets.spaces().states), ..sets.spaces() };
        let observed = sets.seen_as(&data, spaces);
        self.fit_observed(&observed.map_err(|error| OracleError::Other(error.into()))?, stream)
    }

    fn report_to(&mut self, progress: Arc<FitProgress>) {
        if let OracleKind::Networks(oracle) = &mut self.kind {
            oracle.report_to(progress);
        }
    }
}

impl<A: OutputHead> DurableOracle for RunOracle<A> {
    fn describe(&self) -> String {
        let oracle = match &self.kind {
            OracleKind::Networks(oracle) => oracle.describe(),
            OracleKind::Python(oracle) => oracle.description.clone(),
        };
        match &self.view.columns {
            None => oracle,
            Some(columns) => format!("{oracle} on columns {columns:?}"),
        }
    }

    fn encode(&self, policy: &RunPolicy<A>) -> Result<Vec<u8>, OracleError> {
        match (&self.kind, &policy.kind) {
            (OracleKind::Networks(oracle), PolicyKind::Networks(policy)) => oracle.encode(policy),
            (_, PolicyKind::Python(policy)) => policy.to_bytes(),
            (OracleKind::Python(_), PolicyKind::Networks(_)) => {
                Err(OracleError::Other("the policy belongs to another oracle".into()))
            }
        }
    }

    fn decode(&self, bytes: &[u8], spaces: Spaces) -> Result<RunPolicy<A>, OracleError> {
        let spaces = Spaces { states: self.view.width(spaces.states), ..spaces };
        Ok(self.policy(match &self.kind {
            OracleKind::Networks(oracle) => PolicyKind::Networks(oracle.decode(bytes, spaces)?),
            OracleKind::Python(oracle) => PolicyKind::Python(oracle.decode(bytes, spaces)?),
        }))
    }
}

impl<A: OutputHead> RunPolicy<A> {
    pub(crate) fn from_networks(view: ObservationView, networks: Ensemble<A>) -> Self {
        Self { view, kind: PolicyKind::Networks(networks) }
    }

    /// The networks of the policy, unless a Python oracle trained it.
    pub(crate) fn networks(&self) -> Option<&Ensemble<A>> {
        match &self.kind {
            PolicyKind::Networks(policy) => Some(policy),
            PolicyKind::Python(_) => None,
        }
    }

    fn inner(&self) -> &dyn Policy<State = f32, Action = A> {
        match &self.kind {
            PolicyKind::Networks(policy) => policy,
            PolicyKind::Python(policy) => policy,
        }
    }

    fn observed<T>(&self, states: &Batch<f32>, act: impl FnOnce(&Batch<f32>) -> T) -> T {
        if self.view.is_identity() { act(states) } else { act(&self.view.observe(states)) }
    }
}

impl<A: OutputHead> Policy for RunPolicy<A> {
    type State = f32;
    type Action = A;

    fn members(&self) -> usize {
        self.inner().members()
    }

    fn act_members(
        &self,
        states: &Batch<f32>,
        members: &[u32],
        actions: &mut Batch<A>,
    ) -> Result<(), PolicyError> {
        self.observed(states, |states| self.inner().act_members(states, members, actions))
    }

    fn act_mean(&self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), PolicyError> {
        self.observed(states, |states| self.inner().act_mean(states, actions))
    }

    fn act_each(&self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), PolicyError> {
        self.observed(states, |states| self.inner().act_each(states, actions))
    }
}
