//! Policy classes.

use std::fmt;

use super::TextValue;
use super::value::unknown;
use crate::registry::Defaults;

/// The class of policies from which the oracle chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// `mlp:64,64`: tanh networks with these hidden widths.
    Mlp(Vec<usize>),
    /// `linear`: affine functions, trained by least squares if actions are vectors.
    Linear,
}

/// A class, or the name of one of the task's classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassInput {
    /// `realizable`: the class contains the expert's mean function, or nearly.
    Realizable,
    /// `nonrealizable`: one narrow hidden layer, too small for the expert's mean function.
    Nonrealizable,
    /// This class.
    Given(Class),
}

const MAX_WIDTH: usize = 1024;
const MAX_LAYERS: usize = 4;

impl ClassInput {
    /// Returns the class in a task with these defaults.
    pub fn of(self, defaults: &Defaults) -> Class {
        match self {
            Self::Realizable => Class::Mlp(defaults.realizable.to_vec()),
            Self::Nonrealizable => Class::Mlp(defaults.nonrealizable.to_vec()),
            Self::Given(class) => class,
        }
    }
}

impl From<Class> for Option<ClassInput> {
    fn from(class: Class) -> Self {
        Some(ClassInput::Given(class))
    }
}

impl TextValue for Class {
    fn read(text: &str) -> Result<Self, String> {
        match ClassInput::read(text)? {
            ClassInput::Given(class) => Ok(class),
            _ => Err("expected mlp:WIDTHS or linear".into()),
        }
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl TextValue for ClassInput {
    fn read(text: &str) -> Result<Self, String> {
        match text.trim().to_lowercase().as_str() {
            "linear" => Ok(Self::Given(Class::Linear)),
            "realizable" => Ok(Self::Realizable),
            "nonrealizable" => Ok(Self::Nonrealizable),
            other => match other.strip_prefix("mlp:") {
                Some(widths) => mlp(widths).map(Self::Given),
                None => {
                    let names = ["mlp:64,64", "mlp:8", "linear", "realizable", "nonrealizable"];
                    Err(unknown(text, &names))
                }
            },
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Realizable => "realizable".into(),
            Self::Nonrealizable => "nonrealizable".into(),
            Self::Given(class) => class.text(),
        }
    }
}

fn mlp(widths: &str) -> Result<Class, String> {
    let width = |w: &str| w.trim().parse().ok().filter(|w| (1..=MAX_WIDTH).contains(w));
    let widths: Option<Vec<usize>> = widths.split(',').map(width).collect();
    widths.filter(|widths| widths.len() <= MAX_LAYERS).map(Class::Mlp).ok_or_else(|| {
        format!("expected 1 to {MAX_LAYERS} hidden widths from 1 to {MAX_WIDTH}, such as mlp:64,64")
    })
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
