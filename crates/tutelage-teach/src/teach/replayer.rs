//! Replays moments of a run: an episode is a function of its seed and its actions.

use std::collections::HashMap;
use std::sync::Arc;

use tutelage::actor::{Actor, DeployedPolicy, RolloutError};
use tutelage::choice::{Ask, Deploy};
use tutelage::lesson::Origin;
use tutelage::{Batch, Element, EnvError, Policy, Rng, Schedule, Step, Stream};
use tutelage_draw::render::Render;

use super::requests::Continuation;
use crate::clip::{Clip, still};
use crate::show::View;

/// Replays the episodes of queries, and simulates actions in them.
pub(crate) struct Replayer<A> {
    stage: Box<dyn Render<Action = A>>,
    schedule: Schedule,
    ask: Ask,
    /// Seconds between steps when a person watches.
    pace: f64,
    /// Episodes of the current round, by row; a cache.
    prefixes: HashMap<u32, EpisodePrefix<A>>,
}

/// An episode up to a query.
struct EpisodePrefix<A> {
    stream: Stream,
    /// In the task's units.
    actions: Vec<Vec<A>>,
    /// The number of leading marks that never move.
    still: usize,
    clip: Arc<str>,
}

/// Why a moment cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplayError {
    #[error("its place in the episode was not recorded")]
    NoOrigin,
    #[error("the replayed episode differs from the recorded one")]
    Diverged,
    #[error("the environment failed")]
    Env(#[from] EnvError),
    #[error(transparent)]
    Acting(#[from] RolloutError),
}

/// Seconds: of the past in a clip, of the future in a preview, and in a film.
const PAST: f64 = 1.5;
const FUTURE: f64 = 1.0;
const FILM: f64 = 12.0;

/// The maximum number of frames of a clip.
const FRAMES: usize = 400;

/// The maximum number of clips in the cache.
const CLIPS: usize = 64;

impl<A: Element> Replayer<A> {
    pub(crate) fn new(
        stage: Box<dyn Render<Action = A>>,
        schedule: Schedule,
        ask: Ask,
        pace: f64,
    ) -> Self {
        Self { stage, schedule, ask, pace, prefixes: HashMap::new() }
    }

    /// Forgets the episodes of the round.
    pub(crate) fn clear(&mut self) {
        self.prefixes.clear();
    }

    fn frames(&self, seconds: f64) -> usize {
        ((seconds / self.pace).round() as usize).clamp(2, FRAMES)
    }

    /// The clip of a query: the moments before it, and what the learner would do next.
    pub(crate) fn clip<P: Policy<State = f32, Action = A>>(
        &mut self,
        round: usize,
        row: u32,
        origin: Option<&Origin>,
        state: &[f32],
        policy: &P,
    ) -> Result<Arc<str>, ReplayError> {
        if let Some(prefix) = self.prefixes.get(&row) {
            return Ok(Arc::clone(&prefix.clip));
        }
        let origin = origin.ok_or(ReplayError::NoOrigin)?;
        let stream = origin.stream(&self.schedule, round, self.ask);
        let (time, past) = (origin.time as usize, self.frames(PAST));
        let mut play = Play::begin(&mut *self.stage, stream)?;
        let (mut looks, mut actions) = (Vec::new(), Vec::new());
        let mut rngs = [stream.fork("act", 0).rng()];
        let mut learner = DeployedPolicy::new(policy, Deploy::UniformMember);
        for t in 0..=time {
            if time - t <= past {
                looks.push(View::of(play.env));
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
        let ended = play.resume(self.pace, &mut looks, |play| play.decide(&mut mean, &mut rngs))?;
        let still = still(&looks);
        let more = serde_json::json!({ "here": here - 1, "ended": ended });
        let clip = Clip::with_still(still, &looks, self.pace).to_json_with(&more);
        let prefix = EpisodePrefix { stream, actions, still, clip: clip.into() };
        let clip = Arc::clone(&prefix.clip);
        if self.prefixes.len() == CLIPS {
            self.prefixes.clear();
        }
        self.prefixes.insert(row, prefix);
        Ok(clip)
    }

    /// Simulates an action in a query whose clip was made.
    pub(crate) fn preview<P: Policy<State = f32, Action = A>>(
        &mut self,
        row: u32,
        action: &[A],
        then: Continuation,
        policy: &P,
    ) -> Result<String, ReplayError> {
        let prefix = self.prefixes.get(&row).ok_or(ReplayError::NoOrigin)?;
        let mut play = Play::begin(&mut *self.stage, prefix.stream)?;
        prefix.actions.iter().try_for_each(|action| play.step(action).map(|_| ()))?;
        let mut looks = vec![View::of(play.env)];
        let mut mean = DeployedPolicy::new(policy, Deploy::Mean);
        let mut rngs = [prefix.stream.fork("act", 0).rng()];
        let mut first = true;
        let ended = play.resume(self.pace, &mut looks, |play| {
            if std::mem::take(&mut first) || then == Continuation::Hold {
                return Ok(action.to_vec());
            }
            play.decide(&mut mean, &mut rngs)
        })?;
        let clip = Clip::with_still(prefix.still, &looks, self.pace);
        Ok(clip.to_json_with(&serde_json::json!({ "ended": ended })))
    }

    /// A film of the deployed policy.
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

/// A film of an actor, of at most `frames` frames of `pace` seconds, as JSON for the page.
pub(crate) fn film_of<A: Element>(
    stage: &mut dyn Render<Action = A>,
    actor: &mut dyn Actor<f32, A>,
    stream: Stream,
    frames: usize,
    pace: f64,
) -> Result<String, ReplayError> {
    let mut play = Play::begin(stage, stream)?;
    let mut rngs = [stream.fork("act", 0).rng()];
    let mut looks = vec![View::of(play.env)];
    let (mut reward, mut ended) = (0.0, false);
    while looks.len() < frames && !ended {
        let action = play.decide(actor, &mut rngs)?;
        let step = play.step(&action)?;
        looks.push(View::of(play.env));
        (reward, ended) = (reward + step.reward, step.is_last());
    }
    let more = serde_json::json!({ "reward": reward, "ended": ended });
    Ok(Clip::new(&looks, pace).to_json_with(&more))
}

/// A running episode.
struct Play<'a, A: Element> {
    env: &'a mut dyn Render<Action = A>,
    states: Batch<f32>,
    actions: Batch<A>,
}

impl<'a, A: Element> Play<'a, A> {
    fn begin(env: &'a mut dyn Render<Action = A>, stream: Stream) -> Result<Self, EnvError> {
        let spaces = env.spaces();
        let mut states = Batch::zeros(1, spaces.states);
        env.reset(stream.fork("env", 0).rng(), states.row_mut(0))?;
        Ok(Self { states, actions: Batch::zeros(1, A::width(spaces.actions)), env })
    }

    /// The actor's action, in the task's units.
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

    /// Plays for [`FUTURE`] seconds; returns whether the episode terminated.
    fn resume(
        &mut self,
        pace: f64,
        looks: &mut Vec<View>,
        mut decide: impl FnMut(&mut Self) -> Result<Vec<A>, ReplayError>,
    ) -> Result<bool, ReplayError> {
        let frames = ((FUTURE / pace).round() as usize).clamp(2, FRAMES);
        for _ in 0..frames {
            let action = decide(self)?;
            let step = self.step(&action)?;
            looks.push(View::of(self.env));
            if step.is_last() {
                return Ok(step.terminated);
            }
        }
        Ok(false)
    }
}
