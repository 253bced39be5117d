//! Policy classes by name.

use std::fmt;

use super::SpecError;
use crate::registry::{Defaults, Task};

/// The class of policies that the oracle chooses from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// `mlp:64,64`: tanh networks with these hidden widths.
    Mlp(Vec<usize>),
    /// `linear`: affine maps, trained by least squares.
    Linear,
}

const MAX_WIDTH: usize = 1024;
const MAX_LAYERS: usize = 4;

impl Class {
    /// `realizable`: it contains the expert's mean function, or nearly.
    pub fn realizable(task: Task) -> Self {
        Self::Mlp(task.defaults().realizable.to_vec())
    }

    /// `nonrealizable`: one narrow hidden layer, too small for the expert's mean function.
    pub fn nonrealizable(task: Task) -> Self {
        Self::Mlp(task.defaults().nonrealizable.to_vec())
    }

    /// Reads a class; `realizable` and `nonrealizable` are the task's own (the robots' are the paper's).
    pub fn parse(text: &str, task: Task) -> Result<Self, SpecError> {
        Self::parse_for(text, task.defaults())
    }

    /// Reads a class; `realizable` and `nonrealizable` are as these defaults say.
    pub fn parse_for(text: &str, defaults: &Defaults) -> Result<Self, SpecError> {
        match text.trim().to_lowercase().as_str() {
            "linear" => Ok(Self::Linear),
            "realizable" => Ok(Self::Mlp(defaults.realizable.to_vec())),
            "nonrealizable" => Ok(Self::Mlp(defaults.nonrealizable.to_vec())),
            other => match other.strip_prefix("mlp:") {
                Some(widths) => Self::mlp(text, widths),
                None => {
                    let names = ["mlp:64,64", "mlp:8", "linear", "realizable", "nonrealizable"];
                    Err(SpecError::unknown("class", text, &names))
                }
            },
        }
    }

    fn mlp(text: &str, widths: &str) -> Result<Self, SpecError> {
        let width = |w: &str| w.trim().parse().ok().filter(|w| (1..=MAX_WIDTH).contains(w));
        let widths: Option<Vec<usize>> = widths.split(',').map(width).collect();
        widths.filter(|widths| widths.len() <= MAX_LAYERS).map(Self::Mlp).ok_or_else(|| {
            let allowed =
                format!("1 to {MAX_LAYERS} hidden widths from 1 to {MAX_WIDTH}, as in mlp:64,64");
            SpecError::range("class", format!("\"{text}\""), allowed)
        })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear => f.pad("linear"),
            Self::Mlp(hidden) => {
                let widths: Vec<String> = hidden.iter().map(usize::to_string).collect();
                f.pad(&format!("mlp:{}", widths.join(",")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_parse_to_what_they_print() {
        let [hopper, walker] = ["hopper", "walker2d"].map(|name| name.parse().unwrap());
        for name in ["mlp:64,64", "mlp:8", "linear"] {
            assert_eq!(Class::parse(name, hopper).unwrap().to_string(), name);
        }
        assert_eq!(Class::parse("nonrealizable", walker), Ok(Class::Mlp(vec![24])));
    }

    #[test]
    fn what_is_no_class_is_named() {
        let ant = "ant".parse().unwrap();
        for text in ["mlp:", "mlp:0", "mlp:64,,64", "mlp:2000", "mlp:1,1,1,1,1"] {
            let error = Class::parse(text, ant).unwrap_err().to_string();
            assert!(error.contains("class") && error.contains("1024"), "{error}");
        }
        let error = Class::parse("tree", ant).unwrap_err().to_string();
        assert!(!error.contains("did you mean") && error.contains("Allowed: mlp:64,64"), "{error}");
        let error = Class::parse("linaer", ant).unwrap_err().to_string();
        assert!(error.contains("did you mean `linear`"), "{error}");
    }
}
