//! Rollouts: an actor in several lanes at once.

use std::ops::Range;

use crate::Element;
use crate::actor::Actor;
use crate::env::LaneError;
use crate::space::SpaceError;
use crate::{ActionSpace, Batch, ExpertError, PolicyError, Rng, Step, Stream, VectorEnv};

/// Steps the episodes of several lanes together.
///
/// An episode is a function of its stream and its actor; other lanes do not affect it.
pub(crate) struct Rollouts<'a, W: VectorEnv> {
    envs: &'a mut W,
    actor: &'a mut dyn Actor<W::State, W::Action>,
    space: ActionSpace,
    /// The lanes with an episode in progress; row i of the buffers below belongs to `active[i]`.
    active: Vec<usize>,
    rngs: Vec<Rng>,
    states: Batch<W::State>,
    /// Vector actions are in [-1, 1]ⁿ.
    actions: Batch<W::Action>,
    /// The same in the task's units.
    own: Batch<W::Action>,
    /// Each lane's episode so far.
    episodes: Vec<Sum>,
    steps: Steps,
}

/// An episode so far.
#[derive(Clone, Copy, Default)]
struct Sum {
    time: usize,
    reward: f64,
}

/// Counts of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// All steps.
    pub all: u64,
    /// Steps in which the expert chose the action.
    pub by_expert: u64,
}

/// Why a rollout failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RolloutError {
    /// An environment failed.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// The expert failed while driving, or as the reference of an evaluation.
    #[error("the expert failed")]
    Expert(#[from] ExpertError),
    /// The policy failed.
    #[error("the policy failed")]
    Policy(#[from] PolicyError),
    /// Actions are invalid.
    #[error("{who} returned invalid actions")]
    InvalidActions {
        /// "the expert", "the expert's mean" or "the actor".
        who: &'static str,
        /// The cause.
        source: SpaceError,
    },
    /// An episode exceeds the time limit.
    #[error(
        "environment {lane}: the episode continues after {horizon} steps, its declared horizon; \
         truncate it, or declare a longer one"
    )]
    Horizon {
        /// The environment.
        lane: usize,
        /// H.
        horizon: usize,
    },
    /// Episodes are too short for the sampling of states.
    #[error(
        "{episodes} consecutive episodes ended before a state was sampled; use a smaller stride or longer episodes"
    )]
    NoStates {
        /// The number of episodes tried.
        episodes: u64,
    },
    /// No episodes were requested.
    #[error("episodes is 0, expected at least 1")]
    NoEpisodes,
}

impl<'a, W: VectorEnv> Rollouts<'a, W> {
    pub(crate) fn new(envs: &'a mut W, actor: &'a mut dyn Actor<W::State, W::Action>) -> Self {
        let spaces = envs.spaces();
        let actions = Batch::new(W::Action::width(spaces.actions));
        Self {
            space: ActionSpace { size: spaces.actions, bounds: envs.bounds().clone() },
            active: Vec::new(),
            rngs: Vec::new(),
            states: Batch::new(W::State::width(spaces.states)),
            own: actions.clone(),
            actions,
            episodes: vec![Sum::default(); envs.count()],
            steps: Steps::default(),
            envs,
            actor,
        }
    }

    /// Starts an episode in an idle lane.
    pub(crate) fn begin(&mut self, lane: usize, episode: Stream) -> Result<(), RolloutError> {
        self.envs.reset(lane, episode.fork("env", 0).rng())?;
        self.actor.begin(lane, episode);
        self.episodes[lane] = Sum::default();
        self.active.push(lane);
        self.rngs.push(episode.fork("act", 0).rng());
        Ok(())
    }

    /// Makes a lane idle: its episode is over or no longer needed.
    pub(crate) fn end(&mut self, lane: usize) {
        if let Some(row) = self.active.iter().position(|&active| active == lane) {
            self.active.swap_remove(row);
            self.rngs.swap_remove(row);
        }
    }

    /// Steps every episode in progress.
    pub(crate) fn advance(&mut self) -> Result<(), RolloutError> {
        self.gather();
        self.actions.resize(self.active.len());
        self.actor.act(&self.active, &self.states, &mut self.rngs, &mut self.actions)?;
        crate::space::check_rows(&self.actions, self.active.len(), self.space.size)
            .map_err(|source| RolloutError::InvalidActions { who: "the actor", source })?;
        self.own.resize(self.active.len());
        self.own.as_mut_slice().copy_from_slice(self.actions.as_slice());
        W::Action::from_unit(&self.space.bounds, &mut self.own);
        self.envs.step(&self.active, &self.own)?;
        self.count()
    }

    /// Gathers the states of the episodes in progress.
    fn gather(&mut self) {
        self.states.resize(self.active.len());
        for (row, &lane) in self.active.iter().enumerate() {
            self.states.row_mut(row).copy_from_slice(self.envs.state(lane));
        }
    }

    fn count(&mut self) -> Result<(), RolloutError> {
        for &lane in &self.active {
            let (step, episode) = (self.envs.last_step(lane), &mut self.episodes[lane]);
            episode.time += 1;
            episode.reward += step.reward;
            self.steps.all += 1;
            self.steps.by_expert += u64::from(self.actor.expert_drove(lane));
            if episode.time >= self.envs.horizon() && !step.is_last() {
                return Err(RolloutError::Horizon { lane, horizon: self.envs.horizon() });
            }
        }
        Ok(())
    }

    pub(crate) fn envs(&self) -> &W {
        self.envs
    }

    /// The lanes of the last [`Rollouts::advance`], with the states and actions.
    pub(crate) fn acted(&self) -> (&[usize], &Batch<W::State>, &Batch<W::Action>) {
        (&self.active, &self.states, &self.actions)
    }

    pub(crate) fn last_step(&self, lane: usize) -> Step {
        self.envs.last_step(lane)
    }

    /// Whether the expert chose a lane's last action.
    pub(crate) fn expert_drove(&self, lane: usize) -> bool {
        self.actor.expert_drove(lane)
    }

    /// The actor's window of a lane's episode.
    pub(crate) fn window(&self, lane: usize) -> Range<usize> {
        self.actor.window(lane)
    }

    /// The number of steps of a lane's episode.
    pub(crate) fn time(&self, lane: usize) -> usize {
        self.episodes[lane].time
    }

    /// The return of a lane's episode so far.
    pub(crate) fn reward(&self, lane: usize) -> f64 {
        self.episodes[lane].reward
    }

    pub(crate) fn steps(&self) -> Steps {
        self.steps
    }
}
