//! Moments of a run, played again: an episode is a function of its seed and its actions.

use std::collections::HashMap;

use tutelage::actor::{Actor, DeployedPolicy, RolloutError};
use tutelage::choice::{Ask, Deploy};
use tutelage::lesson::Origin;
use tutelage::{Batch, Element, EnvError, Policy, Rng, Schedule, Step, Stream};

use super::requests::Then;
use crate::clip::{Clip, still};
use crate::show::{Show, View};

/// Where moments are played again and tried out.
pub(crate) struct Replayer<A> {
    stage: Box<dyn Show<Action = A>>,
    schedule: Schedule,
    ask: Ask,
    /// Seconds that a step takes where somebody watches.
    pace: f64,
    /// The episodes of the round under way, by row.
    prefixes: HashMap<u32, EpisodePrefix<A>>,
}

/// An episode up to a question.
struct EpisodePrefix<A> {
    stream: Stream,
    /// What was done, in the task's own units.
    actions: Vec<Vec<A>>,
    /// How many marks of its pictures never move.
    still: usize,
}

/// Why a moment cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplayError {
    #[error("this moment's place in its episode was not noted, so it cannot be played again")]
    NoOrigin,
    #[error("the replayed episode differs from the recorded one, so it is not shown")]
    Diverged,
    #[error("the environment failed: {0}")]
    Env(#[from] EnvError),
    #[error(transparent)]
    Acting(#[from] RolloutError),
}

/// How much of the past a clip shows, of the future a preview, and how much of an episode a film, in seconds.
const PAST: f64 = 1.5;
const FUTURE: f64 = 1.0;
const FILM: f64 = 12.0;

/// The most frames of anything.
const FRAMES: usize = 400;

impl<A: Element> Replayer<A> {
    pub(crate) fn new(
        stage: Box<dyn Show<Action = A>>,
        schedule: Schedule,
        ask: Ask,
        pace: f64,
    ) -> Self {
        Self { stage, schedule, ask, pace, prefixes: HashMap::new() }
    }

    /// Another round begins.
    pub(crate) fn clear(&mut self) {
        self.prefixes.clear();
    }

    /// Whether a question's episode is at hand.
    pub(crate) fn has(&self, row: u32) -> bool {
        self.prefixes.contains_key(&row)
    }

    fn frames(&self, seconds: f64) -> usize {
        ((seconds / self.pace).round() as usize).clamp(2, FRAMES)
    }

    /// The clip of a question: the last moments before it, and what the learner would do next.
    pub(crate) fn clip<P: Policy<State = f32, Action = A>>(
        &mut self,
        round: usize,
        row: u32,
        origin: Option<&Origin>,
        state: &[f32],
        policy: &P,
    ) -> Result<String, ReplayError> {
        let origin = origin.ok_or(ReplayError::NoOrigin)?;
        let stream = origin.stream(&self.schedule, round, self.ask);
        let (time, past) = (origin.time as usize, self.frames(PAST));
        let mut play = Play::begin(&mut *self.stage, stream)?;
        let (mut looks, mut actions) = (Vec::new(), Vec::new());
        let mut rngs = [stream.fork("act", 0).rng()];
        let mut learner = DeployedPolicy::new(policy, Deploy::UniformMember);
        for t in 0..=time {
            if time - t <= past {
                looks.push(play.env.look());
            }
            if t < time {
                let action = play.decide(&mut learner, &mut rngs)?;
                play.step(&action)?;
                actions.push(action);
            }
        }
        if play.states.row(0) != state {
            return Err(ReplayError::Diverged);
        }
        let here = looks.len();
        let mut mean = DeployedPolicy::new(policy, Deploy::Mean);
        let ended = play.go_on(self.pace, &mut looks, |play| play.decide(&mut mean, &mut rngs))?;
        let still = still(&looks);
        self.prefixes.insert(row, EpisodePrefix { stream, actions, still });
        let clip = Clip::upon(still, &looks, self.pace);
        Ok(with(&clip, serde_json::json!({ "here": here - 1, "ended": ended })))
    }

    /// What an action would lead to in a question whose clip was made.
    pub(crate) fn preview<P: Policy<State = f32, Action = A>>(
        &mut self,
        row: u32,
        action: &[A],
        then: Then,
        policy: &P,
    ) -> Result<String, ReplayError> {
        let prefix = self.prefixes.get(&row).ok_or(ReplayError::NoOrigin)?;
        let mut play = Play::begin(&mut *self.stage, prefix.stream)?;
        prefix.actions.iter().try_for_each(|action| play.step(action).map(|_| ()))?;
        let mut looks = vec![play.env.look()];
        let mut mean = DeployedPolicy::new(policy, Deploy::Mean);
        let mut rngs = [prefix.stream.fork("act", 0).rng()];
        let mut first = true;
        let ended = play.go_on(self.pace, &mut looks, |play| {
            if std::mem::take(&mut first) || then == Then::Hold {
                return Ok(action.to_vec());
            }
            play.decide(&mut mean, &mut rngs)
        })?;
        let clip = Clip::upon(prefix.still, &looks, self.pace);
        Ok(with(&clip, serde_json::json!({ "ended": ended })))
    }

    /// An episode of a policy as it is deployed.
    pub(crate) fn film<P: Policy<State = f32, Action = A>>(
        &mut self,
        round: usize,
        policy: &P,
        deploy: Deploy,
    ) -> Result<String, ReplayError> {
        let stream = self.schedule.stream.fork("film", round as u64);
        let mut actor = DeployedPolicy::new(policy, deploy);
        let frames = self.frames(FILM);
        film_of(&mut *self.stage, &mut actor, stream, frames, self.pace)
    }
}

/// A film of somebody who acts in an environment, up to so many frames, as the page shows it.
pub(crate) fn film_of<A: Element>(
    stage: &mut dyn Show<Action = A>,
    actor: &mut dyn Actor<f32, A>,
    stream: Stream,
    frames: usize,
    pace: f64,
) -> Result<String, ReplayError> {
    let mut play = Play::begin(stage, stream)?;
    let mut rngs = [stream.fork("act", 0).rng()];
    let mut looks = vec![play.env.look()];
    let (mut reward, mut ended) = (0.0, false);
    while looks.len() < frames && !ended {
        let action = play.decide(actor, &mut rngs)?;
        let step = play.step(&action)?;
        looks.push(play.env.look());
        (reward, ended) = (reward + step.reward, step.is_last());
    }
    let more = serde_json::json!({ "reward": reward, "ended": ended });
    Ok(with(&Clip::new(&looks, pace), more))
}

/// An episode under way.
struct Play<'a, A: Element> {
    env: &'a mut dyn Show<Action = A>,
    states: Batch<f32>,
    actions: Batch<A>,
}

impl<'a, A: Element> Play<'a, A> {
    fn begin(env: &'a mut dyn Show<Action = A>, stream: Stream) -> Result<Self, EnvError> {
        let spaces = env.spaces();
        let mut states = Batch::zeros(1, spaces.states);
        env.reset(stream.fork("env", 0).rng(), states.row_mut(0))?;
        Ok(Self { states, actions: Batch::zeros(1, A::width(spaces.actions)), env })
    }

    /// What somebody does here, in the task's own units.
    fn decide(
        &mut self,
        actor: &mut dyn Actor<f32, A>,
        rngs: &mut [Rng],
    ) -> Result<Vec<A>, ReplayError> {
        actor.act(&[0], &self.states, rngs, &mut self.actions)?;
        A::from_unit(&self.env.bounds(), &mut self.actions);
        Ok(self.actions.row(0).to_vec())
    }

    fn step(&mut self, action: &[A]) -> Result<Step, EnvError> {
        self.env.step(action, self.states.row_mut(0))
    }

    /// Plays on for a while; says whether the task ended in failure or success on the way.
    fn go_on(
        &mut self,
        pace: f64,
        looks: &mut Vec<View>,
        mut decide: impl FnMut(&mut Self) -> Result<Vec<A>, ReplayError>,
    ) -> Result<bool, ReplayError> {
        let frames = ((FUTURE / pace).round() as usize).clamp(2, FRAMES);
        for _ in 0..frames {
            let action = decide(self)?;
            let step = self.step(&action)?;
            looks.push(self.env.look());
            if step.is_last() {
                return Ok(step.terminated);
            }
        }
        Ok(false)
    }
}

/// A film with more to say.
fn with(clip: &Clip, more: serde_json::Value) -> String {
    let (mut text, more) = (clip.to_json(), more.to_string());
    text.pop();
    text + "," + more.trim_start_matches('{')
}
