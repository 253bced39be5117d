//! The rows a member trains on, seen through index lists: D itself is copied only to standardise it, once for all members.

use std::borrow::Cow;

use tutelage::{Action, Batch, Dataset, OracleError, Perturbation, Spaces, View};
use tutelage_net::{ExampleSource, Loss, copy_row};

use super::head::OutputHead;
use crate::standardize::{Standardize, Standardizer};

/// The most rows a training set may have once every example is counted as often as it says.
const MAX_ROWS: usize = 1 << 28;

/// A training set of `rows` rows is too large to list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a training set of {rows} rows (copies counted); allowed are at most {MAX_ROWS}")]
pub struct TrainingSetTooLarge {
    /// How many rows there would be.
    pub rows: u64,
}

/// States and labels do not pair up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{states} states but {labels} labels: every state has one")]
pub struct UnpairedLabels {
    /// How many states there are.
    pub states: usize,
    /// How many labels there are.
    pub labels: usize,
}

/// D as the networks see it.
pub(crate) struct EncodedData<'a, A> {
    spaces: Spaces,
    states: Cow<'a, Batch<f32>>,
    labels: &'a Batch<A>,
    pub(crate) standardizer: Option<Standardizer>,
}

impl<'a, A: Action> EncodedData<'a, A> {
    /// D, which must have the widths of the task, as many labels as states, and only values that its spaces hold.
    pub(crate) fn new(
        data: &'a Dataset<f32, A>,
        spaces: Spaces,
        standardize: Standardize,
    ) -> Result<Self, OracleError> {
        check(&data.states, spaces.states, "states")?;
        check(&data.actions, spaces.actions, "labels")?;
        check_count(data.len() as u64)?;
        if data.states.len() != data.actions.len() {
            let (states, labels) = (data.states.len(), data.actions.len());
            return Err(OracleError::Other(Box::new(UnpairedLabels { states, labels })));
        }
        let standardizer = standardize.statistics(&data.states);
        let mut states = Cow::Borrowed(&data.states);
        if let Some(standardizer) = &standardizer {
            standardizer.apply(states.to_mut());
        }
        Ok(Self { spaces, states, labels: &data.actions, standardizer })
    }
}

/// The examples that rows are drawn from: D, then the member's own.
pub(crate) struct Examples<'a, A> {
    states: &'a Batch<f32>,
    labels: &'a Batch<A>,
    shared: usize,
    own: Option<&'a Perturbation<f32, A>>,
}

impl<'a, A: Action> Examples<'a, A> {
    /// The examples of a view, and the rows of its training set as a list of example numbers. A view's own states become what the
    /// networks see of them.
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
                check(&own.states, data.spaces.states, "perturbation states")?;
                check(&own.actions, data.spaces.actions, "perturbation labels")?;
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

    /// State and label of an example.
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

/// Costs of actions are no labels, and these classes learn from labels.
pub(crate) fn costs_unsupported() -> OracleError {
    OracleError::Unsupported(
        "random costs on a separator set: networks and affine maps learn from labels",
    )
}

fn check_count(rows: u64) -> Result<(), OracleError> {
    if rows > MAX_ROWS as u64 {
        return Err(OracleError::Other(Box::new(TrainingSetTooLarge { rows })));
    }
    Ok(())
}

fn check<T: tutelage::Element>(
    rows: &Batch<T>,
    size: usize,
    what: &'static str,
) -> Result<(), OracleError> {
    let expected = T::width(size);
    if rows.width() != expected {
        return Err(OracleError::Width { what, expected, found: rows.width() });
    }
    match rows.misfit(size) {
        None => Ok(()),
        Some((row, column, value)) => {
            let value = value.to_string();
            Err(OracleError::Value {
                what,
                row,
                column,
                value,
                allowed: "a finite number, or an index below the number of actions",
            })
        }
    }
}
