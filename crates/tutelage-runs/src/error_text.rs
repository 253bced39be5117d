//! Errors as text.

use std::error::Error;

/// Describes an error and its sources, separated by colons.
///
/// ```
/// use std::path::Path;
/// use tutelage_runs::{error_text, store::StoreError};
///
/// let path = Path::new("no such file");
/// let error = std::fs::read(path).map_err(StoreError::io("read", path)).unwrap_err();
/// assert!(error_text(&error).starts_with("cannot read no such file: "));
/// ```
pub fn error_text(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for source in std::iter::successors(error.source(), |&error| error.source()) {
        text += &format!(": {source}");
    }
    text
}
