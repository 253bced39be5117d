//! Choice 2: which of the states that were reached the expert labels.

use rand::RngExt;

use crate::actor::rollout::Rollouts;
use crate::actor::{Actor, RolloutError, Steps};
use crate::choice::sampling::Scope;
use crate::policy::disagreement;
use crate::{Batch, Element, Policy, PolicyError, Sampling, Schedule, Stream, VectorEnv};

/// Which states the expert labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// K states, sampled from trajectories.
    Sampled(Sampling),
    /// K states, sampled from the part of each trajectory in which the learner drives after the expert handed over.
    InWindow(Sampling),
    /// The K of m·K sampled states on which the members disagree most.
    MostDisputed {
        /// m.
        of: usize,
        /// How the m·K states are sampled.
        sampling: Sampling,
    },
    /// Every `every`-th state in which the expert drove, at most K. If it rarely drives, the round is short.
    WhereExpertDrove {
        /// The stride.
        every: usize,
    },
}

/// Where a state comes from. Together with the round's stream and the actor this suffices to replay the episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The index of the episode in its round, or of the draw if states are drawn independently.
    pub episode: u64,
    /// The attempt at that draw.
    pub attempt: u32,
    /// The time step in the episode.
    pub time: u32,
}

impl Origin {
    /// The randomness of the episode: its first state is drawn from `fork("env", 0)`, its actions from `fork("act", 0)`.
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

/// The states of a round and their origins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Collected<S> {
    pub(crate) states: Batch<S>,
    pub(crate) origins: Vec<Origin>,
    /// The return of the episode before each state.
    pub(crate) rewards: Vec<f64>,
    pub(crate) steps: Steps,
}

/// If the gate rarely opens, a round ends after this many times the steps that K states at the stride would take.
const PATIENCE: u64 = 5;

impl Ask {
    /// Collects up to `count` states to label in a round.
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

    /// A short description, for tables.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Sampled(_) => "sampled states",
            Self::InWindow(_) => "sampled states of the learner's window",
            Self::MostDisputed { .. } => "the K most disputed of m·K sampled states",
            Self::WhereExpertDrove { .. } => "states in which the expert drove",
        }
    }

    /// How states are sampled from trajectories.
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

    /// The `count` rows on which members disagree most, in their original order.
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
