//! The two kinds of space: real vectors and indices.

use std::fmt::{Debug, Display};

use rand::RngExt;

use crate::Rng;

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
pub trait Element: Copy + Default + PartialEq + Debug + Display + Send + Sync + 'static {
    /// How many values a row of a space of this size has.
    fn width(size: usize) -> usize;

    /// Whether the value may stand in a row of a space of this size.
    fn fits(self, size: usize) -> bool;
}

impl Element for f32 {
    fn width(size: usize) -> usize {
        size
    }

    fn fits(self, _size: usize) -> bool {
        self.is_finite()
    }
}

impl Element for u32 {
    fn width(_size: usize) -> usize {
        1
    }

    fn fits(self, size: usize) -> bool {
        (self as usize) < size
    }
}

/// What the paper asks of actions: a loss ℓ and the uniform distribution Unif(𝒜).
pub trait Action: Element {
    /// ℓ(a, a′): 0–1 loss for indices; for vectors the mean squared difference after clipping both to [-1, 1].
    fn loss(a: &[Self], b: &[Self]) -> f64;

    /// Clips every coordinate to [-1, 1] where actions are vectors.
    fn clip(actions: &mut [Self]);

    /// Draws from Unif(𝒜): uniform over indices, or over [-1, 1]ⁿ.
    fn draw_uniform(size: usize, rng: &mut Rng, action: &mut [Self]);

    /// All actions where there are finitely many.
    fn all(size: usize) -> Option<Vec<Self>>;
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

    fn draw_uniform(_size: usize, rng: &mut Rng, action: &mut [f32]) {
        action.fill_with(|| rng.random_range(-1.0..=1.0));
    }

    fn all(_size: usize) -> Option<Vec<f32>> {
        None
    }
}

impl Action for u32 {
    fn loss(a: &[u32], b: &[u32]) -> f64 {
        f64::from(a != b)
    }

    fn clip(_actions: &mut [u32]) {}

    fn draw_uniform(size: usize, rng: &mut Rng, action: &mut [u32]) {
        action.fill_with(|| rng.random_range(0..size.max(1) as u32));
    }

    fn all(size: usize) -> Option<Vec<u32>> {
        Some((0..size as u32).collect())
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
