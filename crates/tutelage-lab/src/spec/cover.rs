//! d₀ by name.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use tutelage::cover::UniformBox;

use super::SpecError;

/// Where perturbation states are drawn from.
#[derive(Clone, Debug, PartialEq)]
pub enum CoverSpec {
    /// `uniform(-2,2)`: uniform on [low, high]ᵈ.
    Uniform {
        /// The lower end of each coordinate.
        low: f32,
        /// The upper end of each coordinate.
        high: f32,
    },
    /// `dagger:DIR,DIR,…`: uniform over the states of stored runs, in the paper DAgger's.
    Runs(Vec<PathBuf>),
}

impl Default for CoverSpec {
    /// The paper's box, which needs no earlier runs.
    fn default() -> Self {
        Self::Uniform { low: -2.0, high: 2.0 }
    }
}

impl fmt::Display for CoverSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform { low, high } => write!(f, "uniform({low},{high})"),
            Self::Runs(runs) => {
                let runs: Vec<String> = runs.iter().map(|run| run.display().to_string()).collect();
                write!(f, "dagger:{}", runs.join(","))
            }
        }
    }
}

impl FromStr for CoverSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let wrong = || {
            let allowed = "uniform(LOW,HIGH) with LOW < HIGH and a finite distance, or dagger:DIR,DIR,… with folders of stored runs";
            SpecError::range("d0", format!("\"{text}\""), allowed)
        };
        if let Some(runs) = text.strip_prefix("dagger:") {
            let runs: Vec<PathBuf> = runs
                .split(',')
                .map(str::trim)
                .filter(|run| !run.is_empty())
                .map(PathBuf::from)
                .collect();
            return if runs.is_empty() { Err(wrong()) } else { Ok(Self::Runs(runs)) };
        }
        let ends = text.strip_prefix("uniform(").and_then(|rest| rest.strip_suffix(')'));
        let (low, high) = ends.and_then(|ends| ends.split_once(',')).ok_or_else(wrong)?;
        match (low.trim().parse::<f32>(), high.trim().parse::<f32>()) {
            (Ok(low), Ok(high)) if UniformBox::new(low, high).is_ok() => {
                Ok(Self::Uniform { low, high })
            }
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covers_parse_to_what_they_print() {
        for name in ["uniform(-2,2)", "uniform(0.5,1)", "dagger:runs/a,runs/b"] {
            assert_eq!(name.parse::<CoverSpec>().unwrap().to_string(), name);
        }
        assert_eq!(CoverSpec::default().to_string(), "uniform(-2,2)");
    }

    #[test]
    fn what_is_no_cover_is_refused() {
        let boxes = ["uniform", "uniform(2,-2)", "uniform(0,inf)", "uniform(-3e38,3e38)"];
        for name in boxes.into_iter().chain(["dagger:", "gauss(0,1)"]) {
            let error = name.parse::<CoverSpec>().unwrap_err().to_string();
            assert!(error.contains("d0") && error.contains(name), "{error}");
        }
    }
}
