//! How K states are read off trajectories.

use std::ops::Range;

use rand::RngExt;

use crate::rollout::Rollouts;
use crate::{Actor, Batch, Element, Env, Expert, Lanes, Policy, RolloutError, Stream};

/// How the K states of a round are taken from whoever drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Every so-many-th state of one trajectory after another, from an offset drawn anew for each; never a first state.
    Stride(usize),
    /// K independent draws from d_π: for each, an episode is rolled out to a uniform time t < H (and again, should it
    /// end before).
    Independent,
}

/// Collects K states that `actor` reaches.
pub(crate) fn collect<E, P, X>(
    lanes: &mut Lanes<E>,
    actor: Actor<'_, P, X>,
    sampling: Sampling,
    count: usize,
    stream: Stream,
) -> Result<Batch<E::State>, RolloutError>
where
    E: Env,
    P: Policy<State = E::State, Action = E::Action>,
    X: Expert<State = E::State, Action = E::Action>,
{
    let rollouts = Rollouts::new(lanes, actor);
    match sampling {
        Sampling::Stride(stride) => rollouts.every(stride.max(1), count, stream),
        Sampling::Independent => rollouts.independent(count, stream),
    }
}

/// Episodes without a state to take, one after another, before we say that there will be none.
const FRUITLESS_EPISODES: u64 = 10_000;

/// One of K independent draws: which, at which attempt, at what time of its episode, and when to stop.
struct Draw {
    row: usize,
    attempt: u64,
    time: usize,
    stop: usize,
}

impl Draw {
    fn new(row: usize) -> Self {
        Self { row, attempt: 0, time: 0, stop: 0 }
    }
}

impl<E, P, X> Rollouts<'_, E, P, X>
where
    E: Env,
    P: Policy<State = E::State, Action = E::Action>,
    X: Expert<State = E::State, Action = E::Action>,
{
    fn every(
        mut self,
        stride: usize,
        count: usize,
        stream: Stream,
    ) -> Result<Batch<E::State>, RolloutError> {
        const LANE: usize = 0;
        let mut states = Batch::new(E::State::width(self.lanes().spaces().states));
        let (mut episode, mut fruitless) = (0, 0);
        while fruitless < FRUITLESS_EPISODES {
            let before = states.len();
            let stream = stream.fork("episode", episode);
            let mut next = stream.fork("offset", 0).rng().random_range(1..=stride);
            self.begin(LANE, stream)?;
            for time in 1.. {
                self.advance()?;
                if self.last_step(LANE).is_last() {
                    break;
                }
                if time == next {
                    states.push(self.lanes().state(LANE));
                    next += stride;
                }
                if states.len() == count {
                    return Ok(states);
                }
            }
            self.end(LANE);
            episode += 1;
            fruitless = if states.len() == before { fruitless + 1 } else { 0 };
        }
        Err(RolloutError::NoStates { episodes: fruitless })
    }

    fn independent(
        mut self,
        count: usize,
        stream: Stream,
    ) -> Result<Batch<E::State>, RolloutError> {
        let mut states = Batch::zeros(count, E::State::width(self.lanes().spaces().states));
        let mut waiting = 0..count;
        let mut draws: Vec<Option<Draw>> = Vec::new();
        draws.resize_with(self.lanes().count(), || waiting.next().map(Draw::new));
        for (lane, draw) in draws.iter_mut().enumerate() {
            self.take(lane, draw, &mut waiting, &mut states, &stream)?;
        }
        while draws.iter().any(Option::is_some) {
            self.advance()?;
            for (lane, slot) in draws.iter_mut().enumerate() {
                let Some(draw) = slot else { continue };
                draw.time += 1;
                if self.last_step(lane).is_last() {
                    self.end(lane); // before its time: try again
                    *draw = Draw { attempt: draw.attempt + 1, ..Draw::new(draw.row) };
                }
                self.take(lane, slot, &mut waiting, &mut states, &stream)?;
            }
        }
        Ok(states)
    }

    /// Takes states from this lane, beginning episodes for them, until one has to be stepped or nothing is left to draw.
    fn take(
        &mut self,
        lane: usize,
        slot: &mut Option<Draw>,
        waiting: &mut Range<usize>,
        states: &mut Batch<E::State>,
        stream: &Stream,
    ) -> Result<(), RolloutError> {
        while let Some(draw) = slot {
            if draw.time == 0 {
                let episode = stream.fork("draw", draw.row as u64).fork("attempt", draw.attempt);
                draw.stop =
                    episode.fork("time", 0).rng().random_range(0..self.lanes().horizon().max(1));
                self.begin(lane, episode)?;
            }
            if draw.time < draw.stop {
                break;
            }
            states.row_mut(draw.row).copy_from_slice(self.lanes().state(lane));
            self.end(lane);
            *slot = waiting.next().map(Draw::new);
        }
        Ok(())
    }
}
