//! What a page needs of a world: that it can be played and looked at.

use serde::Serialize;
use tutelage::{Action, Env};
use tutelage_draw::render::Picture;
use tutelage_runs::store::Stored;

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

/// Actions that go to a page and come back as numbers.
///
/// ```
/// use tutelage_teach::Answer;
///
/// assert_eq!(u32::of_numbers(&[2.0]), Some(vec![2]));
/// assert_eq!(u32::of_numbers(&[0.5]), None, "no index");
/// assert_eq!(f32::numbers(&[0.5, -1.0]), [0.5, -1.0]);
/// ```
pub trait Answer: Action + Stored {
    /// The numbers of an action.
    fn numbers(action: &[Self]) -> Vec<f64>;

    /// The action of these numbers, where they can be one.
    fn of_numbers(numbers: &[f64]) -> Option<Vec<Self>>;
}

impl Answer for f32 {
    fn numbers(action: &[f32]) -> Vec<f64> {
        action.iter().map(|&value| f64::from(value)).collect()
    }

    fn of_numbers(numbers: &[f64]) -> Option<Vec<f32>> {
        let value = |&number: &f64| Some(number as f32).filter(|value| value.is_finite());
        numbers.iter().map(value).collect()
    }
}

impl Answer for u32 {
    fn numbers(action: &[u32]) -> Vec<f64> {
        action.iter().map(|&index| f64::from(index)).collect()
    }

    fn of_numbers(numbers: &[f64]) -> Option<Vec<u32>> {
        let index = |&number: &f64| {
            (number.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(&number))
                .then_some(number as u32)
        };
        numbers.iter().map(index).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_action_are_refused() {
        assert_eq!(u32::of_numbers(&[3.0]), Some(vec![3]));
        for wrong in [-1.0, 0.5, f64::NAN, f64::INFINITY, 5e9] {
            assert_eq!(u32::of_numbers(&[wrong]), None, "{wrong}");
        }
        assert_eq!(f32::of_numbers(&[0.1, -2.0]), Some(vec![0.1, -2.0]));
        assert_eq!(f32::of_numbers(&[1e300]), None);
        let exact = [0.1f32, -0.333_333_34];
        assert_eq!(f32::of_numbers(&f32::numbers(&exact)), Some(exact.to_vec()));
    }
}
