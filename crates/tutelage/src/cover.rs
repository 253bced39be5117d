//! Covering distributions d₀, from which perturbation examples are drawn.

use std::fmt::Debug;

use rand::RngExt;

use crate::{Batch, Rng};

/// A covering distribution d₀ over states: d_π(s) / d₀(s) ≤ 1/σ for every policy π of the class.
///
/// ```
/// use std::f32::consts::TAU;
///
/// use rand::RngExt;
/// use tutelage::{Rng, Stream};
/// use tutelage::cover::Cover;
///
/// /// Uniform over the unit circle.
/// #[derive(Debug)]
/// struct Circle;
///
/// impl Cover<f32> for Circle {
///     fn draw(&self, rng: &mut Rng, state: &mut [f32]) {
///         let (sin, cos) = rng.random_range(0.0..TAU).sin_cos();
///         state.copy_from_slice(&[cos, sin]);
///     }
///     fn describe(&self) -> String {
///         "unit circle".into()
///     }
/// }
///
/// let mut state = [0.0; 2];
/// Circle.draw(&mut Stream::new(1).rng(), &mut state);
/// assert!((state[0].hypot(state[1]) - 1.0).abs() < 1e-6);
/// ```
pub trait Cover<S>: Debug + Send + Sync {
    /// Draws s ~ d₀.
    fn draw(&self, rng: &mut Rng, state: &mut [S]);

    /// Returns a text that identifies this distribution in stored runs. It must never change.
    fn describe(&self) -> String;

    /// All states that d₀ can draw, with their probabilities, if they can be listed.
    ///
    /// A Poisson number of draws then splits into independent Poisson counts per state, which is much faster.
    fn support(&self) -> Option<(&Batch<S>, &[f64])> {
        None
    }

    /// The states that d₀ draws from, if it stores them. They are checked against the state space.
    fn states(&self) -> Option<&Batch<S>> {
        self.support().map(|(states, _)| states)
    }
}

/// Uniform over stored states, such as those of earlier DAgger runs.
#[derive(Clone, Debug)]
pub struct StoredStates<S>(Batch<S>);

/// Uniform over [low, high]ᵈ.
#[derive(Clone, Copy, Debug)]
pub struct UniformBox {
    low: f32,
    high: f32,
}

/// Listed states with probabilities.
#[derive(Clone, Debug)]
pub struct Weighted<S> {
    states: Batch<S>,
    probabilities: Vec<f64>,
    cumulative: Vec<f64>,
}

/// Why a covering distribution is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CoverError {
    /// There are no states.
    #[error("covering distribution d0: no states, expected at least 1")]
    Empty,
    /// The box is empty or not finite.
    #[error(
        "covering distribution d0: [{low}, {high}] is not an interval of finite length with low < high"
    )]
    Interval {
        /// The lower end given.
        low: f32,
        /// The upper end given.
        high: f32,
    },
    /// The probabilities do not form a distribution.
    #[error(
        "covering distribution d0: probability[{index}] = {value}, expected finite numbers ≥ 0, one per state, that sum to 1"
    )]
    Probability {
        /// The index; one past the last if the sum or the number is wrong.
        index: usize,
        /// The probability, or the sum.
        value: f64,
    },
}

impl<S: crate::space::Element> StoredStates<S> {
    /// Uniform over these states, at least one.
    pub fn new(states: Batch<S>) -> Result<Self, CoverError> {
        if states.is_empty() { Err(CoverError::Empty) } else { Ok(Self(states)) }
    }
}

impl UniformBox {
    /// Uniform over [low, high]ᵈ, where low < high and high − low is finite.
    pub fn new(low: f32, high: f32) -> Result<Self, CoverError> {
        if low < high && (high - low).is_finite() {
            Ok(Self { low, high })
        } else {
            Err(CoverError::Interval { low, high })
        }
    }
}

impl<S: crate::space::Element> Weighted<S> {
    /// These states with these probabilities, which sum to 1 within 1e-9.
    pub fn new(states: Batch<S>, probabilities: Vec<f64>) -> Result<Self, CoverError> {
        if states.is_empty() {
            return Err(CoverError::Empty);
        }
        if let Some(index) = probabilities.iter().position(|p| !(p.is_finite() && *p >= 0.0)) {
            return Err(CoverError::Probability { index, value: probabilities[index] });
        }
        let sum = probabilities.iter().sum::<f64>();
        if states.len() != probabilities.len() || (sum - 1.0).abs() > 1e-9 {
            return Err(CoverError::Probability { index: probabilities.len(), value: sum });
        }
        let mut total = 0.0;
        let cumulative = probabilities.iter().map(|p| {
            total += p;
            total
        });
        Ok(Self { cumulative: cumulative.collect(), states, probabilities })
    }
}

impl<S: crate::space::Element> Cover<S> for StoredStates<S> {
    fn draw(&self, rng: &mut Rng, state: &mut [S]) {
        state.copy_from_slice(self.0.row(rng.random_range(0..self.0.len())));
    }

    fn describe(&self) -> String {
        format!("StoredStates({})", self.0.describe())
    }

    fn states(&self) -> Option<&Batch<S>> {
        Some(&self.0)
    }
}

impl Cover<f32> for UniformBox {
    fn draw(&self, rng: &mut Rng, state: &mut [f32]) {
        state.fill_with(|| rng.random_range(self.low..=self.high));
    }

    fn describe(&self) -> String {
        format!("UniformBox {{ low: {:?}, high: {:?} }}", self.low, self.high)
    }
}

impl<S: crate::space::Element> Cover<S> for Weighted<S> {
    fn draw(&self, rng: &mut Rng, state: &mut [S]) {
        let u: f64 = rng.random();
        let drawn = self.cumulative.partition_point(|&total| total <= u);
        // Rounding may leave the last total just below 1.
        let last = self.probabilities.iter().rposition(|&p| p > 0.0).unwrap_or(0);
        state.copy_from_slice(self.states.row(drawn.min(last)));
    }

    fn describe(&self) -> String {
        let Self { states, probabilities, cumulative } = self;
        let states = states.describe();
        format!(
            "Weighted {{ states: {states}, probabilities: {probabilities:?}, cumulative: {cumulative:?} }}"
        )
    }

    fn support(&self) -> Option<(&Batch<S>, &[f64])> {
        Some((&self.states, &self.probabilities))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    #[test]
    fn weighted_draws_follow_the_probabilities() {
        let states = Batch::from_vec(1, vec![4u32, 7, 9]).unwrap();
        let cover = Weighted::new(states, vec![0.5, 0.5, 0.0]).unwrap();
        let mut rng = Stream::new(3).rng();
        let mut fours = 0;
        for _ in 0..4000 {
            let mut state = [0];
            cover.draw(&mut rng, &mut state);
            assert_ne!(state[0], 9);
            fours += u32::from(state[0] == 4);
        }
        assert!((1850..2150).contains(&fours), "{fours}");
    }

    #[test]
    fn invalid_distributions_are_refused() {
        let states = Batch::from_vec(1, vec![0u32, 1]).unwrap();
        let error = Weighted::new(states.clone(), vec![0.5, -0.5]).unwrap_err();
        assert_eq!(error, CoverError::Probability { index: 1, value: -0.5 });
        assert!(Weighted::new(states, vec![0.5, 0.4]).is_err());
        assert!(UniformBox::new(1.0, f32::NAN).is_err());
        assert!(UniformBox::new(-3e38, 3e38).is_err(), "the length is infinite");
        assert!(StoredStates::new(Batch::<f32>::new(2)).is_err());
    }
}
