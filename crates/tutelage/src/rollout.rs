//! Rollouts: an actor in several lanes at once.

use crate::{
    Actor, Batch, Element, Env, Expert, ExpertError, LaneError, Lanes, Policy, PolicyError, Rng,
    Step, Stream,
};

/// Episodes under way, an actor stepping all of them together.
///
/// An episode is a function of its stream and its actor, whatever runs beside it.
pub(crate) struct Rollouts<'a, E: Env, P, X> {
    lanes: &'a mut Lanes<E>,
    actor: Actor<'a, P, X>,
    /// The lanes with an episode under way; row i of the buffers below is that of `active[i]`.
    active: Vec<usize>,
    rngs: Vec<Rng>,
    states: Batch<E::State>,
    actions: Batch<E::Action>,
}

/// Why states could not be collected or a policy not evaluated.
#[derive(Debug, thiserror::Error)]
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
    /// Whoever acts gave an action that is not in the action space.
    #[error(
        "environment {lane} was given action[{index}] = {value}, which is not in an action space of size {size}"
    )]
    Action {
        /// Which environment.
        lane: usize,
        /// The place in the action.
        index: usize,
        /// What stood there.
        value: String,
        /// The size of the action space.
        size: usize,
    },
    /// Somebody who was asked for actions did not answer row by row.
    #[error(
        "{who} was asked about {asked} states and gave {rows} actions of {width} values, where actions have {expected}"
    )]
    Shape {
        /// Who.
        who: &'static str,
        /// How many states it was asked about.
        asked: usize,
        /// How many actions it gave.
        rows: usize,
        /// How many values each of them has.
        width: usize,
        /// How many values an action of this task has.
        expected: usize,
    },
    /// The expert's mean action is not in the action space.
    #[error(
        "the expert's mean action has value {value} at place {index}, which is not in an action space of size {size}"
    )]
    Mean {
        /// The place in the action.
        index: usize,
        /// What stood there.
        value: String,
        /// The size of the action space.
        size: usize,
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

impl<'a, E, P, X> Rollouts<'a, E, P, X>
where
    E: Env,
    P: Policy<State = E::State, Action = E::Action>,
    X: Expert<State = E::State, Action = E::Action>,
{
    pub(crate) fn new(lanes: &'a mut Lanes<E>, actor: Actor<'a, P, X>) -> Self {
        let spaces = lanes.spaces();
        let states = Batch::new(E::State::width(spaces.states));
        let actions = Batch::new(E::Action::width(spaces.actions));
        Self { lanes, actor, active: Vec::new(), rngs: Vec::new(), states, actions }
    }

    /// Begins an episode in a lane that rests.
    pub(crate) fn begin(&mut self, lane: usize, episode: Stream) -> Result<(), RolloutError> {
        self.lanes.reset(lane, episode.fork("env", 0).rng())?;
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
        self.lanes.gather(&self.active, &mut self.states);
        self.actions.resize(self.active.len());
        self.actor.act(&self.states, &mut self.rngs, &mut self.actions)?;
        let size = self.lanes.spaces().actions;
        check_shape("whoever acts", &self.actions, self.active.len(), size)?;
        if let Some((row, index, value)) = self.actions.misfit(size) {
            return Err(RolloutError::Action {
                lane: self.active[row],
                index,
                value: value.to_string(),
                size,
            });
        }
        Ok(self.lanes.step(&self.active, &self.actions)?)
    }

    pub(crate) fn lanes(&self) -> &Lanes<E> {
        self.lanes
    }

    /// The lanes of the last [`Rollouts::advance`], the states acted in and the actions taken, a row each.
    pub(crate) fn acted(&self) -> (&[usize], &Batch<E::State>, &Batch<E::Action>) {
        (&self.active, &self.states, &self.actions)
    }

    pub(crate) fn last_step(&self, lane: usize) -> Step {
        self.lanes.last_step(lane)
    }
}

/// Whether there is an action of the task's width for each state asked about.
pub(crate) fn check_shape<A: Element>(
    who: &'static str,
    actions: &Batch<A>,
    asked: usize,
    size: usize,
) -> Result<(), RolloutError> {
    let (rows, width, expected) = (actions.len(), actions.width(), A::width(size));
    if (rows, width) == (asked, expected) {
        Ok(())
    } else {
        Err(RolloutError::Shape { who, asked, rows, width, expected })
    }
}
