//! Offline learning oracles 𝒪.

mod fit_progress;
mod training_sets;

pub use fit_progress::FitProgress;
pub use training_sets::{Costs, Perturbation, TrainingSets, TrainingSpec, View};

use std::sync::Arc;

use crate::{Element, Policy, Spaces, Stream};

/// An offline learning oracle for a policy class ℬ: 𝒪(D) = argmin over h ∈ ℬ of Σ ℓ(h(s), a) over the examples of D.
///
/// It gets the E training sets of a round at once, because training members side by side is where the time goes. Member e
/// sees its own [`crate::oracle::View`] and nothing of the others. Where D is empty, a class that has an initial policy π₁ (zero,
/// or random weights) returns it. [`crate::check::check_oracle`] tests an implementation against this contract.
///
/// ```
/// # use tutelage::{algorithm::*, check::*, env::*, evaluation::*, expert::*, lesson::*, oracle::*, policy::*, space::*, *};
///
/// /// A policy that does the same everywhere.
/// struct Constant(Vec<f32>);
///
/// impl Policy for Constant {
///     type State = f32;
///     type Action = f32;
///     fn members(&self) -> usize { self.0.len() }
///     fn act_members(&self, _: &Batch<f32>, members: &[u32], actions: &mut Batch<f32>) -> Result<(), PolicyError> {
///         (0..members.len()).for_each(|i| actions.row_mut(i)[0] = self.0[members[i] as usize]);
///         Ok(())
///     }
/// }
///
/// /// Fits the average of the labels that a member sees.
/// struct Average;
///
/// impl Oracle for Average {
///     type State = f32;
///     type Action = f32;
///     type Policy = Constant;
///     fn fit(&self, sets: &TrainingSets<'_, f32, f32>, _: &Stream) -> Result<Constant, OracleError> {
///         let labels = &sets.data().actions;
///         let member = |e: usize| -> f32 {
///             let rows: Vec<u32> = match sets.view(e) {
///                 View::Resampled(rows) => rows,
///                 _ => (0..labels.len() as u32).collect(),
///             };
///             let sum: f32 = rows.iter().map(|&row| labels.row(row as usize)[0].clamp(-1.0, 1.0)).sum();
///             sum / rows.len().max(1) as f32
///         };
///         Ok(Constant((0..sets.members()).map(member).collect()))
///     }
/// }
///
/// let spaces = Spaces { states: 1, actions: 1 };
/// let states = Batch::from_vec(1, vec![0.0, 1.0, 2.0])?;
/// let actions = Batch::from_vec(1, vec![0.5, -0.5, 0.3])?;
/// check_oracle(&Average, &Dataset { states, actions }, spaces, Stream::new(1))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Oracle: Sync {
    /// What states are made of.
    type State: Element;
    /// What actions are made of.
    type Action: Element;
    /// What comes out: a policy of E members.
    type Policy: Policy<State = Self::State, Action = Self::Action>;

    /// Trains one member per training set. All randomness comes from the stream; the number of threads changes nothing.
    fn fit(
        &self,
        sets: &TrainingSets<'_, Self::State, Self::Action>,
        stream: &Stream,
    ) -> Result<Self::Policy, OracleError>;

    /// From now on tells how far a fit has come, where it can.
    fn report_to(&mut self, training: Arc<FitProgress>) {
        let _ = training;
    }
}

/// An oracle whose policies survive the process: what `decode` makes of `encode` acts the same, to the bit.
///
/// ```
/// use tutelage::{OracleError, Spaces};
/// use tutelage::oracle::DurableOracle;
/// # use tutelage::{algorithm::*, check::*, env::*, evaluation::*, expert::*, lesson::*, oracle::*, policy::*, space::*, *};
/// # #[derive(Debug, PartialEq)]
/// # struct Constant(Vec<f32>);
/// # impl Policy for Constant {
/// #     type State = f32;
/// #     type Action = f32;
/// #     fn members(&self) -> usize { self.0.len() }
/// #     fn act_members(&self, _: &Batch<f32>, members: &[u32], actions: &mut Batch<f32>) -> Result<(), PolicyError> {
/// #         (0..members.len()).for_each(|i| actions.row_mut(i)[0] = self.0[members[i] as usize]);
/// #         Ok(())
/// #     }
/// # }
/// # struct Average;
/// # impl Oracle for Average {
/// #     type State = f32;
/// #     type Action = f32;
/// #     type Policy = Constant;
/// #     fn fit(&self, sets: &TrainingSets<'_, f32, f32>, _: &Stream) -> Result<Constant, OracleError> {
/// #         Ok(Constant(vec![0.0; sets.members()]))
/// #     }
/// # }
///
/// // The oracle and the policy of the example above: a number for each member.
/// impl DurableOracle for Average {
///     fn describe(&self) -> String {
///         "the average label".into()
///     }
///     fn encode(&self, policy: &Constant) -> Result<Vec<u8>, OracleError> {
///         Ok(policy.0.iter().flat_map(|action| action.to_le_bytes()).collect())
///     }
///     fn decode(&self, bytes: &[u8], _: Spaces) -> Result<Constant, OracleError> {
///         match bytes.as_chunks::<4>() {
///             (members @ [_, ..], []) => Ok(Constant(members.iter().map(|&member| f32::from_le_bytes(member)).collect())),
///             _ => Err(OracleError::Other("not a number for each member".into())),
///         }
///     }
/// }
///
/// let (policy, spaces) = (Constant(vec![0.5, -0.25]), Spaces { states: 1, actions: 1 });
/// assert_eq!(Average.decode(&Average.encode(&policy)?, spaces)?, policy);
/// assert!(Average.decode(b"torn", spaces).is_ok() && Average.decode(b"to", spaces).is_err());
/// # Ok::<(), OracleError>(())
/// ```
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

    fn report_to(&mut self, training: Arc<FitProgress>) {
        (**self).report_to(training);
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
#[non_exhaustive]
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
