//! The training rows of a member, as lists of indices.
//!
//! The dataset D is copied only to standardize it, once for all members.

use std::borrow::Cow;

use tutelage::oracle::{Perturbation, View};
use tutelage::{Batch, Dataset, Element, OracleError, Spaces};
use tutelage_net::{ExampleSource, Loss, copy_row};

use super::head::OutputHead;
use crate::standardize::{Standardize, Standardizer};

/// The most rows of a training set, copies counted.
const MAX_ROWS: usize = 1 << 28;

/// A training set has too many rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the training set has {rows} rows (copies counted); at most {MAX_ROWS} are supported")]
pub struct TrainingSetTooLarge {
    /// The number of rows.
    pub rows: u64,
}

/// The dataset D as the networks see it, standardized if requested.
pub(crate) struct EncodedData<'a, A> {
    spaces: Spaces,
    states: Cow<'a, Batch<f32>>,
    labels: &'a Batch<A>,
    pub(crate) standardizer: Option<Standardizer>,
}

impl<'a, A: Element> EncodedData<'a, A> {
    /// Checks D against the spaces and standardizes it if requested.
    pub(crate) fn new(
        data: &'a Dataset<f32, A>,
        spaces: Spaces,
        standardize: Standardize,
    ) -> Result<Self, OracleError> {
        let count = data.states.len();
        OracleError::check("states", &data.states, count, spaces.states)?;
        OracleError::check("labels", &data.actions, count, spaces.actions)?;
        check_count(count as u64)?;
        let standardizer = standardize.statistics(&data.states);
        let mut states = Cow::Borrowed(&data.states);
        if let Some(standardizer) = &standardizer {
            standardizer.apply(states.to_mut());
        }
        Ok(Self { spaces, states, labels: &data.actions, standardizer })
    }
}

/// The examples of a member: those of D, then its own perturbation examples.
pub(crate) struct Examples<'a, A> {
    states: &'a Batch<f32>,
    labels: &'a Batch<A>,
    shared: usize,
    own: Option<&'a Perturbation<f32, A>>,
}

impl<'a, A: Element> Examples<'a, A> {
    /// Returns the examples of a view, and its training set as a list of example indices.
    ///
    /// Standardizes the view's own states in place.
    pub(crate) fn of_view(
        data: &'a EncodedData<'a, A>,
        view: &'a mut View<f32, A>,
    ) -> Result<(Self, Vec<u32>), OracleError> {
        let (states, labels, shared) = (&*data.states, data.labels, data.states.len());
        let all = 0..shared as u32;
        match view {
            View::All => Ok((Self { states, labels, shared, own: None }, all.collect())),
            View::Resampled(rows) => {
                Ok((Self { states, labels, shared, own: None }, std::mem::take(rows)))
            }
            View::Extended(own) => {
                let count = own.states.len();
                OracleError::check("perturbation states", &own.states, count, data.spaces.states)?;
                OracleError::check(
                    "perturbation labels",
                    &own.actions,
                    count,
                    data.spaces.actions,
                )?;
                check_count(
                    own.copies.iter().fold(shared as u64, |sum, &c| sum.saturating_add(c)),
                )?;
                if let Some(standardizer) = &data.standardizer {
                    standardizer.apply(&mut own.states);
                }
                let copies =
                    own.copies.iter().zip(all.end..).flat_map(|(&n, row)| (0..n).map(move |_| row));
                let rows = all.clone().chain(copies).collect();
                Ok((Self { states, labels, shared, own: Some(own) }, rows))
            }
            View::Costed(_) => Err(costs_unsupported()),
        }
    }

    /// Returns the state and the label of an example.
    #[inline(always)]
    pub(crate) fn get(&self, example: u32) -> (&[f32], &[A]) {
        let row = example as usize;
        match self.own {
            Some(own) if row >= self.shared => {
                (own.states.row(row - self.shared), own.actions.row(row - self.shared))
            }
            _ => (self.states.row(row), self.labels.row(row)),
        }
    }
}

impl<A: OutputHead> ExampleSource for Examples<'_, A> {
    const LOSS: Loss = A::LOSS;

    #[inline(always)]
    fn write(&self, example: u32, input: &mut [f32], target: &mut [f32]) {
        let (state, label) = self.get(example);
        copy_row(state, input);
        A::write_target(label, target);
    }
}

/// Returns the error for random costs: these classes learn from labels only.
pub(crate) fn costs_unsupported() -> OracleError {
    OracleError::Unsupported(
        "random costs on a separator set; networks and affine maps learn from labels only",
    )
}

fn check_count(rows: u64) -> Result<(), OracleError> {
    if rows > MAX_ROWS as u64 {
        return Err(OracleError::other(TrainingSetTooLarge { rows }));
    }
    Ok(())
}
