//! How states are sampled from trajectories.

use std::ops::Range;

use rand::RngExt;

use crate::Element;
use crate::actor::rollout::Rollouts;
use crate::actor::{Actor, RolloutError};
use crate::choice::ask::Collected;
use crate::lesson::Origin;
use crate::{Batch, Stream, VectorEnv};

/// How states are sampled from trajectories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Every n-th state of consecutive trajectories, from a random offset in each; never a first state.
    Stride(usize),
    /// Independent draws from d_π. Each rolls out an episode to a uniform time t < H, and another if that one ends earlier.
    Independent,
}

impl Sampling {
    /// Collects `count` states that `actor` reaches.
    pub(crate) fn collect<W: VectorEnv>(
        self,
        envs: &mut W,
        actor: &mut dyn Actor<W::State, W::Action>,
        scope: Scope,
        count: usize,
        stream: Stream,
    ) -> Result<Collected<W::State>, RolloutError> {
        let rollouts = Rollouts::new(envs, actor);
        match self {
            Self::Stride(stride) => every(rollouts, stride.max(1), scope, count, stream),
            Self::Independent => Draws::new(rollouts, scope, count, stream).play(),
        }
    }
}

/// The part of a trajectory that states are sampled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The whole episode.
    Episode,
    /// The actor's window ([`Actor::window`]).
    Window,
}

impl Scope {
    /// The time steps of a lane's episode.
    fn times<W: VectorEnv>(self, rollouts: &Rollouts<'_, W>, lane: usize) -> Range<usize> {
        match self {
            Self::Episode => 0..usize::MAX,
            Self::Window => rollouts.window(lane),
        }
    }
}

/// The number of consecutive episodes without a state after which collecting fails.
const FRUITLESS_EPISODES: u64 = 10_000;

fn every<W: VectorEnv>(
    mut rollouts: Rollouts<'_, W>,
    stride: usize,
    scope: Scope,
    count: usize,
    stream: Stream,
) -> Result<Collected<W::State>, RolloutError> {
    const LANE: usize = 0;
    let mut taken = Collected::new(W::State::width(rollouts.envs().spaces().states));
    let (mut episode, mut fruitless) = (0, 0);
    while fruitless < FRUITLESS_EPISODES {
        let before = taken.states.len();
        let stream = stream.fork("episode", episode);
        let offset = stream.fork("offset", 0).rng().random_range(1..=stride);
        rollouts.begin(LANE, stream)?;
        let times = scope.times(&rollouts, LANE);
        let mut next = times.start + offset;
        for time in 1..=times.end {
            rollouts.advance()?;
            if rollouts.last_step(LANE).is_last() {
                break;
            }
            if time == next {
                let origin = Origin { episode, attempt: 0, time: time as u32 };
                taken.push(rollouts.envs().state(LANE), origin, rollouts.reward(LANE));
                next += stride;
            }
            if taken.states.len() == count {
                return Ok(Collected { steps: rollouts.steps(), ..taken });
            }
        }
        rollouts.end(LANE);
        episode += 1;
        fruitless = if taken.states.len() == before { fruitless + 1 } else { 0 };
    }
    Err(RolloutError::NoStates { episodes: fruitless })
}

/// Independent draws, one per lane at a time.
struct Draws<'a, W: VectorEnv> {
    rollouts: Rollouts<'a, W>,
    scope: Scope,
    stream: Stream,
    waiting: Range<usize>,
    taken: Collected<W::State>,
}

/// A draw: its row, the attempt, and the time at which its episode stops.
struct Draw {
    row: usize,
    attempt: u32,
    stop: Option<usize>,
}

impl Draw {
    fn new(row: usize) -> Self {
        Self { row, attempt: 0, stop: None }
    }
}

impl<'a, W: VectorEnv> Draws<'a, W> {
    fn new(rollouts: Rollouts<'a, W>, scope: Scope, count: usize, stream: Stream) -> Self {
        let taken = Collected {
            states: Batch::zeros(count, W::State::width(rollouts.envs().spaces().states)),
            origins: vec![Origin::default(); count],
            rewards: vec![0.0; count],
            steps: rollouts.steps(),
        };
        Self { rollouts, scope, stream, waiting: 0..count, taken }
    }

    fn play(mut self) -> Result<Collected<W::State>, RolloutError> {
        let mut draws: Vec<Option<Draw>> = Vec::new();
        draws.resize_with(self.rollouts.envs().count(), || self.waiting.next().map(Draw::new));
        for (lane, draw) in draws.iter_mut().enumerate() {
            self.take(lane, draw)?;
        }
        while draws.iter().any(Option::is_some) {
            self.rollouts.advance()?;
            for (lane, slot) in draws.iter_mut().enumerate() {
                let Some(draw) = slot else { continue };
                if self.rollouts.last_step(lane).is_last() {
                    self.rollouts.end(lane); // too early: try again
                    *draw = Draw { attempt: draw.attempt + 1, ..Draw::new(draw.row) };
                }
                self.take(lane, slot)?;
            }
        }
        Ok(Collected { steps: self.rollouts.steps(), ..self.taken })
    }

    /// Takes states from this lane and starts episodes until one must be stepped or all draws are done.
    fn take(&mut self, lane: usize, slot: &mut Option<Draw>) -> Result<(), RolloutError> {
        while let Some(draw) = slot {
            let stop = match draw.stop {
                Some(stop) => stop,
                None => self.begin(lane, draw)?,
            };
            if self.rollouts.time(lane) < stop {
                break;
            }
            let state = self.rollouts.envs().state(lane);
            self.taken.states.row_mut(draw.row).copy_from_slice(state);
            self.taken.rewards[draw.row] = self.rollouts.reward(lane);
            self.taken.origins[draw.row] =
                Origin { episode: draw.row as u64, attempt: draw.attempt, time: stop as u32 };
            self.rollouts.end(lane);
            *slot = self.waiting.next().map(Draw::new);
        }
        Ok(())
    }

    /// Starts an episode for this draw and returns the time at which to stop.
    fn begin(&mut self, lane: usize, draw: &mut Draw) -> Result<usize, RolloutError> {
        let attempt = u64::from(draw.attempt);
        let episode = self.stream.fork("draw", draw.row as u64).fork("attempt", attempt);
        self.rollouts.begin(lane, episode)?;
        let Range { start, end } = self.scope.times(&self.rollouts, lane);
        let end = end.min(self.rollouts.envs().horizon()).max(start + 1);
        let stop = episode.fork("time", 0).rng().random_range(start..end);
        draw.stop = Some(stop);
        Ok(stop)
    }
}
