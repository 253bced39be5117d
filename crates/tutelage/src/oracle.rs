//! Offline learning oracles 𝒪 and their training sets.

mod fit_progress;
mod training_sets;

pub use fit_progress::FitProgress;
pub use training_sets::{Costs, Perturbation, TrainingSets, TrainingSpec, View};

use std::sync::Arc;

use crate::space::{SpaceError, check_rows};
use crate::{Batch, Element, Policy, Spaces, Stream};

/// An offline learning oracle for a policy class ℬ: 𝒪(D) = argmin over h ∈ ℬ of Σ ℓ(h(s), a) over the examples of D.
///
/// It receives the E training sets of a round at once, so that it can train members in parallel. Member e depends on its own
/// [`View`] only. If D is empty, the oracle returns an initial policy π₁, such as zero or random weights.
/// [`check_oracle`](crate::check::check_oracle) tests an implementation.
///
/// ```
/// use tutelage::check::check_oracle;
/// use tutelage::oracle::{TrainingSets, View};
/// use tutelage::{Batch, Dataset, Oracle, OracleError, Policy, PolicyError, Spaces, Stream};
///
/// /// Member e always plays one action.
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
/// /// Fits the mean label of a member's training set.
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
    /// A policy of E members.
    type Policy: Policy<State = Self::State, Action = Self::Action>;

    /// Trains one member per training set. All randomness comes from the stream, whatever the number of threads.
    fn fit(
        &self,
        sets: &TrainingSets<'_, Self::State, Self::Action>,
        stream: &Stream,
    ) -> Result<Self::Policy, OracleError>;

    /// Reports the progress of later fits, if the oracle supports it.
    fn report_to(&mut self, _training: Arc<FitProgress>) {}
}

/// An oracle whose policies can be stored: a decoded policy acts like the encoded one, bit for bit.
///
/// ```
/// use tutelage::Spaces;
/// use tutelage::oracle::DurableOracle;
/// use tutelage::testing::{LinearOracle, LinearPolicy};
///
/// let (policy, spaces) = (LinearPolicy(vec![[0.5, -0.25]]), Spaces { states: 2, actions: 1 });
/// let bytes = LinearOracle.encode(&policy)?;
/// assert_eq!(LinearOracle.decode(&bytes, spaces)?, policy);
/// assert!(LinearOracle.decode(b"torn", spaces).is_err());
/// # Ok::<(), tutelage::OracleError>(())
/// ```
pub trait DurableOracle: Oracle {
    /// One line with everything that affects training: the class and its settings. A run cannot be resumed with a different
    /// description.
    fn describe(&self) -> String;

    /// Encodes a policy. Equal policies have equal bytes.
    fn encode(&self, policy: &Self::Policy) -> Result<Vec<u8>, OracleError>;

    /// Decodes a policy, and checks that it belongs to this class and these spaces.
    fn decode(&self, bytes: &[u8], spaces: Spaces) -> Result<Self::Policy, OracleError>;
}

/// Why an oracle returned no policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OracleError {
    /// The ensemble has no members.
    #[error("members is 0, expected at least 1")]
    NoMembers,
    /// Data are invalid.
    #[error("{what}")]
    Data {
        /// "states", "labels", "perturbation states", …
        what: &'static str,
        /// The cause.
        source: SpaceError,
    },
    /// The oracle does not support this kind of training set.
    #[error("this oracle cannot train on {0}")]
    Unsupported(&'static str),
    /// An error specific to this oracle.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl OracleError {
    /// An error specific to an oracle.
    pub fn other(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }

    /// Checks that `count` rows belong to a space of this size.
    pub fn check<T: Element>(
        what: &'static str,
        rows: &Batch<T>,
        count: usize,
        size: usize,
    ) -> Result<(), Self> {
        check_rows(rows, count, size).map_err(|source| Self::Data { what, source })
    }
}
