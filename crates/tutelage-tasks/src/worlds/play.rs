//! Plays episodes of a world's expert in tests.

use tutelage::space::Element;
use tutelage::{Batch, Expert, Step, Stream};

use crate::worlds::World;

/// Resets the world and returns the steps of an episode by its expert.
pub(crate) fn play<W: World>(world: &mut W, stream: Stream) -> Vec<Step> {
    let (spaces, mut expert) = (world.spaces(), world.expert());
    let mut states = Batch::zeros(1, spaces.states);
    let mut actions = Batch::zeros(1, W::Action::width(spaces.actions));
    world.reset(stream.rng(), states.row_mut(0)).unwrap();
    let mut steps = Vec::<Step>::new();
    while !steps.last().is_some_and(Step::is_last) {
        expert.mean(&states, &mut actions).unwrap();
        steps.push(world.step(actions.row(0), states.row_mut(0)).unwrap());
    }
    steps
}
