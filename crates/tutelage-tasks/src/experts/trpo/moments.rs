//! Running mean and variance of states.

use crate::bullet::{Normalizer, NormalizerError};

/// Mean and variance of each coordinate over all states so far (Chan, Golub & LeVeque 1983).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(super) count: f64,
    pub(super) mean: Vec<f64>,
    /// Σ (s − mean)².
    pub(super) squares: Vec<f64>,
}

impl Moments {
    /// Starts without states.
    pub(crate) fn new(width: usize) -> Self {
        Self { count: 0.0, mean: vec![0.0; width], squares: vec![0.0; width] }
    }

    /// Adds a state.
    pub(crate) fn add(&mut self, state: &[f32]) {
        self.count += 1.0;
        for ((mean, squares), &x) in self.mean.iter_mut().zip(&mut self.squares).zip(state) {
            let before = f64::from(x) - *mean;
            *mean += before / self.count;
            *squares += before * (f64::from(x) - *mean);
        }
    }

    /// Adds all states of another collection.
    pub(crate) fn merge(&mut self, other: &Self) {
        let count = self.count + other.count;
        if other.count == 0.0 {
            return;
        }
        for j in 0..self.mean.len() {
            let apart = other.mean[j] - self.mean[j];
            self.mean[j] += apart * other.count / count;
            self.squares[j] += other.squares[j] + apart * apart * self.count * other.count / count;
        }
        self.count = count;
    }

    /// Returns the normalizer of these statistics, with standard deviations of at least `min_std`.
    /// Before the first state it is the identity.
    pub(crate) fn normalizer(&self, min_std: f64) -> Result<Normalizer, NormalizerError> {
        let var = match self.count {
            0.0 => vec![1.0; self.mean.len()],
            count => {
                self.squares.iter().map(|squares| (squares / count).max(min_std.powi(2))).collect()
            }
        };
        Normalizer::new(self.mean.clone(), var)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_parts_equal_the_whole() {
        let states: Vec<[f32; 2]> = (0..10).map(|i| [i as f32, (i * i) as f32]).collect();
        let of = |states: &[[f32; 2]]| {
            let mut moments = Moments::new(2);
            states.iter().for_each(|state| moments.add(state));
            moments
        };
        let mut merged = of(&states[..3]);
        merged.merge(&of(&states[3..]));
        merged.merge(&Moments::new(2));
        assert!((merged.mean[0] - 4.5).abs() < 1e-12);
        let var = merged.normalizer(0.0).unwrap().var().to_vec();
        assert!((var[0] - 8.25).abs() < 1e-12, "{var:?}");
        let whole = of(&states).normalizer(0.0).unwrap();
        assert!(var.iter().zip(whole.var()).all(|(a, b)| (a - b).abs() < 1e-9));
    }
}
