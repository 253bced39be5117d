//! What worlds refuse, by name.

use tutelage::EnvError;

/// A parameter that no world can be made with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}, which is not allowed ({allowed})")]
pub struct ParameterError {
    /// The parameter.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
    /// What would have been allowed.
    pub allowed: &'static str,
}

/// Each of these parameters must be finite and greater than zero.
pub(crate) fn check_positive(fields: &[(&'static str, f64)]) -> Result<(), ParameterError> {
    let allowed = "finite and greater than 0";
    check_each(fields, allowed, |value| value.is_finite() && value > 0.0)
}

/// Each of these parameters must pass.
pub(crate) fn check_each(
    fields: &[(&'static str, f64)],
    allowed: &'static str,
    passes: impl Fn(f64) -> bool,
) -> Result<(), ParameterError> {
    match fields.iter().find(|(_, value)| !passes(*value)) {
        None => Ok(()),
        Some(&(field, value)) => Err(ParameterError { field, value, allowed }),
    }
}

/// A row must have as many values as the task takes.
pub(crate) fn check_width(
    what: &'static str,
    found: usize,
    expected: usize,
) -> Result<(), EnvError> {
    if found == expected { Ok(()) } else { Err(EnvError::Width { what, expected, found }) }
}

/// Every value of a row must lie within ±`limit`.
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

/// An action by its index: a row of one number below `count`.
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
