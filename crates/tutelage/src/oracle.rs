//! Offline learning oracles 𝒪.

use crate::{Action, Element, Policy, Spaces, Stream, TrainingSets};

/// An offline learning oracle for a policy class ℬ: 𝒪(D) = argmin over h ∈ ℬ of Σ ℓ(h(s), a) over the examples of D.
///
/// It gets the E training sets of a round at once, because training members side by side is where the time goes. Member e
/// sees its own [`crate::View`] and nothing of the others. Where D is empty, a class that has an initial policy π₁ (zero,
/// or random weights) returns it. [`crate::check_oracle`] tests an implementation against this contract.
pub trait Oracle: Sync {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Action;
    /// What comes out: a policy of E members.
    type Policy: Policy<State = Self::State, Action = Self::Action>;

    /// Trains one member per training set. All randomness comes from the stream; the number of threads changes nothing.
    fn fit(
        &self,
        sets: &TrainingSets<'_, Self::State, Self::Action>,
        stream: &Stream,
    ) -> Result<Self::Policy, OracleError>;
}

/// An oracle whose policies survive the process: what `decode` makes of `encode` acts the same, to the bit.
pub trait DurableOracle: Oracle {
    /// Everything about this oracle that changes what it trains, in a line: its class and its settings. A run that is
    /// continued with another description is refused.
    fn describe(&self) -> String;

    /// The policy as bytes; equal policies have equal bytes.
    fn encode(&self, policy: &Self::Policy) -> Result<Vec<u8>, OracleError>;

    /// The policy that these bytes stand for, where it is one of this class for these spaces.
    fn decode(&self, bytes: &[u8], spaces: Spaces) -> Result<Self::Policy, OracleError>;
}

/// A boxed oracle is one too.
impl<O: Oracle + ?Sized + Send> Oracle for Box<O> {
    type State = O::State;
    type Action = O::Action;
    type Policy = O::Policy;

    fn fit(
        &self,
        sets: &TrainingSets<'_, O::State, O::Action>,
        stream: &Stream,
    ) -> Result<O::Policy, OracleError> {
        (**self).fit(sets, stream)
    }
}

impl<O: DurableOracle + ?Sized + Send> DurableOracle for Box<O> {
    fn describe(&self) -> String {
        (**self).describe()
    }

    fn encode(&self, policy: &O::Policy) -> Result<Vec<u8>, OracleError> {
        (**self).encode(policy)
    }

    fn decode(&self, bytes: &[u8], spaces: Spaces) -> Result<O::Policy, OracleError> {
        (**self).decode(bytes, spaces)
    }
}

/// Why an oracle returned no policy.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// An ensemble without members.
    #[error("0 members: an ensemble has at least 1")]
    NoMembers,
    /// A value in the data is not allowed.
    #[error("{what}, row {row}, column {column}: {value} is not allowed ({allowed})")]
    Value {
        /// "states", "labels", "perturbation states", …
        what: &'static str,
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// What stood there.
        value: String,
        /// What would have been allowed.
        allowed: &'static str,
    },
    /// The data do not have the width that the class takes.
    #[error("{what} have width {found}, the policy class takes {expected}")]
    Width {
        /// "states" or "labels".
        what: &'static str,
        /// What the class takes.
        expected: usize,
        /// What was found.
        found: usize,
    },
    /// The class cannot be trained on this kind of training set.
    #[error("this oracle cannot train on {0}")]
    Unsupported(&'static str),
    /// Something specific to this oracle.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}
