//! Covering distributions d₀.

use std::path::PathBuf;

use tutelage::cover::UniformBox;

use super::TextValue;

/// The distribution of perturbation states.
#[derive(Clone, Debug, PartialEq)]
pub enum CoverSpec {
    /// `uniform(-2,2)`: uniform over [low, high]ᵈ.
    Uniform {
        /// The lower bound of every coordinate.
        low: f32,
        /// The upper bound of every coordinate.
        high: f32,
    },
    /// `dagger:DIR,DIR,…`: uniform over the states of stored runs. The paper uses runs of DAgger.
    Runs(Vec<PathBuf>),
}

impl TextValue for CoverSpec {
    fn read(text: &str) -> Result<Self, String> {
        if let Some(runs) = text.strip_prefix("dagger:") {
            let runs = runs.split(',').map(str::trim).filter(|run| !run.is_empty());
            let runs: Vec<PathBuf> = runs.map(PathBuf::from).collect();
            if !runs.is_empty() {
                return Ok(Self::Runs(runs));
            }
        }
        let bounds = text.strip_prefix("uniform(").and_then(|rest| rest.strip_suffix(')'));
        let bounds = bounds.and_then(|bounds| bounds.split_once(',')).and_then(|(low, high)| {
            let (low, high) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
            UniformBox::new(low, high).is_ok().then_some(Self::Uniform { low, high })
        });
        bounds.ok_or_else(|| {
            "expected uniform(LOW,HIGH) with LOW < HIGH and a finite distance, or dagger:DIR,DIR,… with directories of stored runs"
                .into()
        })
    }

    fn text(&self) -> String {
        match self {
            Self::Uniform { low, high } => format!("uniform({low},{high})"),
            Self::Runs(runs) => {
                let runs: Vec<String> = runs.iter().map(|run| run.display().to_string()).collect();
                format!("dagger:{}", runs.join(","))
            }
        }
    }
}
