//! The time that is left, as a coordinate of the state.

use tutelage::{Bounds, Env, EnvError, Rng, Spaces, Step};

/// Whether states end with the share of time that is left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeFeature {
    /// They do not.
    #[default]
    Omitted,
    /// They do: 1 − t/H after t of H steps.
    Included,
}

impl TimeFeature {
    /// How wide a state of this width becomes.
    pub fn width(self, states: usize) -> usize {
        states + usize::from(self == TimeFeature::Included)
    }
}

/// An environment that shows its time_feature, or not.
#[derive(Clone, Debug)]
pub struct TimeAware<E> {
    env: E,
    time_feature: TimeFeature,
    time: usize,
}

impl<E> TimeAware<E> {
    /// Wraps an environment.
    pub fn new(env: E, time_feature: TimeFeature) -> Self {
        Self { env, time_feature, time: 0 }
    }

    /// The environment inside.
    pub fn env(&self) -> &E {
        &self.env
    }
}

impl<E: Env<State = f32>> TimeAware<E> {
    /// Splits off the coordinate of the time_feature and sets it.
    fn show<'a>(&self, state: &'a mut [f32]) -> &'a mut [f32] {
        if self.time_feature == TimeFeature::Omitted || state.is_empty() {
            return state;
        }
        let (state, left) = state.split_at_mut(state.len() - 1);
        left[0] = 1.0 - self.time as f32 / self.env.horizon() as f32;
        state
    }
}

impl<E: Env<State = f32>> Env for TimeAware<E> {
    type State = f32;
    type Action = E::Action;

    fn spaces(&self) -> Spaces {
        let Spaces { states, actions } = self.env.spaces();
        Spaces { states: self.time_feature.width(states), actions }
    }

    fn horizon(&self) -> usize {
        self.env.horizon()
    }

    fn bounds(&self) -> Bounds {
        self.env.bounds()
    }

    fn reset(&mut self, rng: Rng, state: &mut [f32]) -> Result<(), EnvError> {
        self.time = 0;
        let state = self.show(state);
        self.env.reset(rng, state)
    }

    fn step(&mut self, action: &[E::Action], state: &mut [f32]) -> Result<Step, EnvError> {
        self.time += 1;
        let state = self.show(state);
        self.env.step(action, state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HORIZON, Locomotion, Robot};
    use tutelage::Stream;

    #[test]
    fn the_last_coordinate_counts_down() {
        let wrap =
            |time_feature| TimeAware::new(Locomotion::new(Robot::Hopper).unwrap(), time_feature);
        let (mut plain, mut shown) = (wrap(TimeFeature::Omitted), wrap(TimeFeature::Included));
        assert_eq!((plain.spaces().states, shown.spaces().states), (15, 16));
        let (mut a, mut b) = ([0.0; 15], [0.0; 16]);
        for _ in 0..2 {
            plain.reset(Stream::new(3).rng(), &mut a).unwrap();
            shown.reset(Stream::new(3).rng(), &mut b).unwrap();
            for t in 0..4 {
                assert_eq!((&a[..], 1.0 - t as f32 / HORIZON as f32), (&b[..15], b[15]));
                let action = [0.1, -0.2, 0.3];
                assert_eq!(
                    plain.step(&action, &mut a).unwrap(),
                    shown.step(&action, &mut b).unwrap()
                );
            }
        }
    }
}
