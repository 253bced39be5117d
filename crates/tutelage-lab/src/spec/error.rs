//! What can be wrong with a spec.

use serde::de::DeserializeOwned;
use tutelage::algorithm::AlgorithmNameError;
use tutelage::suggest::{did_you_mean, nearest};

/// A field that is wrong, with its value and what is allowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// An unknown name.
    #[error("{field} = \"{value}\": unknown name{} Allowed: {allowed}", did_you_mean(nearest.as_deref()))]
    Unknown {
        /// The field.
        field: &'static str,
        /// What was given.
        value: String,
        /// The name that is nearest to it, where one is near.
        nearest: Option<String>,
        /// All that would have been allowed.
        allowed: String,
    },
    /// A value that is not in its range.
    #[error("{field} = {value}: allowed is {allowed}")]
    Range {
        /// The field.
        field: &'static str,
        /// What was given.
        value: String,
        /// What would have been allowed.
        allowed: String,
    },
    /// A field that is missing.
    #[error("{field} is missing: {why}")]
    Missing {
        /// The field.
        field: &'static str,
        /// Why it is needed.
        why: String,
    },
    /// A field that has no meaning here.
    #[error("{field} = {value}: {why}")]
    Pointless {
        /// The field.
        field: &'static str,
        /// What was given.
        value: String,
        /// Why it means nothing here.
        why: String,
    },
    /// A text that is not TOML, or has an unknown field.
    #[error("{0}")]
    Toml(String),
}

impl SpecError {
    /// A name that is not among `names`.
    pub(crate) fn unknown(field: &'static str, value: &str, names: &[&str]) -> Self {
        if let Err(long) = check_name(field, Some(value)) {
            return long;
        }
        Self::Unknown {
            field,
            value: value.into(),
            nearest: nearest(value, names).map(Into::into),
            allowed: names.join(", "),
        }
    }

    /// A value that is not in its range.
    pub(crate) fn range(
        field: &'static str,
        value: impl ToString,
        allowed: impl Into<String>,
    ) -> Self {
        Self::Range { field, value: value.to_string(), allowed: allowed.into() }
    }
}

impl From<AlgorithmNameError> for SpecError {
    fn from(error: AlgorithmNameError) -> Self {
        let field = "algorithm";
        match error {
            AlgorithmNameError::Unknown { text, nearest } => Self::Unknown {
                field,
                value: text,
                nearest: nearest.map(Into::into),
                allowed: tutelage::algorithm::Family::examples().join(", "),
            },
            AlgorithmNameError::Form { text, form: expected }
            | AlgorithmNameError::Number { text, expected } => {
                Self::range(field, format!("\"{text}\""), expected)
            }
            AlgorithmNameError::FiniteOnly { text } => {
                let why = "it runs in the finite world only (`tutelage theory`)".into();
                Self::Pointless { field, value: format!("\"{text}\""), why }
            }
            other => Self::range(field, "", other.to_string()),
        }
    }
}

/// How many bytes a spec or a figure may have. A tree of TOML takes fifty times as many.
const LONGEST_TOML: usize = 1 << 20;

/// What a TOML text says; if it is none, why.
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    if text.len() > LONGEST_TOML {
        let length = text.len();
        return Err(format!("{length} bytes of TOML; allowed are at most {LONGEST_TOML}"));
    }
    toml::from_str(text).map_err(|error| error.to_string().trim_end().into())
}

/// How long a name may be. Finding the nearest name takes time and memory that grow with it.
const LONGEST_NAME: usize = 1000;

/// Refuses a name that is longer than any.
pub fn check_name(field: &'static str, name: Option<&str>) -> Result<(), SpecError> {
    let Some(name) = name.filter(|name| name.len() > LONGEST_NAME) else { return Ok(()) };
    let (begins, length) = (name.chars().take(20).collect::<String>(), name.len());
    let value = format!("\"{begins}…\", {length} bytes");
    Err(SpecError::range(field, value, format!("a name of at most {LONGEST_NAME} bytes")))
}

/// A whole number of the field's range.
pub(crate) fn count(
    field: &'static str,
    value: i64,
    range: std::ops::RangeInclusive<usize>,
) -> Result<usize, SpecError> {
    let allowed = || format!("a whole number from {} to {}", range.start(), range.end());
    let number = usize::try_from(value).ok().filter(|number| range.contains(number));
    number.ok_or_else(|| SpecError::range(field, value, allowed()))
}
