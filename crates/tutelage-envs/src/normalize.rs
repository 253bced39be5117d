//! States scaled by frozen statistics.

use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step};

/// Keeps the scale of a coordinate that never varied finite.
const EPSILON: f64 = 1e-8;

/// Normalized states are clipped to this distance of zero.
const CLIP: f64 = 10.0;

/// `s ↦ clip((s − mean) / √(var + 1e-8), −10, 10)`, coordinate by coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalizer {
    mean: Vec<f64>,
    var: Vec<f64>,
}

/// Statistics that cannot normalize.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NormalizerError {
    /// There must be as many variances as means.
    #[error("there are {means} means but {vars} variances")]
    Lengths {
        /// How many means.
        means: usize,
        /// How many variances.
        vars: usize,
    },
    /// Means are finite; variances are also not negative.
    #[error("{what}[{index}] is {value}, but must be {allowed}")]
    Value {
        /// `mean` or `var`.
        what: &'static str,
        /// The coordinate.
        index: usize,
        /// Its value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// The environment's states have another width.
    #[error("the statistics are of {found} coordinates, but states have {expected}")]
    Width {
        /// Width of the environment's states.
        expected: usize,
        /// Width of the statistics.
        found: usize,
    },
}

impl Normalizer {
    /// Statistics of each coordinate of a state.
    pub fn new(mean: Vec<f64>, var: Vec<f64>) -> Result<Normalizer, NormalizerError> {
        if mean.len() != var.len() {
            return Err(NormalizerError::Lengths { means: mean.len(), vars: var.len() });
        }
        let bad = |what, index, value, allowed| {
            Err(NormalizerError::Value { what, index, value, allowed })
        };
        if let Some(index) = mean.iter().position(|m| !m.is_finite()) {
            return bad("mean", index, mean[index], "finite");
        }
        if let Some(index) = var.iter().position(|v| !(v.is_finite() && *v >= 0.0)) {
            return bad("var", index, var[index], "finite and not negative");
        }
        Ok(Normalizer { mean, var })
    }

    /// Means of the coordinates.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Variances of the coordinates.
    pub fn var(&self) -> &[f64] {
        &self.var
    }

    /// How many coordinates a state has.
    pub fn width(&self) -> usize {
        self.mean.len()
    }

    /// Normalises a state in place.
    pub fn apply(&self, state: &mut [f32]) {
        for ((x, mean), var) in state.iter_mut().zip(&self.mean).zip(&self.var) {
            *x = ((f64::from(*x) - mean) / (var + EPSILON).sqrt()).clamp(-CLIP, CLIP) as f32;
        }
    }
}

/// An environment whose states are normalized by statistics that do not change.
#[derive(Clone, Debug)]
pub struct Normalized<E> {
    env: E,
    normalizer: Normalizer,
}

impl<E: Env<State = f32>> Normalized<E> {
    /// Wraps an environment whose states are as wide as the statistics.
    pub fn new(env: E, normalizer: Normalizer) -> Result<Normalized<E>, NormalizerError> {
        let (expected, found) = (env.spaces().states, normalizer.width());
        if expected == found {
            Ok(Normalized { env, normalizer })
        } else {
            Err(NormalizerError::Width { expected, found })
        }
    }

    /// The environment inside.
    pub fn env(&self) -> &E {
        &self.env
    }

    /// The statistics.
    pub fn normalizer(&self) -> &Normalizer {
        &self.normalizer
    }
}

impl<E: Env<State = f32>> Env for Normalized<E> {
    type State = f32;
    type Action = E::Action;

    fn spaces(&self) -> Spaces {
        self.env.spaces()
    }

    fn horizon(&self) -> usize {
        self.env.horizon()
    }

    fn bounds(&self) -> Bounds {
        self.env.bounds()
    }

    fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        self.env.reset(rng, state)?;
        self.normalizer.apply(state);
        Ok(())
    }

    fn step(&mut self, action: &[E::Action], state: &mut [f32]) -> Result<Step, EnvError> {
        let step = self.env.step(action, state)?;
        self.normalizer.apply(state);
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Locomotion, Robot};
    use tutelage::Stream;

    #[test]
    fn a_state_is_shifted_scaled_and_clipped() {
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
        let env = Locomotion::new(Robot::Hopper).unwrap();
        assert_eq!(
            Normalized::new(env, narrow).unwrap_err(),
            NormalizerError::Width { expected: 15, found: 1 }
        );
    }

    #[test]
    fn only_states_are_normalised() {
        let normalizer = Normalizer::new(vec![0.5; 15], vec![4.0; 15]).unwrap();
        let mut plain = Locomotion::new(Robot::Hopper).unwrap();
        let mut scaled =
            Normalized::new(Locomotion::new(Robot::Hopper).unwrap(), normalizer.clone()).unwrap();
        let (mut a, mut b) = ([0.0; 15], [0.0; 15]);
        plain.reset(Stream::new(3).rng(), &mut a).unwrap();
        scaled.reset(Stream::new(3).rng(), &mut b).unwrap();
        for _ in 0..10 {
            normalizer.apply(&mut a);
            assert_eq!(a, b);
            let action = [0.3, -0.2, 0.1];
            assert_eq!(plain.step(&action, &mut a).unwrap(), scaled.step(&action, &mut b).unwrap());
        }
    }
}
