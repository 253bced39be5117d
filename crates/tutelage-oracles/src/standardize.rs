//! Standardization of states.

use tutelage::Batch;

/// Whether an oracle standardizes states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standardize {
    /// Networks see raw states.
    #[default]
    No,
    /// Networks see `(x_j − μ_j) / σ_j`, with the mean and standard deviation of the states of D.
    ///
    /// The statistics are recomputed at each training, also apply to perturbation states, and are part of
    /// the policy, which takes raw states. If D is empty, states are not standardized.
    Yes,
}

/// A coordinate is constant if its deviation is at most this share of its mean (or of 1 if larger).
const NEGLIGIBLE: f64 = 1e-6;

/// The mean and the scale of every coordinate of a state.
///
/// A coordinate that is constant over D has scale 1, so that a state in which it differs is not
/// magnified.
///
/// ```
/// use tutelage::Batch;
/// use tutelage_oracles::Standardizer;
///
/// // The first coordinate is 300 ± 10, the second always 7.
/// let states = Batch::from_vec(2, vec![290.0, 7.0, 310.0, 7.0])?;
/// let standardizer = Standardizer::of(&states).expect("there are states");
/// assert_eq!((standardizer.mean(), standardizer.scale()), (&[300.0, 7.0][..], &[10.0, 1.0][..]));
/// # Ok::<(), tutelage::data::ShapeError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Standardizer {
    mean: Vec<f32>,
    scale: Vec<f32>,
}

impl Standardizer {
    /// Computes the statistics of these states; `None` if there are no states.
    pub fn of(states: &Batch<f32>) -> Option<Self> {
        if states.is_empty() {
            return None;
        }
        let mean = column_means(states, |x, _| x);
        let variance = column_means(states, |x, j| (x - mean[j]).powi(2));
        let scale = |(mean, variance): (&f64, &f64)| match variance.sqrt() {
            deviation if deviation > NEGLIGIBLE * mean.abs().max(1.0) => deviation as f32,
            _ => 1.0,
        };
        let scale = mean.iter().zip(&variance).map(scale).collect();
        Some(Self { mean: mean.iter().map(|x| *x as f32).collect(), scale })
    }

    /// Creates a standardizer from stored statistics. Scales are positive.
    pub(crate) fn from_parts(mean: Vec<f32>, scale: Vec<f32>) -> Self {
        debug_assert!(mean.len() == scale.len() && scale.iter().all(|x| *x > 0.0));
        Self { mean, scale }
    }

    /// Returns `μ`, one number per coordinate.
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// Returns `σ`, one positive number per coordinate.
    pub fn scale(&self) -> &[f32] {
        &self.scale
    }

    /// Writes `to_j = (from_j − μ_j) / σ_j`. Both operations are rounded, so all machines agree bitwise.
    #[inline]
    pub(crate) fn write(&self, from: &[f32], to: &mut [f32]) {
        let statistics = self.mean.iter().zip(&self.scale);
        for ((to, from), (mean, scale)) in to.iter_mut().zip(from).zip(statistics) {
            *to = (from - mean) / scale;
        }
    }

    /// Standardizes every row.
    pub(crate) fn apply(&self, states: &mut Batch<f32>) {
        let width = states.width();
        for state in states.as_mut_slice().chunks_exact_mut(width) {
            for ((x, mean), scale) in state.iter_mut().zip(&self.mean).zip(&self.scale) {
                *x = (*x - mean) / scale;
            }
        }
    }
}

impl Standardize {
    /// Returns the name of this choice in stored runs, which must never change.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::No => "AsGiven",
            Self::Yes => "Standardised",
        }
    }

    /// Returns the statistics of these states if they are to be standardized.
    pub(crate) fn statistics(self, states: &Batch<f32>) -> Option<Standardizer> {
        match self {
            Self::No => None,
            Self::Yes => Standardizer::of(states),
        }
    }
}

/// Returns the mean of `f(x, j)` over every column `j`, summed in row order.
fn column_means(states: &Batch<f32>, f: impl Fn(f64, usize) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; states.width()];
    for row in states.rows() {
        for (j, (sum, x)) in sums.iter_mut().zip(row).enumerate() {
            *sum += f(f64::from(*x), j);
        }
    }
    sums.iter().map(|sum| sum / states.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standardized_columns_have_mean_0_and_deviation_1() {
        let values = (0..200).flat_map(|i| [i as f32, 1e3 + (i * 7 % 13) as f32, 1e-3 * i as f32]);
        let mut states = Batch::from_vec(3, values.collect()).unwrap();
        let standardizer = Standardizer::of(&states).unwrap();
        let mut row = [0.0; 3];
        standardizer.write(states.row(5), &mut row);
        standardizer.apply(&mut states);
        assert_eq!(states.row(5), row, "one row and all rows agree");
        let again = Standardizer::of(&states).unwrap();
        assert!(again.mean().iter().all(|m| m.abs() < 1e-4), "{again:?}");
        assert!(again.scale().iter().all(|s| (s - 1.0).abs() < 1e-4), "{again:?}");
    }

    #[test]
    fn constant_coordinates_are_only_centered() {
        let rounded = f32::from_bits(100.0f32.to_bits() + 1);
        let states = Batch::from_vec(2, vec![0.1, 100.0, 0.1, rounded, 0.1, 100.0]).unwrap();
        let standardizer = Standardizer::of(&states).unwrap();
        assert_eq!(standardizer.scale(), [1.0, 1.0]);
        let mut state = [0.0; 2];
        standardizer.write(&[0.6, 90.0], &mut state);
        assert!((state[0] - 0.5).abs() < 1e-6 && (state[1] + 10.0).abs() < 1e-4, "{state:?}");
    }

    #[test]
    fn empty_batches_have_no_statistics() {
        assert_eq!(Standardizer::of(&Batch::new(3)), None);
        assert_eq!(Standardize::No.statistics(&Batch::zeros(4, 3)), None);
    }
}
