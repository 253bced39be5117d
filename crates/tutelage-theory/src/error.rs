//! The error of this crate.

use tutelage::cover::CoverError;
use tutelage::lesson::LearnError;

/// An invalid problem or setting, or a game that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TheoryError {
    /// A number is out of range.
    #[error("{what} is {value}, but must be {expected}")]
    Value {
        /// The quantity.
        what: String,
        /// Its value.
        value: f64,
        /// The valid values.
        expected: String,
    },
    /// A name is unknown.
    #[error("unknown {what} \"{found}\"; expected {expected}")]
    Name {
        /// The kind of name.
        what: &'static str,
        /// The name given.
        found: String,
        /// The known names.
        expected: String,
    },
    /// The covering distribution is invalid.
    #[error(transparent)]
    Cover(#[from] CoverError),
    /// The learning loop failed.
    #[error(transparent)]
    Learn(#[from] LearnError),
}

/// Returns an error unless `is_valid`.
pub(crate) fn require(
    is_valid: bool,
    what: impl Into<String>,
    value: f64,
    expected: impl Into<String>,
) -> Result<(), TheoryError> {
    match is_valid {
        true => Ok(()),
        false => Err(TheoryError::Value { what: what.into(), value, expected: expected.into() }),
    }
}

/// Returns the value of this name.
pub(crate) fn find<T: Copy, const N: usize>(
    what: &'static str,
    all: [T; N],
    name: fn(T) -> &'static str,
    found: &str,
) -> Result<T, TheoryError> {
    all.into_iter().find(|&one| name(one) == found).ok_or_else(|| TheoryError::Name {
        what,
        found: found.into(),
        expected: all.map(name).join(", "),
    })
}

/// The quantity that an error is about, for tests.
#[cfg(test)]
pub(crate) fn invalid<T: std::fmt::Debug>(result: Result<T, TheoryError>) -> (String, f64) {
    match result.unwrap_err() {
        TheoryError::Value { what, value, .. } => (what, value),
        other => panic!("{other}"),
    }
}
