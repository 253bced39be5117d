//! Oracles and policies for learners that may see only a part of every state.

use std::sync::Arc;

use tutelage::oracle::{DurableOracle, FitProgress, TrainingSets};
use tutelage::{Batch, Dataset, Oracle, OracleError, Policy, PolicyError, Spaces, Stream};
use tutelage_envs::Normalizer;
use tutelage_lab::BoxOracle;
use tutelage_oracles::mlp::Ensemble;

use crate::python_oracle::{PythonOracle, PythonPolicy};
use tutelage_oracles::mlp::OutputHead;

/// What a learner sees of a state: some of its columns, normalised by somebody else's statistics.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lens {
    pub(crate) columns: Option<Vec<usize>>,
    pub(crate) normaliser: Option<Normalizer>,
}

impl Lens {
    /// How many numbers of a state of this width the learner sees.
    pub(crate) fn width(&self, states: usize) -> usize {
        self.columns.as_ref().map_or(states, Vec::len)
    }

    fn is_clear(&self) -> bool {
        self.columns.is_none() && self.normaliser.is_none()
    }

    /// What the learner sees of these states.
    fn view(&self, states: &Batch<f32>) -> Batch<f32> {
        let mut seen = match &self.columns {
            None => states.clone(),
            Some(columns) => {
                let mut seen = Batch::zeros(states.len(), columns.len());
                for (i, state) in states.rows().enumerate() {
                    let places = seen.row_mut(i).iter_mut().zip(columns);
                    places.for_each(|(to, &column)| *to = state[column]);
                }
                seen
            }
        };
        if let Some(normaliser) = &self.normaliser {
            (0..seen.len()).for_each(|i| normaliser.apply(seen.row_mut(i)));
        }
        seen
    }
}

/// An oracle of ours, or one in Python, for a learner that sees through a lens.
pub(crate) struct Trainer<A: OutputHead> {
    pub(crate) lens: Lens,
    pub(crate) by: By<A>,
}

pub(crate) enum By<A: OutputHead> {
    Networks(BoxOracle<A>),
    Python(PythonOracle),
}

/// What a [`Trainer`] trains.
pub(crate) struct Learned<A> {
    pub(crate) lens: Lens,
    pub(crate) by: Made<A>,
}

pub(crate) enum Made<A> {
    Networks(Ensemble<A>),
    Python(PythonPolicy<A>),
}

impl<A: OutputHead> Oracle for Trainer<A> {
    type State = f32;
    type Action = A;
    type Policy = Learned<A>;

    fn fit(
        &self,
        sets: &TrainingSets<'_, f32, A>,
        stream: &Stream,
    ) -> Result<Learned<A>, OracleError> {
        if self.lens.is_clear() {
            return self.fit_seen(sets, stream);
        }
        let data = Dataset {
            states: self.lens.view(&sets.data().states),
            actions: sets.data().actions.clone(),
        };
        let spaces = Spaces { states: self.lens.width(sets.spaces().states), ..sets.spaces() };
        let seen = sets.seen_as(&data, spaces);
        self.fit_seen(&seen.map_err(|error| OracleError::Other(error.into()))?, stream)
    }

    fn report_to(&mut self, training: Arc<FitProgress>) {
        if let By::Networks(oracle) = &mut self.by {
            oracle.report_to(training);
        }
    }
}

impl<A: OutputHead> Trainer<A> {
    fn fit_seen(
        &self,
        sets: &TrainingSets<'_, f32, A>,
        stream: &Stream,
    ) -> Result<Learned<A>, OracleError> {
        Ok(self.learned(match &self.by {
            By::Networks(oracle) => Made::Networks(oracle.fit(sets, stream)?),
            By::Python(oracle) => Made::Python(oracle.fit(sets, stream)?),
        }))
    }

    fn learned(&self, by: Made<A>) -> Learned<A> {
        Learned { lens: self.lens.clone(), by }
    }
}

impl<A: OutputHead> DurableOracle for Trainer<A> {
    fn describe(&self) -> String {
        let oracle = match &self.by {
            By::Networks(oracle) => oracle.describe(),
            By::Python(oracle) => oracle.describe(),
        };
        match &self.lens.columns {
            None => oracle,
            Some(columns) => format!("{oracle} on columns {columns:?}"),
        }
    }

    fn encode(&self, policy: &Learned<A>) -> Result<Vec<u8>, OracleError> {
        match (&self.by, &policy.by) {
            (By::Networks(oracle), Made::Networks(policy)) => oracle.encode(policy),
            (_, Made::Python(policy)) => policy.to_bytes(),
            (By::Python(_), Made::Networks(_)) => {
                Err(OracleError::Other("a policy of another oracle".into()))
            }
        }
    }

    fn decode(&self, bytes: &[u8], spaces: Spaces) -> Result<Learned<A>, OracleError> {
        let spaces = Spaces { states: self.lens.width(spaces.states), ..spaces };
        Ok(self.learned(match &self.by {
            By::Networks(oracle) => Made::Networks(oracle.decode(bytes, spaces)?),
            By::Python(oracle) => Made::Python(oracle.read(bytes, spaces)?),
        }))
    }
}

impl<A: OutputHead> Learned<A> {
    fn on<T>(&self, states: &Batch<f32>, act: impl FnOnce(&Batch<f32>) -> T) -> T {
        if self.lens.is_clear() { act(states) } else { act(&self.lens.view(states)) }
    }

    fn policy(&self) -> &dyn Policy<State = f32, Action = A> {
        match &self.by {
            Made::Networks(policy) => policy,
            Made::Python(policy) => policy,
        }
    }
}

impl<A: OutputHead> Policy for Learned<A> {
    type State = f32;
    type Action = A;

    fn members(&self) -> usize {
        self.policy().members()
    }

    fn act_members(
        &self,
        states: &Batch<f32>,
        members: &[u32],
        actions: &mut Batch<A>,
    ) -> Result<(), PolicyError> {
        self.on(states, |states| self.policy().act_members(states, members, actions))
    }

    fn act_mean(&self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), PolicyError> {
        self.on(states, |states| self.policy().act_mean(states, actions))
    }

    fn act_each(&self, states: &Batch<f32>, actions: &mut Batch<A>) -> Result<(), PolicyError> {
        self.on(states, |states| self.policy().act_each(states, actions))
    }
}
