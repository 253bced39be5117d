//! Checks of states and actions.

use tutelage::EnvError;

/// Returns an error unless a row has the expected width.
pub(crate) fn check_width(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), EnvError> {
    if found == expected { Ok(()) } else { Err(EnvError::Width { what, expected, found }) }
}

/// Returns an error unless every value of a row lies within ±`limit`.
pub(crate) fn check_within(
    what: &'static str,
    row: &[f32],
    limit: f64,
    allowed: &'static str,
) -> Result<(), EnvError> {
    let is_inside = |value: &f32| f64::from(*value).abs() <= limit;
    match row.iter().position(|value| !is_inside(value)) {
        None => Ok(()),
        Some(index) => Err(EnvError::Value { what, index, value: f64::from(row[index]), allowed }),
    }
}

/// Returns the index of a discrete action, which must be below `count`.
pub(crate) fn check_index(
    action: &[u32],
    count: u32,
    allowed: &'static str,
) -> Result<u32, EnvError> {
    check_width("action", action.len(), 1)?;
    match action[0] {
        index if index < count => Ok(index),
        index => {
            Err(EnvError::Value { what: "action", index: 0, value: f64::from(index), allowed })
        }
    }
}
