//! What a page needs of a world: that it can be played and looked at.

use serde::Serialize;
use tutelage::{Element, Env};
use tutelage_draw::render::Picture;

/// An environment that can be looked at while it is played.
///
/// An episode is a function of its generator and its actions, so a page needs no video: any moment of a run is played again and
/// drawn.
///
/// ```
/// use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step};
/// use tutelage_draw::render::Picture;
/// use tutelage_teach::{Show, View};
/// use tutelage_worlds::{Draw, PendulumEnv};
///
/// /// A pendulum that can be looked at.
/// struct Shown(PendulumEnv);
/// impl Env for Shown {
///     type State = f32;
///     type Action = f32;
///     fn spaces(&self) -> Spaces {
///         self.0.spaces()
///     }
///     fn horizon(&self) -> usize {
///         self.0.horizon()
///     }
///     fn bounds(&self) -> Bounds {
///         self.0.bounds()
///     }
///     fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
///         self.0.reset(rng, state)
///     }
///     fn step(&mut self, action: &[f32], state: &mut [f32]) -> Result<Step, EnvError> {
///         self.0.step(action, state)
///     }
/// }
/// impl Show for Shown {
///     fn look(&self) -> View {
///         View::Shapes(self.0.picture())
///     }
/// }
/// assert!(matches!(Shown(PendulumEnv::default()).look(), View::Shapes(_)));
/// ```
pub trait Show: Env<State = f32> {
    /// How it looks now.
    fn look(&self) -> View;
}

/// What an environment looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// Shapes in a plane, which the page draws in its own colours.
    Shapes(Picture),
    /// A picture as a PNG file.
    Png(Vec<u8>),
}

/// How a person acts in a task: what the keys, the pad and the sliders of the page stand for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Controls {
    /// One of a few actions, by name.
    Choice(Vec<String>),
    /// A number for each of these.
    Axes(Vec<Axis>),
}

/// A number of an action.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What it is: "steering".
    pub name: String,
    /// What its least value means: "right".
    pub low_label: String,
    /// What its greatest value means: "left".
    pub high_label: String,
    /// Its least value.
    pub low: f32,
    /// Its greatest value.
    pub high: f32,
}

/// Returns an action as the numbers that a page shows.
pub(crate) fn numbers<A: Element>(action: &[A]) -> Vec<f64> {
    action.iter().map(|value| value.to_f64()).collect()
}

/// Returns the action that a page's numbers stand for, unless they are not finite or not indices.
pub(crate) fn action_of_numbers<A: Element>(numbers: &[f64]) -> Option<Vec<A>> {
    let fits = |value: &A| value.fits(u32::MAX as usize);
    numbers.iter().map(|&number| Some(A::from_f64(number)).filter(fits)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_action_are_refused() {
        assert_eq!(action_of_numbers::<u32>(&[3.0]), Some(vec![3]));
        for wrong in [-1.0, 0.5, f64::NAN, f64::INFINITY, 5e9] {
            assert_eq!(action_of_numbers::<u32>(&[wrong]), None, "{wrong}");
        }
        assert_eq!(action_of_numbers(&[0.1, -2.0]), Some(vec![0.1f32, -2.0]));
        assert_eq!(action_of_numbers::<f32>(&[1e300]), None);
        let exact = [0.1f32, -0.333_333_34];
        assert_eq!(action_of_numbers(&numbers(&exact)), Some(exact.to_vec()));
    }
}
