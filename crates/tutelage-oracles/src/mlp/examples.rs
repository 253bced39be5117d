//! The rows a member trains on, seen through index lists: D itself is never copied.

use tutelage::{Action, Batch, Dataset, OracleError, Perturbation, Spaces, View};

/// The most rows a training set may have once every example is counted as often as it says.
const MAX_ROWS: usize = 1 << 28;

/// A training set of `rows` rows is too large to list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a training set of {rows} rows (copies counted); allowed are at most {MAX_ROWS}")]
pub struct TooManyRows {
    /// How many rows there would be.
    pub rows: u64,
}

/// The examples that rows are drawn from: D, then the member's own.
pub(crate) struct Examples<'a, A> {
    data: &'a Dataset<f32, A>,
    own: Option<&'a Perturbation<f32, A>>,
}

impl<'a, A: Action> Examples<'a, A> {
    /// The examples of a view, and the rows of its training set as a list of example numbers.
    pub(crate) fn of_view(
        data: &'a Dataset<f32, A>,
        view: &'a View<f32, A>,
        spaces: Spaces,
    ) -> Result<(Self, Vec<u32>), OracleError> {
        let all = 0..u32::try_from(data.len()).unwrap_or(u32::MAX);
        match view {
            View::All => Ok((Self { data, own: None }, all.collect())),
            View::Resampled(rows) => Ok((Self { data, own: None }, rows.clone())),
            View::Extended(own) => {
                check(&own.states, spaces.states, "perturbation states")?;
                check(&own.actions, spaces.actions, "perturbation labels")?;
                let rows =
                    own.copies.iter().fold(data.len() as u64, |sum, &c| sum.saturating_add(c));
                if rows > MAX_ROWS as u64 {
                    return Err(OracleError::Other(Box::new(TooManyRows { rows })));
                }
                let copies =
                    own.copies.iter().zip(all.end..).flat_map(|(&n, row)| (0..n).map(move |_| row));
                Ok((Self { data, own: Some(own) }, all.clone().chain(copies).collect()))
            }
            View::Costed(_) => Err(OracleError::Unsupported("random costs on a separator set")),
        }
    }

    /// State and label of an example.
    #[inline(always)]
    pub(crate) fn get(&self, example: u32) -> (&[f32], &[A]) {
        let (row, shared) = (example as usize, self.data.len());
        match self.own {
            Some(own) if row >= shared => {
                (own.states.row(row - shared), own.actions.row(row - shared))
            }
            _ => (self.data.states.row(row), self.data.actions.row(row)),
        }
    }
}

/// D must have the widths of the task, as many labels as states, and only values that its spaces hold.
pub(crate) fn check_data<A: Action>(
    data: &Dataset<f32, A>,
    spaces: Spaces,
) -> Result<(), OracleError> {
    check(&data.states, spaces.states, "states")?;
    check(&data.actions, spaces.actions, "labels")?;
    match (data.states.len(), data.actions.len()) {
        (states, labels) if states == labels => Ok(()),
        (states, labels) => Err(OracleError::Other(Box::new(UnpairedRows { states, labels }))),
    }
}

/// States and labels do not pair up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{states} states but {labels} labels: every state has one")]
pub struct UnpairedRows {
    /// How many states there are.
    pub states: usize,
    /// How many labels there are.
    pub labels: usize,
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
