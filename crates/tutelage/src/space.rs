//! The two kinds of space: real vectors and indices.

mod bounds;

pub use bounds::{Bounds, BoundsError, Outside};

use std::fmt::{Debug, Display};

use rand::RngExt;
use rand_distr::{Distribution, Normal};

use crate::{Batch, Rng};

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

/// The two kinds of spaces, `Box` and `Discrete` in Gymnasium.
///
/// [`dispatch!`](crate::dispatch) runs generic code for the element type of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpaceKind {
    /// Real vectors, made of `f32`.
    Continuous,
    /// Indices, made of `u32`.
    Discrete,
}

/// Runs an expression with a type parameter bound to the element type of a [`SpaceKind`].
///
/// ```
/// use tutelage::{Element, SpaceKind, dispatch};
///
/// /// Returns how many values an action of a space of this size has.
/// fn width(kind: SpaceKind, size: usize) -> usize {
///     dispatch!(kind, A => A::width(size))
/// }
/// assert_eq!(width(SpaceKind::Continuous, 3), 3);
/// assert_eq!(width(SpaceKind::Discrete, 3), 1);
/// ```
#[macro_export]
macro_rules! dispatch {
    ($kind:expr, $A:ident => $body:expr) => {
        match $kind {
            $crate::space::SpaceKind::Continuous => {
                type $A = f32;
                $body
            }
            $crate::space::SpaceKind::Discrete => {
                type $A = u32;
                $body
            }
        }
    };
}

mod sealed {
    /// Keeps [`super::Element`] closed: `dispatch!` and stored runs know two element types.
    pub trait Sealed {}

    impl Sealed for f32 {}
    impl Sealed for u32 {}
}

/// What states and actions are made of: `f32` (one value per coordinate of ℝⁿ) or `u32` (an index below n).
///
/// The trait is sealed. It holds all that differs between the two kinds: the layout of rows, the loss ℓ, the uniform
/// distribution, and how values are stored.
///
/// ```
/// use tutelage::Element;
///
/// assert_eq!((f32::width(3), u32::width(3)), (3, 1));
/// assert!(2u32.fits(3) && !3u32.fits(3) && !f32::NAN.fits(3));
/// assert_eq!(u32::allowed(3), "0 to 2");
///
/// assert_eq!(f32::loss(&[0.5, 3.0], &[0.0, 1.0]), 0.125); // 3 counts as 1
/// assert_eq!(u32::loss(&[2], &[1]), 1.0);
///
/// let (mut mean, mut vote) = ([0.0], [0]);
/// f32::aggregate(&[0.0, 0.5, 1.0], &mut mean);
/// u32::aggregate(&[2, 0, 2], &mut vote);
/// assert_eq!((mean, vote), ([0.5], [2]));
///
/// assert_eq!((u32::from_f64(2.0), u32::from_f64(0.5)), (2, u32::MAX));
/// ```
pub trait Element:
    sealed::Sealed + Copy + Default + PartialEq + Debug + Display + Into<f64> + Send + Sync + 'static
{
    /// The kind of spaces that are made of this type.
    const KIND: SpaceKind;

    /// How many values a row of a space of this size has.
    fn width(size: usize) -> usize {
        match Self::KIND {
            SpaceKind::Continuous => size,
            SpaceKind::Discrete => 1,
        }
    }

    /// Whether the value may stand in a row of a space of this size.
    fn fits(self, size: usize) -> bool;

    /// Describes the values that fit.
    fn allowed(size: usize) -> String {
        match Self::KIND {
            SpaceKind::Continuous => "finite numbers".into(),
            SpaceKind::Discrete => format!("0 to {}", size.saturating_sub(1)),
        }
    }

    /// ℓ(a, a′): 0–1 loss for indices; for vectors the mean squared difference after clipping both to [-1, 1].
    fn loss(a: &[Self], b: &[Self]) -> f64;

    /// Clips every coordinate of vectors to [-1, 1].
    fn clip(actions: &mut [Self]);

    /// The members' joint action: the mean of their actions, or the index that most of them choose (the lowest on ties).
    /// `members` are rows as wide as `action`, one after the other.
    fn aggregate(members: &[Self], action: &mut [Self]);

    /// Draws from Unif(𝒜): uniform over indices, or over [-1, 1]ⁿ.
    fn draw_uniform(size: usize, rng: &mut Rng, action: &mut [Self]);

    /// All actions of a discrete space.
    fn all(size: usize) -> Option<Vec<Self>>;

    /// Adds noise: of these variances per coordinate, or a random index with this probability.
    fn add_noise(action: &mut [Self], variance: &[f64], size: usize, rng: &mut Rng);

    /// The first coordinate of a vector that is outside its box, if any.
    fn outside(_bounds: &Bounds, _action: &[Self]) -> Option<crate::space::Outside> {
        None
    }

    /// Maps vectors from the task's units to [-1, 1]ⁿ.
    fn to_unit(_bounds: &Bounds, _actions: &mut Batch<Self>) {}

    /// Maps vectors from [-1, 1]ⁿ to the task's units.
    fn from_unit(_bounds: &Bounds, _actions: &mut Batch<Self>) {}

    /// The value as a number.
    fn to_f64(self) -> f64 {
        self.into()
    }

    /// The value of a number. Numbers that are not valid indices become `u32::MAX`, which every space rejects.
    fn from_f64(number: f64) -> Self;

    /// The value as little-endian bytes.
    fn to_bytes(self) -> [u8; 4];

    /// The value of little-endian bytes.
    fn from_bytes(bytes: [u8; 4]) -> Self;
}

/// The action space 𝒜 of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSpace {
    /// The number of coordinates, or of distinct values.
    pub size: usize,
    /// The box of vector actions, in the task's units.
    pub bounds: Bounds,
}

/// Why rows do not belong to a space.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// The number of rows is wrong.
    #[error("{found} rows, expected {expected}")]
    Rows {
        /// The number of rows found.
        found: usize,
        /// The expected number.
        expected: usize,
    },
    /// The width of rows is wrong.
    #[error("rows of {found} values, expected {expected}")]
    Width {
        /// The width found.
        found: usize,
        /// The expected width.
        expected: usize,
    },
    /// A value is outside the space.
    #[error("row {row}, column {index}: {value}, expected {expected}")]
    Value {
        /// The row.
        row: usize,
        /// The position in the row.
        index: usize,
        /// The value found.
        value: String,
        /// The accepted values.
        expected: String,
    },
}

/// Checks that `count` rows belong to a space of this size. All data from outside passes this check.
pub fn check_rows<T: Element>(
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
            let (value, expected) = (value.to_string(), T::allowed(size));
            Err(SpaceError::Value { row, index, value, expected })
        }
    }
}

impl ActionSpace {
    /// Checks `count` actions in the task's units.
    pub(crate) fn check<A: Element>(
        &self,
        actions: &Batch<A>,
        count: usize,
    ) -> Result<(), SpaceError> {
        check_rows(actions, count, self.size)?;
        let wrong = |(row, action)| A::outside(&self.bounds, action).map(|outside| (row, outside));
        match actions.rows().enumerate().find_map(wrong) {
            None => Ok(()),
            Some((row, crate::space::Outside { index, value, interval: [low, high] })) => {
                let expected = format!("{low} to {high} (the environment does not clip)");
                Err(SpaceError::Value { row, index, value: value.to_string(), expected })
            }
        }
    }
}

impl Element for f32 {
    const KIND: SpaceKind = SpaceKind::Continuous;

    fn fits(self, _size: usize) -> bool {
        self.is_finite()
    }

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

    fn outside(bounds: &Bounds, action: &[f32]) -> Option<crate::space::Outside> {
        bounds.outside(action)
    }

    fn to_unit(bounds: &Bounds, actions: &mut Batch<f32>) {
        (0..actions.len()).for_each(|row| bounds.to_unit(actions.row_mut(row)));
    }

    fn from_unit(bounds: &Bounds, actions: &mut Batch<f32>) {
        (0..actions.len()).for_each(|row| bounds.from_unit(actions.row_mut(row)));
    }

    fn from_f64(number: f64) -> Self {
        number as f32
    }

    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }

    fn from_bytes(bytes: [u8; 4]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

impl Element for u32 {
    const KIND: SpaceKind = SpaceKind::Discrete;

    fn fits(self, size: usize) -> bool {
        (self as usize) < size
    }

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

    fn from_f64(number: f64) -> Self {
        let is_index = number.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(&number);
        if is_index { number as u32 } else { u32::MAX }
    }

    fn to_bytes(self) -> [u8; 4] {
        self.to_le_bytes()
    }

    fn from_bytes(bytes: [u8; 4]) -> Self {
        Self::from_le_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_indices_fit_no_space() {
        for wrong in [-1.0, 0.5, f64::NAN, f64::INFINITY, 5e9] {
            assert!(!u32::from_f64(wrong).fits(u32::MAX as usize), "{wrong}");
        }
        assert!(!f32::from_f64(1e300).fits(1));
        assert_eq!(f32::from_f64(f64::from(-0.333_333_34f32)), -0.333_333_34);
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
