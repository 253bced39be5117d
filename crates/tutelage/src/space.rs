//! The two kinds of space: real vectors and indices.

use std::fmt::{Debug, Display};

use rand::RngExt;
use rand_distr::{Distribution, Normal};

use crate::{Batch, Bounds, Rng};

/// The sizes of a task's spaces.
///
/// For `f32` a size is the number of coordinates, for `u32` the number of distinct values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spaces {
    /// Size of the state space 𝒮.
    pub states: usize,
    /// Size of the action space 𝒜.
    pub actions: usize,
}

/// What states and actions are made of: `f32` (a point of ℝⁿ, one value per coordinate) or `u32` (an index below n).
///
/// ```
/// use tutelage::Element;
///
/// assert_eq!((f32::width(3), u32::width(3)), (3, 1));
/// assert!(2u32.fits(3) && !3u32.fits(3) && !f32::NAN.fits(3));
/// assert_eq!(u32::allowed(3), "0 to 2");
/// ```
pub trait Element: Copy + Default + PartialEq + Debug + Display + Send + Sync + 'static {
    /// How many values a row of a space of this size has.
    fn width(size: usize) -> usize;

    /// Whether the value may stand in a row of a space of this size.
    fn fits(self, size: usize) -> bool;

    /// Which values may stand there, in words.
    fn allowed(size: usize) -> String;
}

impl Element for f32 {
    fn width(size: usize) -> usize {
        size
    }

    fn fits(self, _size: usize) -> bool {
        self.is_finite()
    }

    fn allowed(_size: usize) -> String {
        "finite numbers".into()
    }
}

impl Element for u32 {
    fn width(_size: usize) -> usize {
        1
    }

    fn fits(self, size: usize) -> bool {
        (self as usize) < size
    }

    fn allowed(size: usize) -> String {
        format!("0 to {}", size.saturating_sub(1))
    }
}

/// The action space 𝒜 of a task: its size and, where actions are vectors, the box that they lie in.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSpace {
    /// The number of coordinates, or of distinct values.
    pub size: usize,
    /// The box, in the task's own units.
    pub bounds: Bounds,
}

/// Why rows are not of a space.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// There are more or fewer rows than asked for.
    #[error("{found} rows where {expected} were asked for")]
    Rows {
        /// How many rows there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The rows are of another width.
    #[error("rows of {found} values; in this task they have {expected}")]
    Width {
        /// How many values a row has.
        found: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A value lies outside the space.
    #[error("row {row}, place {index}: {value} is not allowed ({allowed})")]
    Value {
        /// The row.
        row: usize,
        /// The place in the row.
        index: usize,
        /// The value found.
        value: String,
        /// What would have been allowed.
        allowed: String,
    },
}

/// Whether rows belong to a space of this size, as many as asked for: the one check that everything from outside passes.
pub(crate) fn check_rows<T: Element>(
    rows: &Batch<T>,
    count: usize,
    size: usize,
) -> Result<(), SpaceError> {
    let (found, expected) = (rows.width(), T::width(size));
    if found != expected {
        return Err(SpaceError::Width { found, expected });
    }
    if rows.len() != count {
        return Err(SpaceError::Rows { found: rows.len(), expected: count });
    }
    match rows.misfit(size) {
        None => Ok(()),
        Some((row, index, value)) => {
            let (value, allowed) = (value.to_string(), T::allowed(size));
            Err(SpaceError::Value { row, index, value, allowed })
        }
    }
}

impl ActionSpace {
    /// Whether these are actions of the task in its own units, as many as asked for.
    pub(crate) fn check<A: Action>(
        &self,
        actions: &Batch<A>,
        count: usize,
    ) -> Result<(), SpaceError> {
        check_rows(actions, count, self.size)?;
        let wrong = |(row, action)| A::outside(&self.bounds, action).map(|outside| (row, outside));
        match actions.rows().enumerate().find_map(wrong) {
            None => Ok(()),
            Some((row, crate::Outside { index, value, interval: [low, high] })) => {
                let allowed = format!("{low} to {high}; the environment does not clip");
                Err(SpaceError::Value { row, index, value: value.to_string(), allowed })
            }
        }
    }
}

/// What the paper asks of actions: a loss ℓ and the uniform distribution Unif(𝒜).
///
/// ```
/// use tutelage::Action;
///
/// assert_eq!(f32::loss(&[0.5, 3.0], &[0.0, 1.0]), 0.125); // 3 counts as 1
/// assert_eq!(u32::loss(&[2], &[1]), 1.0);
///
/// let (mut mean, mut vote) = ([0.0], [0]);
/// f32::aggregate(&[0.0, 0.5, 1.0], &mut mean);
/// u32::aggregate(&[2, 0, 2], &mut vote);
/// assert_eq!((mean, vote), ([0.5], [2]));
/// ```
pub trait Action: Element {
    /// ℓ(a, a′): 0–1 loss for indices; for vectors the mean squared difference after clipping both to [-1, 1].
    fn loss(a: &[Self], b: &[Self]) -> f64;

    /// Clips every coordinate to [-1, 1] where actions are vectors.
    fn clip(actions: &mut [Self]);

    /// The members' joint action: the mean of their actions, or the index that most of them choose, the lowest of
    /// several such. `members` are rows as wide as `action`, one after the other.
    fn aggregate(members: &[Self], action: &mut [Self]);

    /// Draws from Unif(𝒜): uniform over indices, or over [-1, 1]ⁿ.
    fn draw_uniform(size: usize, rng: &mut Rng, action: &mut [Self]);

    /// All actions where there are finitely many.
    fn all(size: usize) -> Option<Vec<Self>>;

    /// Adds noise: of these variances per coordinate, or where actions are indices, a random one with this probability.
    fn add_noise(action: &mut [Self], variance: &[f64], size: usize, rng: &mut Rng);

    /// Where an action leaves its box, if it does.
    fn outside(bounds: &Bounds, action: &[Self]) -> Option<crate::Outside> {
        let _ = (bounds, action);
        None
    }

    /// From the task's units to [-1, 1]ⁿ, where actions are vectors.
    fn to_unit(bounds: &Bounds, actions: &mut Batch<Self>) {
        let _ = (bounds, actions);
    }

    /// From [-1, 1]ⁿ to the task's units, where actions are vectors.
    fn from_unit(bounds: &Bounds, actions: &mut Batch<Self>) {
        let _ = (bounds, actions);
    }
}

impl Action for f32 {
    fn loss(a: &[f32], b: &[f32]) -> f64 {
        let squared =
            |(a, b): (&f32, &f32)| f64::from(a.clamp(-1.0, 1.0) - b.clamp(-1.0, 1.0)).powi(2);
        a.iter().zip(b).map(squared).sum::<f64>() / a.len().max(1) as f64
    }

    fn clip(actions: &mut [f32]) {
        actions.iter_mut().for_each(|a| *a = a.clamp(-1.0, 1.0));
    }

    fn aggregate(members: &[f32], action: &mut [f32]) {
        action.fill(0.0);
        let members = members.chunks_exact(action.len().max(1));
        let count = members.len() as f32;
        for of_member in members {
            action.iter_mut().zip(of_member).for_each(|(sum, a)| *sum += a);
        }
        action.iter_mut().for_each(|sum| *sum /= count);
    }

    fn draw_uniform(_size: usize, rng: &mut Rng, action: &mut [f32]) {
        action.fill_with(|| rng.random_range(-1.0..=1.0));
    }

    fn all(_size: usize) -> Option<Vec<f32>> {
        None
    }

    fn add_noise(action: &mut [f32], variance: &[f64], _size: usize, rng: &mut Rng) {
        for (value, variance) in action.iter_mut().zip(variance) {
            let noise = Normal::new(0.0, variance.sqrt()).map_or(0.0, |law| law.sample(rng));
            *value += noise as f32;
        }
    }

    fn outside(bounds: &Bounds, action: &[f32]) -> Option<crate::Outside> {
        bounds.outside(action)
    }

    fn to_unit(bounds: &Bounds, actions: &mut Batch<f32>) {
        (0..actions.len()).for_each(|row| bounds.to_unit(actions.row_mut(row)));
    }

    fn from_unit(bounds: &Bounds, actions: &mut Batch<f32>) {
        (0..actions.len()).for_each(|row| bounds.from_unit(actions.row_mut(row)));
    }
}

impl Action for u32 {
    fn loss(a: &[u32], b: &[u32]) -> f64 {
        f64::from(a != b)
    }

    fn clip(_actions: &mut [u32]) {}

    fn aggregate(members: &[u32], action: &mut [u32]) {
        let mut votes = members.to_vec();
        votes.sort_unstable();
        let most = votes.chunk_by(u32::eq).rev().max_by_key(|alike| alike.len());
        action.fill(most.map_or(0, |alike| alike[0]));
    }

    fn draw_uniform(size: usize, rng: &mut Rng, action: &mut [u32]) {
        action.fill_with(|| rng.random_range(0..size.max(1) as u32));
    }

    fn all(size: usize) -> Option<Vec<u32>> {
        Some((0..size as u32).collect())
    }

    fn add_noise(action: &mut [u32], variance: &[f64], size: usize, rng: &mut Rng) {
        if variance.first().is_some_and(|&share| rng.random::<f64>() < share) {
            Self::draw_uniform(size, rng, action);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_clips_vectors_and_compares_indices() {
        // Both beyond 1 in the first coordinate: no loss there. The second: (0.5 - (-1))² / 2.
        assert!((f32::loss(&[3.0, 0.5], &[1.5, -2.0]) - 1.125).abs() < 1e-12);
        assert_eq!(u32::loss(&[2], &[2]), 0.0);
        assert_eq!(u32::loss(&[2], &[1]), 1.0);
    }

    #[test]
    fn uniform_actions_cover_their_space() {
        let mut rng = crate::Stream::new(1).rng();
        let mut seen = [0; 3];
        for _ in 0..3000 {
            let mut action = [0u32];
            u32::draw_uniform(3, &mut rng, &mut action);
            seen[action[0] as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (900..1100).contains(&n)), "{seen:?}");
        let mut action = [0.0f32; 1000];
        f32::draw_uniform(1000, &mut rng, &mut action);
        assert!(action.iter().all(|a| a.abs() <= 1.0));
        assert!(action.iter().sum::<f32>().abs() < 60.0);
    }
}
