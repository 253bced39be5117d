//! What a page shows of an environment, and how a person acts in it.

use serde::Serialize;
use tutelage::Element;
use tutelage_draw::render::{Drawing, Picture, Render, Renderer};

/// The size in pixels of environments that the page cannot draw itself.
const SIZE: (usize, usize) = (320, 240);

/// What a page shows of an environment at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum View {
    /// Shapes in a plane, which the page draws in its own colors.
    Shapes(Picture),
    /// A PNG file.
    Png(Vec<u8>),
}

impl View {
    /// Draws an environment. A question can be answered by its numbers alone, so a drawing that fails is an empty file.
    pub(crate) fn of<E: Render + ?Sized>(env: &E) -> Self {
        match env.render() {
            Drawing::Picture(picture) => Self::Shapes(picture),
            drawing => {
                let frame = Renderer::new(SIZE.0, SIZE.1).and_then(|it| it.draw(&drawing));
                Self::Png(frame.map_or(vec![], |frame| frame.to_png()))
            }
        }
    }
}

/// How a person sets an action with keys, a pad or sliders.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Controls {
    /// One of a few actions, by name.
    Choice(Vec<String>),
    /// One number per axis.
    Axes(Vec<Axis>),
}

impl Default for Controls {
    fn default() -> Self {
        Self::Choice(vec![])
    }
}

/// One number of an action.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// For example "steering".
    pub name: String,
    /// The meaning of the lowest value: "right".
    pub low_label: String,
    /// The meaning of the highest value: "left".
    pub high_label: String,
    /// The lowest value.
    pub low: f32,
    /// The highest value.
    pub high: f32,
}

/// Returns an action as the numbers that a page shows.
pub(crate) fn numbers<A: Element>(action: &[A]) -> Vec<f64> {
    action.iter().map(|value| value.to_f64()).collect()
}

/// Returns the action of these numbers, unless one is not finite or not an index.
pub(crate) fn action_of_numbers<A: Element>(numbers: &[f64]) -> Option<Vec<A>> {
    let fits = |value: &A| value.fits(u32::MAX as usize);
    numbers.iter().map(|&number| Some(A::from_f64(number)).filter(fits)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_numbers_are_not_actions() {
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
