//! Taking over: the learner drives at a person's speed, and the person takes over and hands back at any step.

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tutelage::expert::Driver;
use tutelage::lesson::{LearnError, Origin};
use tutelage::{Algorithm, Batch, Bounds, Element, ExpertError, Policy, Schedule};
use tutelage_draw::render::Render;
use tutelage_runs::{LabelSink, RunError};

use super::page_state::{Shared, lock};
use super::replies::batch_of;
use super::trace::{self, Trace};
use crate::clip::Clip;
use crate::show::{View, action_of_numbers, numbers};

/// A person who takes over from the learner.
pub(crate) struct Live<A> {
    /// A copy of the environment that the run drives, for drawing.
    shadow: Box<dyn Render<Action = A>>,
    state: Batch<f32>,
    config: LiveConfig,
    shared: Arc<Shared>,
    trace: Trace<A>,
    episode: u64,
    /// Steps into the current episode; `None` between episodes.
    time: Option<u32>,
    reward: f64,
    last_step: Instant,
}

pub(super) struct LiveConfig {
    pub(super) schedule: Schedule,
    pub(super) algorithm: Algorithm,
    /// Seconds between steps.
    pub(super) pace: f64,
    /// Whether the run should stop.
    pub(super) wants_stop: Box<dyn Fn() -> bool>,
}

/// A page that is silent for this long counts as released controls.
const SILENCE: Duration = Duration::from_millis(1500);

/// Seconds of driving that may be lost when the process is killed.
const UNSAVED: f64 = 0.5;

impl<A: Element> Live<A> {
    pub(super) fn new(
        shadow: Box<dyn Render<Action = A>>,
        config: LiveConfig,
        shared: Arc<Shared>,
        trace: Trace<A>,
    ) -> Self {
        let state = Batch::zeros(1, shadow.spaces().states);
        let (episode, time, reward, last_step) = (0, None, 0.0, Instant::now());
        Self { shadow, state, config, shared, trace, episode, time, reward, last_step }
    }

    /// Labels the queries with what the person did at the controls.
    pub(super) fn teach<P: Policy<State = f32, Action = A>>(
        &mut self,
        sink: &mut LabelSink<'_, '_, f32, A, P>,
    ) -> Result<(), RunError> {
        let round = sink.queries().round;
        let asked: Vec<u32> = sink.queries().rows.clone();
        for (at, row) in asked.into_iter().enumerate() {
            let origin = sink.queries().origins.get(at).copied();
            let action = origin.and_then(|origin| self.recorded_action(round, &origin));
            let action = action.ok_or_else(|| {
                let source = other(format!("{} has no action for query {row}", trace::FILE));
                LearnError::Annotate { round, source }
            })?;
            sink.label(&[row], &batch_of(&action))?;
        }
        Ok(())
    }

    /// What the person did at a moment of a round.
    fn recorded_action(&mut self, round: usize, origin: &Origin) -> Option<Vec<A>> {
        if self.trace.round() != round {
            self.trace.begin(round);
        }
        self.trace.at((origin.episode, origin.time)).flatten().map(<[A]>::to_vec)
    }

    /// Synchronizes the copy with the run; returns the step of the episode.
    fn follow(&mut self, state: &[f32]) -> Result<u32, ExpertError> {
        let round = self.shared.read(|page| page.round);
        if self.trace.round() != round {
            self.trace.begin(round);
            (self.episode, self.time) = (0, None);
        }
        let time = match self.time {
            Some(time) => time,
            None => {
                let origin = Origin { episode: self.episode, attempt: 0, time: 0 };
                let stream = origin.stream(&self.config.schedule, round, self.config.algorithm.ask);
                let rng = stream.fork("env", 0).rng();
                self.shadow.reset(rng, self.state.row_mut(0)).map_err(other)?;
                self.reward = 0.0;
                0
            }
        };
        self.time = Some(time);
        match self.state.row(0) == state {
            true => Ok(time),
            false => Err(other("the environment on the page differs from the one of the run")),
        }
    }

    /// Waits until the next step is due and the page runs; returns the person's action, or `None` if the learner drives.
    fn now(&mut self, intended: &[A]) -> Result<Option<Vec<A>>, ExpertError> {
        self.publish(intended);
        loop {
            if self.shared.is_stopping() || (self.config.wants_stop)() {
                self.trace.save().map_err(other)?;
                return Err(ExpertError::Left);
            }
            let (running, action) = {
                let mut live = lock(&self.shared.live);
                let silent = live.heard.is_none_or(|heard| heard.elapsed() > SILENCE);
                live.running &= !silent;
                (live.running, live.action.clone())
            };
            let due = self.last_step + Duration::from_secs_f64(self.config.pace);
            if running && Instant::now() >= due {
                self.last_step =
                    due.max(Instant::now() - Duration::from_secs_f64(self.config.pace));
                return Ok(action.as_deref().and_then(action_of_numbers).filter(|a| self.fits(a)));
            }
            if !running {
                self.trace.save().map_err(other)?;
                self.last_step = Instant::now();
            }
            let wait = due.saturating_duration_since(Instant::now());
            sleep(wait.clamp(Duration::from_millis(1), Duration::from_millis(20)));
        }
    }

    /// Whether the task accepts this action.
    fn fits(&self, action: &[A]) -> bool {
        let size = self.shadow.spaces().actions;
        let is_row = action.len() == A::width(size) && action.iter().all(|value| value.fits(size));
        is_row && A::outside(&self.shadow.bounds(), action).is_none()
    }

    /// Sends the current frame to the page.
    fn publish(&self, intended: &[A]) {
        let frame = serde_json::json!({
            "episode": self.episode,
            "time": self.time,
            "reward": self.reward,
            "intended": numbers(intended),
            "driven": self.trace.driven(),
            "unsaved": self.trace.unsaved(),
            "clip": Clip::new(&[View::of(&*self.shadow)], self.config.pace),
        });
        self.shared.frames.send_replace(frame.to_string().into());
    }

    /// Takes the same step as the run.
    fn advance(&mut self, time: u32, action: &[A]) -> Result<(), ExpertError> {
        let step = self.shadow.step(action, self.state.row_mut(0)).map_err(other)?;
        self.reward += step.reward;
        self.time = Some(time + 1);
        if step.is_last() {
            self.trace.save().map_err(other)?;
            (self.episode, self.time) = (self.episode + 1, None);
        }
        Ok(())
    }
}

/// The action as it reaches the run's environment: scaled to [-1, 1]ⁿ, clipped, and scaled back.
fn round_trip<A: Element>(bounds: &Bounds, action: &[A]) -> Vec<A> {
    let mut row = batch_of(action);
    A::to_unit(bounds, &mut row);
    A::clip(row.as_mut_slice());
    A::from_unit(bounds, &mut row);
    row.row(0).to_vec()
}

fn other(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> ExpertError {
    ExpertError::Other(error.into())
}

impl<A: Element> Driver<f32, A> for Live<A> {
    fn intervene(
        &mut self,
        states: &Batch<f32>,
        intended: &Batch<A>,
        actions: &mut Batch<A>,
    ) -> Result<Vec<bool>, ExpertError> {
        let time = self.follow(states.row(0))?;
        let moment = (self.episode, time);
        let known = self.trace.at(moment).map(|action| action.map(<[A]>::to_vec));
        let action = match known {
            Some(action) => action,
            None => {
                let action = self.now(intended.row(0))?;
                let released = action.is_none();
                self.trace.note(moment, action.as_deref());
                if self.trace.unsaved() as f64 * self.config.pace >= UNSAVED || released {
                    self.trace.save().map_err(other)?;
                }
                action
            }
        };
        match &action {
            Some(action) => {
                actions.row_mut(0).copy_from_slice(action);
                self.advance(time, &round_trip(&self.shadow.bounds(), action))?;
            }
            None => self.advance(time, intended.row(0))?,
        }
        Ok(vec![action.is_some()])
    }
}
