//! How an oracle sees states: as they are given, or standardised from D.

use tutelage::Batch;

/// How an oracle sees states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standardize {
    /// As they are given.
    #[default]
    No,
    /// Standardised: `x_j ↦ (x_j − μ_j) / σ_j`, with mean and standard deviation over the states of D at each training.
    ///
    /// Perturbation states are standardised by the same statistics, and the statistics are part of the policy, which therefore takes
    /// states as they are given. When D is empty there is nothing to standardise by, and the policy has no statistics.
    Yes,
}

/// A coordinate that varies by no more than this share of its mean (or of 1, if that is larger) counts as constant.
const NEGLIGIBLE: f64 = 1e-6;

/// The mean and the scale of every coordinate of a state.
///
/// A coordinate that is constant over D has scale 1: it is centred and nothing else, so that a state in which it differs after all is
/// not blown up.
///
/// ```
/// use tutelage::Batch;
/// use tutelage_oracles::Standardizer;
///
/// // The first coordinate is 300 ± 10, the second always 7.
/// let states = Batch::from_vec(2, vec![290.0, 7.0, 310.0, 7.0])?;
/// let standardizer = Standardizer::of(&states).expect("there are states");
/// assert_eq!((standardizer.mean(), standardizer.scale()), (&[300.0, 7.0][..], &[10.0, 1.0][..]));
/// # Ok::<(), tutelage::ShapeError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Standardizer {
    mean: Vec<f32>,
    scale: Vec<f32>,
}

impl Standardizer {
    /// The statistics of these states; none where there are no states.
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

    /// The statistics that were stored: as many scales as means, and every scale positive.
    pub(crate) fn from_parts(mean: Vec<f32>, scale: Vec<f32>) -> Self {
        debug_assert!(mean.len() == scale.len() && scale.iter().all(|x| *x > 0.0));
        Self { mean, scale }
    }

    /// `μ`, one number per coordinate.
    pub fn mean(&self) -> &[f32] {
        &self.mean
    }

    /// `σ`, one positive number per coordinate.
    pub fn scale(&self) -> &[f32] {
        &self.scale
    }

    /// Writes a state, standardised: `to_j = (from_j − μ_j) / σ_j`, each operation rounded once, the same bits on every machine.
    #[inline]
    pub(crate) fn write(&self, from: &[f32], to: &mut [f32]) {
        let statistics = self.mean.iter().zip(&self.scale);
        for ((to, from), (mean, scale)) in to.iter_mut().zip(from).zip(statistics) {
            *to = (from - mean) / scale;
        }
    }

    /// Standardises every row.
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

    /// What states like these are standardised by, if they are.
    pub(crate) fn statistics(self, states: &Batch<f32>) -> Option<Standardizer> {
        match self {
            Self::No => None,
            Self::Yes => Standardizer::of(states),
        }
    }
}

/// The mean of `f(x, j)` over every column `j`, summed in the order of the rows.
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
    fn standardised_columns_have_mean_zero_and_deviation_one() {
        let values = (0..200).flat_map(|i| [i as f32, 1e3 + (i * 7 % 13) as f32, 1e-3 * i as f32]);
        let mut states = Batch::from_vec(3, values.collect()).unwrap();
        let standardizer = Standardizer::of(&states).unwrap();
        let mut row = [0.0; 3];
        standardizer.write(states.row(5), &mut row);
        standardizer.apply(&mut states);
        assert_eq!(states.row(5), row, "row by row as all at once");
        let again = Standardizer::of(&states).unwrap();
        assert!(again.mean().iter().all(|m| m.abs() < 1e-4), "{again:?}");
        assert!(again.scale().iter().all(|s| (s - 1.0).abs() < 1e-4), "{again:?}");
    }

    #[test]
    fn a_constant_coordinate_is_only_centred_even_if_rounding_moves_it() {
        let rounded = f32::from_bits(100.0f32.to_bits() + 1);
        let states = Batch::from_vec(2, vec![0.1, 100.0, 0.1, rounded, 0.1, 100.0]).unwrap();
        let standardizer = Standardizer::of(&states).unwrap();
        assert_eq!(standardizer.scale(), [1.0, 1.0]);
        let mut state = [0.0; 2];
        standardizer.write(&[0.6, 90.0], &mut state);
        assert!((state[0] - 0.5).abs() < 1e-6 && (state[1] + 10.0).abs() < 1e-4, "{state:?}");
    }

    #[test]
    fn no_states_have_no_statistics() {
        assert_eq!(Standardizer::of(&Batch::new(3)), None);
        assert_eq!(Standardize::No.statistics(&Batch::zeros(4, 3)), None);
    }
}
