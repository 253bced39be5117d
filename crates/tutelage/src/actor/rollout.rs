//! Rollouts: somebody who acts in several lanes at once.

use std::ops::Range;

use crate::Element;
use crate::actor::Actor;
use crate::env::LaneError;
use crate::space::SpaceError;
use crate::{ActionSpace, Batch, ExpertError, PolicyError, Rng, Step, Stream, VectorEnv};

/// Episodes under way, an actor stepping all of them together.
///
/// An episode is a function of its stream and its actor, whatever runs beside it.
pub(crate) struct Rollouts<'a, W: VectorEnv> {
    envs: &'a mut W,
    actor: &'a mut dyn Actor<W::State, W::Action>,
    space: ActionSpace,
    /// The lanes with an episode under way; row i of the buffers below is that of `active[i]`.
    active: Vec<usize>,
    rngs: Vec<Rng>,
    states: Batch<W::State>,
    /// In [-1, 1]ⁿ where they are vectors.
    actions: Batch<W::Action>,
    /// The same in the task's own units.
    own: Batch<W::Action>,
    /// What each lane's episode has come to.
    episodes: Vec<Sum>,
    steps: Steps,
}

/// An episode so far.
#[derive(Clone, Copy, Default)]
struct Sum {
    time: usize,
    reward: f64,
}

/// How many steps were taken, and how many of them the expert drove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// All steps.
    pub all: u64,
    /// Those in which the expert chose the action.
    pub by_expert: u64,
}

/// Why states could not be collected or a policy not evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RolloutError {
    /// An environment failed.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// The expert failed while it drove or was compared with.
    #[error("the expert failed: {0}")]
    Expert(#[from] ExpertError),
    /// A policy failed while it acted.
    #[error("the policy failed: {0}")]
    Policy(#[from] PolicyError),
    /// Somebody who was asked for actions gave something else.
    #[error("{who} was asked for actions and gave {source}")]
    InvalidActions {
        /// Who: "the expert", "the expert's mean", "whoever acts".
        who: &'static str,
        /// What is wrong with them.
        source: SpaceError,
    },
    /// An environment's episode goes on after its time limit.
    #[error(
        "environment {lane}: the episode goes on after {horizon} steps, the horizon that the environment declares; \
         it must end then (truncated), or declare a longer one"
    )]
    Horizon {
        /// Which environment.
        lane: usize,
        /// H.
        horizon: usize,
    },
    /// Episodes are too short for the way states are read off them.
    #[error(
        "{episodes} episodes in a row ended before a state could be taken from them; episodes must last longer, or states be taken more often"
    )]
    NoStates {
        /// How many were tried.
        episodes: u64,
    },
    /// Nothing was asked for.
    #[error("episodes is 0; at least 1 is needed")]
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

    /// Begins an episode in a lane that rests.
    pub(crate) fn begin(&mut self, lane: usize, episode: Stream) -> Result<(), RolloutError> {
        self.envs.reset(lane, episode.fork("env", 0).rng())?;
        self.actor.begin(lane, episode);
        self.episodes[lane] = Sum::default();
        self.active.push(lane);
        self.rngs.push(episode.fork("act", 0).rng());
        Ok(())
    }

    /// Lets a lane rest: its episode is over or no longer needed.
    pub(crate) fn end(&mut self, lane: usize) {
        if let Some(row) = self.active.iter().position(|&active| active == lane) {
            self.active.swap_remove(row);
            self.rngs.swap_remove(row);
        }
    }

    /// One step of every episode under way.
    pub(crate) fn advance(&mut self) -> Result<(), RolloutError> {
        self.gather();
        self.actions.resize(self.active.len());
        self.actor.act(&self.active, &self.states, &mut self.rngs, &mut self.actions)?;
        crate::space::check_rows(&self.actions, self.active.len(), self.space.size)
            .map_err(|source| RolloutError::InvalidActions { who: "whoever acts", source })?;
        self.own.resize(self.active.len());
        self.own.as_mut_slice().copy_from_slice(self.actions.as_slice());
        W::Action::from_unit(&self.space.bounds, &mut self.own);
        self.envs.step(&self.active, &self.own)?;
        self.count()
    }

    /// The states of the episodes under way.
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

    /// The lanes of the last [`Rollouts::advance`], the states acted in and the actions taken, a row each.
    pub(crate) fn acted(&self) -> (&[usize], &Batch<W::State>, &Batch<W::Action>) {
        (&self.active, &self.states, &self.actions)
    }

    pub(crate) fn last_step(&self, lane: usize) -> Step {
        self.envs.last_step(lane)
    }

    /// Whether the expert chose what a lane did last.
    pub(crate) fn expert_drove(&self, lane: usize) -> bool {
        self.actor.expert_drove(lane)
    }

    /// The times of a lane's episode that its actor plays it for.
    pub(crate) fn window(&self, lane: usize) -> Range<usize> {
        self.actor.window(lane)
    }

    /// How many steps a lane's episode has had.
    pub(crate) fn time(&self, lane: usize) -> usize {
        self.episodes[lane].time
    }

    /// The rewards of a lane's episode so far.
    pub(crate) fn reward(&self, lane: usize) -> f64 {
        self.episodes[lane].reward
    }

    pub(crate) fn steps(&self) -> Steps {
        self.steps
    }
}
