//! Why a spec is invalid.

/// A field of a spec is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// A value is invalid, or the field is unknown.
    #[error("{field} = {value}: {problem}")]
    Value {
        /// The field, such as `oracle.batch`.
        field: String,
        /// Its value.
        value: String,
        /// What is expected.
        problem: String,
    },
    /// A value contradicts other fields.
    #[error("{field} = {value}: {reason}")]
    Conflict {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
        /// Why the field does not apply.
        reason: String,
    },
    /// A required field is missing.
    #[error("{field} is missing: {expected}")]
    Missing {
        /// The field.
        field: &'static str,
        /// What is expected.
        expected: String,
    },
    /// The text is not valid TOML.
    #[error("{0}")]
    Toml(String),
}

/// The maximum number of characters of a field or value in an error.
const MAX_SHOWN: usize = 80;

impl SpecError {
    /// Creates the error of an invalid value. Excessive texts are truncated.
    pub(crate) fn value(field: &str, value: &str, problem: impl Into<String>) -> Self {
        let brief = |text: &str| match text.char_indices().nth(MAX_SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        let problem = problem.into().trim_end().to_owned();
        Self::Value { field: brief(field), value: brief(value), problem }
    }

    /// Creates the error of a field that does not apply.
    pub(crate) fn conflict(
        field: &'static str,
        value: impl ToString,
        reason: impl Into<String>,
    ) -> Self {
        Self::Conflict { field, value: value.to_string(), reason: reason.into() }
    }
}

/// The maximum length of a TOML text in bytes. The parsed tree takes about fifty times as much memory.
const MAX_TOML: usize = 1 << 20;

/// Parses a TOML text; the error is a message.
pub fn parse_toml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    if text.len() > MAX_TOML {
        return Err(format!("{} bytes of TOML; expected at most {MAX_TOML}", text.len()));
    }
    toml::from_str(text).map_err(|error| error.to_string().trim_end().into())
}
