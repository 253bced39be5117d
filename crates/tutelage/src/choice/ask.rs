//! Choice 2: which of the states reached are asked about.

use rand::RngExt;

use crate::actor::rollout::Rollouts;
use crate::actor::{Actor, RolloutError, Steps};
use crate::choice::sampling::Scope;
use crate::policy::disagreement;
use crate::{Batch, Element, Policy, PolicyError, Sampling, Schedule, Stream, VectorEnv};

/// Which states the expert is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// K states, taken from trajectories in this way.
    Sampled(Sampling),
    /// K states, taken in this way from the part of each trajectory in which the learner drives after the expert handed over.
    InWindow(Sampling),
    /// The K of m·K states so taken about which the members disagree most.
    MostDisputed {
        /// m.
        of: usize,
        /// How the m·K states are taken.
        sampling: Sampling,
    },
    /// Every `every`-th state in which the expert drove, at most K. A round in which it hardly ever did is short.
    WhereExpertDrove {
        /// The stride.
        every: usize,
    },
}

/// Where a state comes from: with the round's stream and whoever drove, enough to play the episode again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Which of the round's episodes (of its draws, where states are drawn independently).
    pub episode: u64,
    /// Which attempt at that draw.
    pub attempt: u32,
    /// How many steps into the episode.
    pub time: u32,
}

impl Origin {
    /// The randomness of the episode: its first state is drawn from `fork("env", 0)`, and whoever drove drew from
    /// `fork("act", 0)`.
    ///
    /// With the actions taken since, or with πₙ, which took them, that is the whole episode.
    pub fn stream(&self, schedule: &Schedule, round: usize, ask: Ask) -> Stream {
        let drive = schedule.round(round).fork("drive", 0);
        match ask.sampling() {
            Sampling::Stride(_) => drive.fork("episode", self.episode),
            Sampling::Independent => {
                drive.fork("draw", self.episode).fork("attempt", u64::from(self.attempt))
            }
        }
    }
}

/// The states of a round, with what is known of each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Collected<S> {
    pub(crate) states: Batch<S>,
    pub(crate) origins: Vec<Origin>,
    /// The rewards of the episode up to there.
    pub(crate) rewards: Vec<f64>,
    pub(crate) steps: Steps,
}

/// Rounds in which the gate hardly ever opens end after this many times the steps that K states at this stride take.
const PATIENCE: u64 = 5;

impl Ask {
    /// Collects the states to ask about in a round, up to `count`.
    pub(crate) fn collect<W: VectorEnv, P>(
        self,
        envs: &mut W,
        actor: &mut dyn Actor<W::State, W::Action>,
        policy: &P,
        count: usize,
        stream: Stream,
    ) -> Result<Collected<W::State>, RolloutError>
    where
        P: Policy<State = W::State, Action = W::Action>,
    {
        match self {
            Self::Sampled(sampling) => sampling.collect(envs, actor, Scope::Episode, count, stream),
            Self::InWindow(sampling) => sampling.collect(envs, actor, Scope::Window, count, stream),
            Self::MostDisputed { of, sampling } => {
                let candidates =
                    sampling.collect(envs, actor, Scope::Episode, count * of, stream)?;
                let width = W::Action::width(envs.spaces().actions);
                Ok(candidates.most_disputed(policy, count, width)?)
            }
            Self::WhereExpertDrove { every } => {
                where_expert_drove(Rollouts::new(envs, actor), every, count, stream)
            }
        }
    }

    /// This choice in a few words, as tables show it.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Sampled(_) => "every 20th state, or independent draws",
            Self::InWindow(_) => "the same, within the learner's window",
            Self::MostDisputed { .. } => "the most disputed of m times as many",
            Self::WhereExpertDrove { .. } => "where the expert drove",
        }
    }

    /// How states are taken from trajectories, where that is a matter of choice.
    pub fn sampling(self) -> Sampling {
        match self {
            Self::Sampled(sampling)
            | Self::InWindow(sampling)
            | Self::MostDisputed { sampling, .. } => sampling,
            Self::WhereExpertDrove { every } => Sampling::Stride(every),
        }
    }
}

impl<S: Element> Collected<S> {
    pub(crate) fn new(width: usize) -> Self {
        Self {
            states: Batch::new(width),
            origins: vec![],
            rewards: vec![],
            steps: Steps::default(),
        }
    }

    pub(crate) fn push(&mut self, state: &[S], origin: Origin, reward: f64) {
        self.states.push(state);
        self.origins.push(origin);
        self.rewards.push(reward);
    }

    /// The `count` rows on which members disagree most, in the order in which they were reached.
    fn most_disputed<P: Policy<State = S>>(
        &self,
        policy: &P,
        count: usize,
        width: usize,
    ) -> Result<Self, PolicyError> {
        let mut mean = Batch::zeros(self.states.len(), width);
        policy.act_mean(&self.states, &mut mean)?;
        let disputes = disagreement(policy, &self.states, &mean)?;
        let mut rows: Vec<usize> = (0..self.states.len()).collect();
        rows.sort_by(|&a, &b| disputes[b].total_cmp(&disputes[a]).then(a.cmp(&b)));
        rows.truncate(count);
        rows.sort_unstable();
        let mut chosen = Self { steps: self.steps, ..Self::new(self.states.width()) };
        rows.iter().for_each(|&row| {
            chosen.push(self.states.row(row), self.origins[row], self.rewards[row]);
        });
        Ok(chosen)
    }
}

fn where_expert_drove<W: VectorEnv>(
    mut rollouts: Rollouts<'_, W>,
    every: usize,
    count: usize,
    stream: Stream,
) -> Result<Collected<W::State>, RolloutError> {
    const LANE: usize = 0;
    let mut taken = Collected::new(W::State::width(rollouts.envs().spaces().states));
    let patience = PATIENCE * (every * count) as u64;
    let mut episode = 0;
    let mut next = stream.fork("offset", 0).rng().random_range(1..=every);
    while taken.states.len() < count && rollouts.steps().all < patience {
        rollouts.begin(LANE, stream.fork("episode", episode))?;
        while taken.states.len() < count {
            let (time, reward) = (rollouts.time(LANE) as u32, rollouts.reward(LANE));
            rollouts.advance()?;
            next -= usize::from(rollouts.expert_drove(LANE));
            if next == 0 {
                let origin = Origin { episode, attempt: 0, time };
                taken.push(rollouts.acted().1.row(0), origin, reward);
                next = every;
            }
            if rollouts.last_step(LANE).is_last() {
                break;
            }
        }
        rollouts.end(LANE);
        episode += 1;
    }
    Ok(Collected { steps: rollouts.steps(), ..taken })
}
