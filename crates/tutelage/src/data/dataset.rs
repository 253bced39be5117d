//! D: labeled states.

use crate::{Batch, Element, Spaces};

/// The aggregated dataset D = D₁ ∪ … ∪ Dₙ in order of arrival.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset<S, A> {
    /// The states s.
    pub states: Batch<S>,
    /// The expert's action in each.
    pub actions: Batch<A>,
}

impl<S: Element, A: Element> Dataset<S, A> {
    /// D = ∅ in these spaces.
    pub fn empty(spaces: Spaces) -> Self {
        Self {
            states: Batch::new(S::width(spaces.states)),
            actions: Batch::new(A::width(spaces.actions)),
        }
    }

    /// |D|.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether D = ∅.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// D ← D ∪ Dₙ.
    pub fn append(&mut self, other: &Self) {
        self.extend(&other.states, &other.actions);
    }

    /// D ← D ∪ Dₙ, given states and actions.
    pub fn extend(&mut self, states: &Batch<S>, actions: &Batch<A>) {
        assert_eq!(states.len(), actions.len(), "every state has one action");
        self.states.extend(states);
        self.actions.extend(actions);
    }

    /// The rows `first..last`.
    #[must_use]
    pub fn slice(&self, first: usize, last: usize) -> Self {
        Self { states: self.states.slice(first, last), actions: self.actions.slice(first, last) }
    }

    /// Splits D into rounds of K examples each. An incomplete last round is dropped.
    ///
    /// ```
    /// use tutelage::{Batch, Dataset};
    /// let data = Dataset { states: Batch::<f32>::zeros(7, 2), actions: Batch::<f32>::zeros(7, 1) };
    /// let sizes: Vec<usize> = data.rounds(3).iter().map(Dataset::len).collect();
    /// assert_eq!(sizes, [3, 3]);
    /// ```
    pub fn rounds(&self, states_per_round: usize) -> Vec<Self> {
        let k = states_per_round.max(1);
        (0..self.len() / k).map(|n| self.slice(n * k, (n + 1) * k)).collect()
    }
}
