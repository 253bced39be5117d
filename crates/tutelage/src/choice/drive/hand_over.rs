//! Hand-over windows: the expert drives until a random time step, then the learner for a while.

use std::collections::HashMap;
use std::ops::Range;

use rand::RngExt;

use super::check_share;
use super::turns::Turns;
use crate::actor::{Actor, RolloutError};
use crate::lesson::LearnError;
use crate::{Batch, Policy, Rng, Stream};

/// When the expert hands over, and for how long. In round n an episode's window is [T, T + Lₙ):
///
/// ```text
/// T  = 0 with probability s, otherwise ~ Unif[0, H − Lₙ)
/// Lₙ = H · min(1, ℓ + g · max(0, n − m))
/// ```
///
/// The expert drives before T, πₙ in the window; in the first r rounds the expert drives the window too. Lengths are shares
/// of the horizon H, so that they suit tasks of any horizon. Once Lₙ = H the learner drives whole episodes, as in DAgger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows {
    /// s: the probability that a window starts with its episode.
    pub at_start: f64,
    /// ℓ: the length of the first windows.
    pub length: f64,
    /// g: the growth of windows per round.
    pub growth: f64,
    /// m: the rounds before windows grow.
    pub steady: usize,
    /// r: the rounds in which the expert drives the window too.
    pub by_expert: usize,
}

impl Default for Windows {
    /// A tenth of the horizon for six rounds, half of the windows at the start; the expert drives the first round.
    fn default() -> Self {
        Self { at_start: 0.5, length: 0.1, growth: 0.05, steady: 6, by_expert: 1 }
    }
}

impl Windows {
    /// Lₙ in steps, at least one.
    pub fn steps(&self, round: usize, horizon: usize) -> usize {
        let grown = round.saturating_sub(self.steady) as f64 * self.growth;
        let share = (self.length + grown).clamp(0.0, 1.0);
        ((share * horizon as f64).round() as usize).max(1)
    }

    /// [T, T + Lₙ) of this episode.
    fn of(&self, episode: Stream, round: usize, horizon: usize) -> Range<usize> {
        let mut rng = episode.fork("window", 0).rng();
        let length = self.steps(round, horizon);
        let latest = horizon.saturating_sub(length);
        let at_start = rng.random::<f64>() < self.at_start || latest == 0;
        let start = if at_start { 0 } else { rng.random_range(0..latest) };
        start..start + length
    }

    pub(super) fn check(&self) -> Result<(), LearnError> {
        check_share("at_start", self.at_start)?;
        check_share("length", self.length)?;
        check_share("growth", self.growth)
    }
}

pub(super) struct HandOver<'a, P: Policy> {
    windows: Windows,
    round: usize,
    horizon: usize,
    turns: Turns<'a, P>,
    /// The window of each lane's episode, and the number of steps so far.
    episodes: HashMap<usize, (Range<usize>, usize)>,
}

impl<'a, P: Policy> HandOver<'a, P> {
    pub(super) fn new(windows: Windows, round: usize, horizon: usize, turns: Turns<'a, P>) -> Self {
        Self { windows, round, horizon, turns, episodes: HashMap::new() }
    }
}

impl<P: Policy> Actor<P::State, P::Action> for HandOver<'_, P> {
    fn begin(&mut self, lane: usize, episode: Stream) {
        let window = self.windows.of(episode, self.round, self.horizon);
        self.episodes.insert(lane, (window, 0));
    }

    fn act(
        &mut self,
        lanes: &[usize],
        states: &Batch<P::State>,
        rngs: &mut [Rng],
        actions: &mut Batch<P::Action>,
    ) -> Result<(), RolloutError> {
        let throughout = self.round <= self.windows.by_expert;
        let expert_next = |lane, _: &mut Rng| {
            let (window, time) = self.episodes.entry(lane).or_default();
            *time += 1;
            throughout || *time <= window.start
        };
        self.turns.act(expert_next, lanes, states, rngs, actions)
    }

    fn expert_drove(&self, lane: usize) -> bool {
        self.turns.expert_drove(lane)
    }

    fn window(&self, lane: usize) -> Range<usize> {
        self.episodes.get(&lane).map_or(0..usize::MAX, |(window, _)| window.clone())
    }
}
