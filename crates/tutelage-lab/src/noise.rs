//! Experts with another noise than their own: `hopper:noise=0.3`.
//!
//! Whether a way of learning suits an expert hangs on its noise, so an expert without any, or one that trembles until it
//! falls, can be named wherever an expert can.

use crate::CastError;

const MARK: &str = ":noise=";

/// An expert's name, and the ending that gives it another noise; that is empty where it keeps its own.
pub(crate) fn split(name: &str) -> (&str, &str) {
    name.find(MARK).map_or((name, ""), |at| name.split_at(at))
}

/// The standard deviation that an ending says, of every coordinate of an action.
pub(crate) fn parse(ending: &str) -> Result<Option<f32>, CastError> {
    let Some(text) = ending.strip_prefix(MARK) else { return Ok(None) };
    match text.parse::<f32>() {
        Ok(std) if std.is_finite() && std >= 0.0 => Ok(Some(std)),
        _ => Err(CastError::Noise { text: text.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_says_the_noise() {
        assert_eq!(split("hopper"), ("hopper", ""));
        assert_eq!(split("a/b.npz:noise=0.5"), ("a/b.npz", ":noise=0.5"));
        assert!(matches!(parse(""), Ok(None)));
        assert!(matches!(parse(":noise=0"), Ok(Some(0.0))));
        for text in ["", "-1", "NaN", "inf", "loud"] {
            let error = parse(&format!(":noise={text}")).unwrap_err().to_string();
            assert!(error.contains(&format!("noise={text}: allowed is")), "{error}");
        }
    }
}
