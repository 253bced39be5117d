//! States scaled by frozen statistics.

/// Keeps the scale of constant coordinates finite.
const EPSILON: f64 = 1e-8;

/// Normalized states are clipped to ± this.
const CLIP: f64 = 10.0;

/// `s ↦ clip((s − mean) / √(var + 1e-8), −10, 10)`, coordinate by coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalizer {
    mean: Vec<f64>,
    var: Vec<f64>,
}

/// Why statistics are invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NormalizerError {
    /// The numbers of means and variances differ.
    #[error("there are {means} means but {vars} variances")]
    Lengths {
        /// The number of means.
        means: usize,
        /// The number of variances.
        vars: usize,
    },
    /// A mean is not finite, or a variance is not finite or negative.
    #[error("{what}[{index}] is {value}, but must be {allowed}")]
    Value {
        /// `mean` or `var`.
        what: &'static str,
        /// The coordinate.
        index: usize,
        /// Its value.
        value: f64,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The statistics have another width than the observations.
    #[error("the statistics have {found} coordinates, but observations have {expected}")]
    Width {
        /// The width of observations.
        expected: usize,
        /// The width of the statistics.
        found: usize,
    },
}

impl Normalizer {
    /// Creates a normalizer from the mean and variance of each coordinate.
    pub fn new(mean: Vec<f64>, var: Vec<f64>) -> Result<Normalizer, NormalizerError> {
        if mean.len() != var.len() {
            return Err(NormalizerError::Lengths { means: mean.len(), vars: var.len() });
        }
        let bad = |what, index, value, allowed| {
            Err(NormalizerError::Value { what, index, value, allowed })
        };
        if let Some(index) = mean.iter().position(|m| !m.is_finite()) {
            return bad("mean", index, mean[index], "a finite number");
        }
        if let Some(index) = var.iter().position(|v| !(v.is_finite() && *v >= 0.0)) {
            return bad("var", index, var[index], "finite and not negative");
        }
        Ok(Normalizer { mean, var })
    }

    /// Returns the means.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the variances.
    pub fn var(&self) -> &[f64] {
        &self.var
    }

    /// Returns the number of coordinates.
    pub fn width(&self) -> usize {
        self.mean.len()
    }

    /// Returns an error unless the statistics have this width.
    pub(crate) fn check(&self, expected: usize) -> Result<(), NormalizerError> {
        match self.width() {
            found if found == expected => Ok(()),
            found => Err(NormalizerError::Width { expected, found }),
        }
    }

    /// Normalizes a state in place.
    pub fn apply(&self, state: &mut [f32]) {
        for ((x, mean), var) in state.iter_mut().zip(&self.mean).zip(&self.var) {
            *x = ((f64::from(*x) - mean) / (var + EPSILON).sqrt()).clamp(-CLIP, CLIP) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_shifted_scaled_and_clipped() {
        let normalizer = Normalizer::new(vec![1.0, 0.0, 2.0], vec![4.0, 0.0, 1.0]).unwrap();
        let mut state = [5.0, 1.0, 2.0];
        normalizer.apply(&mut state);
        assert_eq!(state[1..], [10.0, 0.0]);
        assert!((state[0] - 2.0).abs() < 1e-6);
    }

    #[test]
    fn statistics_are_checked() {
        assert_eq!(
            Normalizer::new(vec![0.0], vec![]),
            Err(NormalizerError::Lengths { means: 1, vars: 0 })
        );
        assert!(Normalizer::new(vec![f64::NAN], vec![1.0]).is_err());
        assert!(Normalizer::new(vec![0.0], vec![-1.0]).is_err());
        let narrow = Normalizer::new(vec![0.0], vec![1.0]).unwrap();
        assert_eq!(narrow.check(15), Err(NormalizerError::Width { expected: 15, found: 1 }));
    }
}
